import { existsSync, lstatSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { makeFolder, removeFolder, renameFileDurable, writeFileAtomic } from "../disk/atomic-write.ts"
import { makePrivate } from "../disk/home-files.ts"
import { withFolderLock } from "../disk/lock.ts"
import { fileError, readTextFile } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import { isSessionId, makeSessionId } from "../formats/session/session-id.ts"
import type { SessionMetadata } from "../formats/session/sibling-schemas.ts"
import { instantOfMoment } from "../formats/timestamp.ts"
import { generated } from "../governance/cleared.ts"
import { nameOfAgent, readMemories } from "./agent-files.ts"
import { listEntries } from "./entry-references.ts"
import type { Cleanup, SessionSummary } from "./session-api.ts"
import { newFileText, newMemory, openSessionFiles } from "./session-files.ts"
import { clearContent, requireCount, requireText } from "./session-input.ts"
import { listSessions, summarizeSession } from "./session-list.ts"
import { newState } from "./session-state.ts"

export type SessionStart = {
  task: string
  agent?: string | undefined
  provider?: string | undefined
  maxIterations?: number | undefined
  /** The client's conversation that Drey keeps this session for by itself. */
  keptFor?: string | undefined
}

const defaultAgent = "agent"

/** Creates the folder and files of a new session and returns its id. The folder is not visible before all files are in it. */
export function startSession(folder: string, request: SessionStart, now: Date, makeHex: () => string): string {
  requireText("The task", request.task)
  requireCount("maxIterations", request.maxIterations)
  const agent = nameOfAgent(request.agent) ?? defaultAgent
  const id = freeId(folder, clearContent(request.task), now, makeHex)
  const startedAt = now.toISOString()
  const [memory, state] = [newMemory(id, agent, now), newState(id, { ...request, agent, startedAt })]
  const sizeBytes = Buffer.byteLength(memory) + Buffer.byteLength(state)
  const texts = {
    "agent-memory.yaml": memory,
    "context.yaml": state,
    "metadata.yaml": newMetadata(id, { ...request, agent, createdAt: startedAt, sizeBytes }),
  }
  makeSessionsFolder(folder)
  const unfinished = join(folder, unfinishedName(id))
  try {
    makeSessionFolder(unfinished)
    for (const [name, text] of Object.entries(texts))
      writeFileAtomic(join(unfinished, name), generated(text), { mode: 0o600 })
    renameFileDurable(unfinished, join(folder, id))
  } catch (error) {
    removeFolder(unfinished)
    throw error
  }
  return id
}

/** The name of a session's folder until it is complete. */
function unfinishedName(id: string): string {
  return `.new-${id}`
}

function freeId(folder: string, task: string, now: Date, makeHex: () => string): string {
  for (;;) {
    const id = makeSessionId(task, now, makeHex())
    if (!existsSync(join(folder, id))) return id
  }
}

type NewMetadata = Pick<SessionStart, "keptFor"> & { task: string; agent: string; createdAt: string; sizeBytes: number }

function newMetadata(id: string, { task, agent, createdAt, sizeBytes, keptFor }: NewMetadata): string {
  return newFileText("session-metadata", id, {
    task,
    keptFor,
    status: "active",
    createdAt,
    updatedAt: createdAt,
    durationMs: 0,
    agents: [agent],
    counts: { discoveries: 0, attempts: 0, decisions: 0, failures: 0 },
    filesModified: [],
    tokens: { input: 0, output: 0 },
    sizeBytes,
    archived: false,
  })
}

const privateFolder = 0o700

/** Creates the folder of all sessions, private and ignored by git. */
function makeSessionsFolder(folder: string): void {
  if (existsSync(folder)) return
  try {
    makeFolder(dirname(folder))
    makeFolder(folder, privateFolder)
  } catch (error) {
    throw fileError(folder, error)
  }
  ignoreInGit(folder)
}

/** Makes the folder of one session. */
function makeSessionFolder(folder: string): void {
  try {
    makeFolder(folder, privateFolder)
  } catch (error) {
    throw fileError(folder, error)
  }
  if (!isIgnored(folder)) ignoreInGit(folder)
}

/**
 * Makes a session's files private and ignored by git: the folder may come from another tool, or with a copy of the repository.
 */
export function keepPrivate(folder: string, warn: (message: string) => void): void {
  if (!isIgnored(folder)) ignoreInGit(folder)
  if (process.platform === "win32") return // files have no such modes there
  const files = readdirSync(folder, { withFileTypes: true }).filter((item) => item.isFile())
  try {
    for (const path of [folder, ...files.map(({ name }) => join(folder, name))]) {
      const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0
      if ((mode & forOthers) !== 0) makePrivate(path, mode & 0o700)
    }
  } catch (error) {
    const refused = fileError(folder, error)
    if (!(refused instanceof DreyError)) throw refused
    warn(`Other users may be able to read ${folder}: its permissions could not be changed`) // an inaccessible folder of another owner does not stop the cleanup
  }
}

const forOthers = 0o077

/** By its own ignore file or the one above it. If the sessions share a folder with other files, git continues to see those. */
function isIgnored(folder: string): boolean {
  if (existsSync(join(folder, ".gitignore"))) return true
  const above = join(dirname(folder), ".gitignore")
  return existsSync(above) && /^\*\r?$/m.test(readTextFile(above).text)
}

function ignoreInGit(folder: string): void {
  writeFileAtomic(join(folder, ".gitignore"), "*\n", { mode: 0o600 })
}

export type CleanupOptions = {
  maxAgeDays?: number
  maxSessions?: number
  remove?: boolean
  /** Only those that Drey keeps by itself, and in which nobody else wrote. */
  keptOnly?: boolean
}

/** Lists the sessions beyond the retention limits, and removes them only when asked to. */
export async function cleanupSessions(folder: string, now: Date, options: CleanupOptions = {}): Promise<Cleanup> {
  const sessions = listSessions(folder)
  const due = findDue(sessions, now, options).filter(({ id }) => !options.keptOnly || isOnlyObserved(folder, id))
  const removed: string[] = []
  if (options.remove) {
    const position = new Map(sessions.map(({ id }, index) => [id, index]))
    const isStillDue = (session: SessionSummary) =>
      whyDue(session, position.get(session.id) ?? 0, now, options) !== undefined
    for (const { id } of due) if (await removeSession(folder, id, isStillDue)) removed.push(id)
    removeLeftovers(folder, now)
  }
  return { due, kept: sessions.length - (options.remove ? removed.length : due.length), removed }
}

/** Whether every entry was made from a transcript: what an agent or a person noted is not removed without asking. */
function isOnlyObserved(folder: string, id: string): boolean {
  const files = openSessionFiles({ id, folder: join(folder, id), now: () => new Date(0), warn: () => {} }) // nothing is written
  try {
    const memories = [...readMemories(files, { archived: true, unreadable: "throw" }).values()]
    return memories.flatMap(listEntries).every(({ entry }) => entry.source !== undefined)
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return false // its own commands report what is wrong with it
  }
}

/** The expired sessions of a list sorted newest first. */
export function findDue(sessions: readonly SessionSummary[], now: Date, options: CleanupOptions = {}): Cleanup["due"] {
  return sessions.flatMap((session, position) => {
    const reason = whyDue(session, position, now, options)
    const isLeft = options.keptOnly === true && session.kind === "readable" && session.metadata.keptFor === undefined
    return session.kind === "unreadable" || reason === undefined || isLeft
      ? []
      : [{ id: session.id, reason, sizeBytes: session.metadata.sizeBytes }]
  })
}

const keptAlways = 10
const day = 86_400_000

/** The newest sessions are kept regardless of age, as are failed, unreadable and unfinished ones. */
function whyDue(session: SessionSummary, position: number, now: Date, options: CleanupOptions): string | undefined {
  const { maxAgeDays = 30, maxSessions = 1000 } = options
  if (session.kind === "unreadable" || position < keptAlways) return undefined
  const { status } = session.metadata
  if (status === "failed" || status === "active") return undefined
  const days = (now.getTime() - lastWritten(session.metadata)) / day
  if (days > maxAgeDays) return `last written to ${Math.floor(days)} days ago`
  return position >= maxSessions ? `${maxSessions} sessions are newer` : undefined
}

/** An invalid time counts as now, so that a typo never removes a session. */
function lastWritten({ createdAt, updatedAt = createdAt }: SessionMetadata): number {
  return instantOfMoment(updatedAt) ?? instantOfMoment(createdAt) ?? Number.POSITIVE_INFINITY
}

/**
 * Checks again under the session's lock, then renames the folder first, so that a half-removed session is never found.
 */
async function removeSession(
  folder: string,
  id: string,
  isStillDue: (session: SessionSummary) => boolean,
): Promise<boolean> {
  const session = join(folder, id)
  if (!existsSync(session)) return false // another process was faster
  return withFolderLock(session, () => {
    if (!isStillDue(summarizeSession(session, id))) return false
    renameFileDurable(session, join(folder, `.removed-${id}`))
    return true
  })
}

/** What killed processes left: sessions half removed, and some that were never begun. One that is just being begun stays. */
function removeLeftovers(folder: string, now: Date): void {
  const justBegun = unfinishedName(makeSessionId("", new Date(now.getTime() - day), "00000000"))
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [, id = ""] = /^\.(?:new|removed)-(.+)$/.exec(name) ?? []
    const isJustBegun = name.startsWith(unfinishedName("")) && name >= justBegun // an id begins with its time
    if (!isSessionId(id) || isJustBegun) continue
    removeFolder(join(folder, name))
  }
}
