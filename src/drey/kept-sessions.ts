import { existsSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { writePrivateFile } from "../disk/atomic-write.ts"
import { sha256 } from "../disk/hash.ts"
import { withLockIfFree } from "../disk/lock.ts"
import { readTextFile } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import type { ClientSession } from "../formats/client-session.ts"
import type { HandOverList } from "../learning/conversation-summary.ts"
import type { HandedNote } from "../learning/notes/handed-notes.ts"
import type { ConversationPlace } from "../learning/notes/observed-conversation.ts"
import type { Project } from "../project.ts"
import type { ObservedEntry, ObservedWork } from "../sessions/observed-work.ts"
import { repositoryTrust } from "../trust.ts"

const day = 24 * 3_600_000
/** Older work is history: learning and search have it. */
const freshMs = 3 * day
const mostConversations = 10
/** A conversation that has rested for so long is over. */
const restMs = 4 * 3_600_000
const longestTask = 200

/**
 * Keeps a working session for each recent conversation with an agent, from its transcript. Runs in the background after
 * a turn. What was derived before is derived again, so it does not matter which process read the transcript first.
 */
export async function keepSessions(project: Project): Promise<void> {
  if (!mayKeep(project)) return
  const learning = await project.learning()
  if (learning.pauseInForce()) return
  const since = new Date(project.now().getTime() - freshMs).toISOString()
  const conversations = await learning.sessions({ limit: mostConversations, since })
  await withLockIfFree(join(project.home, "run", `sessions-${idOf(project)}.lock`), async () => {
    for (const conversation of conversations.reverse()) {
      const problem = `No working session is kept for ${conversation.name}`
      await orWarn(project, problem, () => keepSession(project, conversation, conversations))
    }
    if (conversations.length > 0) await removeOld(project)
  })
}

/** One session that cannot be read or written keeps no other from being kept, and no lesson from being learned. */
async function orWarn(project: Project, problem: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    project.warn(`${problem}: ${error.message}`)
  }
}

function mayKeep(project: Project): boolean {
  const store = project.store()
  if (store.folders.length === 0 || !project.settings().sessions.auto) return false
  return repositoryTrust(project.home, store).kind === "trusted" && project.sessionsIfAny() !== undefined
}

async function keepSession(project: Project, conversation: ClientSession, all: readonly ClientSession[]) {
  const { client, session, transcript, end, start, tasks } = conversation
  const place = { client, session, path: transcript }
  const known = readRecord(project, place)
  const hasEnded = project.now().getTime() - end > restMs
  if (known !== undefined && (isRemoved(project, known) || (known.end === end && known.hasEnded === hasEnded))) return
  const { observeConversation } = await import("../learning/notes/observed-conversation.ts")
  const works = await observeConversation(place, project.machine, project.root)
  if (known === undefined && !hasWork(works)) return
  const { keepInSession } = await import("../sessions/sessions.ts")
  const folder = project.sessionsFolder()
  const task = tasks[0]?.text.slice(0, longestTask) || "Work with an agent"
  const kept = known ?? { session: await sessionFor(project, place, { task, start, all }), written: {} }
  const written = await keepInSession(
    // A session's times are those of the work, now or when an old transcript is read.
    { id: kept.session, folder: join(folder, kept.session), now: () => new Date(end), warn: () => {} },
    works,
    { written: kept.written, hasEnded },
  )
  writeRecord(project, place, { session: kept.session, end, hasEnded, written })
}

function hasWork(works: readonly ObservedWork[]): boolean {
  return works.some(
    ({ attempts, discoveries, decisions }) => attempts.length + discoveries.length + decisions.length > 0,
  )
}

/** The one that the agent started itself in this conversation and no other, if there is exactly one; else a new one. */
async function sessionFor(
  project: Project,
  { client, session }: ConversationPlace,
  { task, start, all }: { task: string; start: number; all: readonly ClientSession[] },
): Promise<string> {
  const { listSessions } = await import("../sessions/session-list.ts")
  const { startSession } = await import("../sessions/session-folder.ts")
  const folder = project.sessionsFolder()
  const keptFor = `${client}/${session}`
  const own = listSessions(folder).filter((each) => {
    if (each.kind === "unreadable") return false
    const began = Date.parse(each.metadata.createdAt)
    const [during, ...others] = all.filter(({ start, end }) => began >= start && began <= end + 60_000)
    return each.metadata.keptFor === undefined && others.length === 0 && isSame(during, { client, session })
  })
  const [before] = listSessions(folder).filter((each) => each.kind === "readable" && each.metadata.keptFor === keptFor)
  const found = before ?? (own.length === 1 ? own[0] : undefined)
  if (found) return found.id
  const makeHex = () => sha256(project.makeId()).slice(0, 8)
  return startSession(folder, { task, agent: client, keptFor }, new Date(start), makeHex)
}

function isSame(one: ClientSession | undefined, { client, session }: Pick<ConversationPlace, "client" | "session">) {
  return one?.client === client && one.session === session
}

/** Ends and removes old ones of those that Drey keeps by itself, within the limits of `drey session cleanup`. */
async function removeOld(project: Project): Promise<void> {
  const { cleanupSessions } = await import("../sessions/session-folder.ts")
  const { openSessionsOf } = await import("./sessions.ts")
  const sessions = await openSessionsOf(project)
  for (const each of await sessions.list({ active: true })) {
    if (each.kind === "unreadable" || each.metadata.keptFor === undefined) continue
    const { updatedAt, createdAt } = each.metadata
    if (project.now().getTime() - Date.parse(updatedAt ?? createdAt) > freshMs)
      await orWarn(project, `Session ${each.id} was not ended`, async () => (await sessions.open(each.id)).end())
  }
  await orWarn(project, "Old sessions were not removed", () =>
    cleanupSessions(project.sessionsFolder(), project.now(), { remove: true, keptOnly: true }),
  )
}

/** By the user, who does not want it back. */
function isRemoved(project: Project, { session }: { session: string }): boolean {
  return !existsSync(join(project.sessionsFolder(), session))
}

/** A client waits for this. Of a longer transcript, what is in the working session is handed over. */
const mostBytesForHook = 12 * 1024 * 1024

/**
 * What the next agent should know of a conversation: attempts that did not work, what was found out, and what the plan
 * has left. From the working session as people and agents left it, and what is newer in the transcript.
 */
export async function notesToHandOver(project: Project, place: ConversationPlace): Promise<HandOverList[]> {
  if (!mayKeep(project)) return []
  const { observeConversation } = await import("../learning/notes/observed-conversation.ts")
  const observed = await observeConversation(place, project.machine, project.root, mostBytesForHook)
  const notes = observed.flatMap(({ agent, attempts, discoveries }) => {
    const by = (each: ObservedEntry) => ({ ...each.fields, timestamp: each.timestamp, source: each.source, by: agent })
    return [...attempts.map(by), ...discoveries.map(by)] as HandedNote[]
  })
  const known = readRecord(project, place)
  const kept = known === undefined ? undefined : await notesIn(project, known)
  const all =
    kept === undefined ? notes : [...kept.notes, ...notes.filter(({ source = "" }) => !kept.sources.has(source))]
  const { handOverLists } = await import("../learning/notes/handed-notes.ts")
  const steps = observed.flatMap(({ agent, context }) => (agent === undefined ? stepsIn(context) : []))
  return handOverLists(all, steps)
}

/** Undefined when its files cannot be read: then the transcript is all there is. */
async function notesIn(project: Project, { session, written }: z.output<typeof recordShape>) {
  const { openSession } = await import("../sessions/sessions.ts")
  const folder = join(project.sessionsFolder(), session)
  try {
    const memories = await openSession({ id: session, folder, now: project.now, warn: () => {} }).memories({
      archived: true,
    })
    const notes = [...memories].flatMap(([agent, { attempts, discoveries }], at) =>
      [...attempts, ...discoveries].map((each) => ({ ...each, by: at === 0 ? undefined : agent }) as HandedNote),
    )
    return { notes, sources: new Set(Object.keys(written).map((key) => key.slice(key.lastIndexOf(" ") + 1))) }
  } catch (error) {
    if (error instanceof DreyError || isRemoved(project, { session })) return undefined
    throw error
  }
}

function stepsIn({ nextSteps }: Record<string, unknown>): string[] {
  return Array.isArray(nextSteps) ? nextSteps.map(String) : []
}

const recordShape = z.object({
  session: z.string().regex(/^\d{8}-\d{6}-[0-9a-f]{8}-[a-z0-9-]+$/),
  /** The last moment of the conversation that is in it. */
  end: z.number(),
  hasEnded: z.boolean(),
  written: z.record(z.string(), z.string()),
})

/** Kept in the user's home: what comes with a clone must not decide what Drey overwrites. */
function readRecord(project: Project, place: ConversationPlace): z.output<typeof recordShape> | undefined {
  try {
    const found = recordShape.safeParse(JSON.parse(readTextFile(recordPath(project, place)).text))
    return found.success ? found.data : undefined
  } catch (error) {
    if (error instanceof DreyError || error instanceof SyntaxError) return undefined // there is none yet
    throw error
  }
}

function writeRecord(project: Project, place: ConversationPlace, record: z.output<typeof recordShape>): void {
  writePrivateFile(recordPath(project, place), `${JSON.stringify(record)}\n`)
}

function recordPath(project: Project, { client, session }: ConversationPlace): string {
  return join(project.home, "sessions", idOf(project), `${client}-${sha256(session).slice(0, 16)}.json`)
}

function idOf({ root }: Project): string {
  return sha256(root).slice(0, 12)
}
