import { join } from "node:path"
import { removeTemporaries } from "../disk/atomic-write.ts"
import { withFolderLock } from "../disk/lock.ts"
import { DreyError, exitCode } from "../errors.ts"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import type { SessionMetadata } from "../formats/session/sibling-schemas.ts"
import type { YamlEdit } from "../formats/session/yaml-tree.ts"
import { eachAgent, findAgentFile, listAgentFiles, nameOfAgent, readArchives, readMemories } from "./agent-files.ts"
import { attemptEdits, closingOf, finishAttempt, startAttempt, updateAttempt } from "./attempts.ts"
import { listEntries, traceEntry } from "./entry-references.ts"
import { type Keeping, keepWorks, type ObservedWork, recordWorks, type WrittenHashes } from "./observed-work.ts"
import { addMessage, recordDecision, recordDiscovery } from "./recorded-entries.ts"
import type { GraduationMark, Session, SessionExport, Sessions } from "./session-api.ts"
import { archiveSession } from "./session-archive.ts"
import { type Migrations, openSessionFiles, type SessionFiles, type SessionFilesOptions } from "./session-files.ts"
import { cleanupSessions, keepPrivate, startSession } from "./session-folder.ts"
import { clearContent, requireOneOf } from "./session-input.ts"
import { findSession, listSessions, stampSessions } from "./session-list.ts"
import { changeMemory, updateContext } from "./session-memory.ts"
import { deriveMetadata, rebuildMetadata } from "./session-metadata.ts"
import { attemptKey, runFollowUp, type SessionParts } from "./session-parts.ts"
import { readPlan, updatePlan } from "./session-plan.ts"
import { changeState, isEnd } from "./session-state.ts"
import { validateSessions } from "./session-validation.ts"
import { findSolutions } from "./similar-attempts.ts"

export type SessionsOptions = {
  /** The folder of all sessions; it need not exist yet. */
  folder: string
  now: () => Date
  /** Eight random hexadecimal digits. */
  makeHex: () => string
  warn: (message: string) => void
  embed?: SessionParts["embed"]
  migrations?: Migrations
}

/** The sessions of a repository. Nothing is made before the first session starts. */
export function openSessions({ folder, makeHex, ...options }: SessionsOptions): Sessions {
  const openIn = (id: string, setAside?: boolean) => openSession({ ...options, id, folder: join(folder, id), setAside })
  return {
    folder,
    start: async (request) => openIn(startSession(folder, request, options.now(), makeHex)),
    open: async (id, { setAside, newest } = {}) =>
      openIn(findSession(folder, id, { newest: newest === true }), setAside),
    list: async (which) => listSessions(folder, which),
    stamp: async () => stampSessions(folder),
    cleanup: (limits) => cleanupSessions(folder, options.now(), limits),
    validate: async (paths) => validateSessions(folder, paths),
  }
}

/** Many agents may write at once, and the lock does not serve them in turn. */
const longestWait = 60_000

type OneSessionOptions = SessionFilesOptions & Pick<SessionParts, "embed">

/**
 * Adds what Drey observed of the agents' work, and ends its own session if the work has ended. Returns a record of what was
 * written: entries that were changed since by someone else are left to them.
 */
export function keepInSession(
  options: OneSessionOptions,
  works: readonly ObservedWork[],
  keeping: Keeping,
): Promise<WrittenHashes> {
  const { change } = openChanges(options)
  return change((parts) => {
    const written = keepWorks(parts, works, keeping.written)
    if (!keeping.hasEnded || !isKept(parts)) return written
    endSession(parts, {})
    return recordWorks(parts, written)
  })
}

/** Whether Drey started it: any other session is ended by those who started it. */
function isKept({ files }: SessionParts): boolean {
  return files.readValid("metadata", files.pathOf("metadata"))?.data.keptFor !== undefined
}

/** One operation, however many files it changes, happens at one moment. */
function openChanges(options: OneSessionOptions) {
  const files = openSessionFiles(options)
  const { folder } = files
  const seen: SessionParts["seen"] = { attempts: new Map(), contexts: new Map() }
  const change = <Result>(act: (parts: SessionParts) => Result): Promise<Result> => {
    const atOnce = () => {
      keepPrivate(folder, options.warn)
      removeTemporaries(folder)
      const time = options.now()
      return act({ files, warn: options.warn, embed: options.embed, seen, now: () => time })
    }
    return withFolderLock(folder, atOnce, { waitMs: longestWait })
  }
  return { files, seen, change }
}

/** One session of which the folder is there. */
export function openSession(options: OneSessionOptions): Session {
  const { files, seen, change } = openChanges(options)
  const { id, folder } = files
  const oldMetadata = () => files.readValid("metadata", files.pathOf("metadata"))?.data

  return {
    id,
    folder,
    async memories({ agent, ...options } = {}) {
      const memories = onlyOf(nameOfAgent(agent), readMemories(files, options))
      for (const [agent, { attempts, context }] of memories) {
        for (const attempt of attempts) seen.attempts.set(attemptKey(agent, attempt.id), attempt)
        if (context) seen.contexts.set(agent, context)
      }
      return memories
    },
    firstAgent: async () => findAgentFile(files, undefined).agent,
    agentNamed: async (agent) => nameOfAgent(agent) ?? findAgentFile(files, undefined).agent,
    metadata: async () => deriveMetadata(files, oldMetadata()),
    async state() {
      const state = files.read("context", files.pathOf("context"))?.data
      if (state) return state
      throw new DreyError(`${files.pathOf("context")} does not exist`)
    },
    updateState: (changes) => change((parts) => changeState(parts, () => changes)),
    addDiscovery: (agent, discovery) => change((parts) => recordDiscovery(parts, nameOfAgent(agent), discovery)),
    startAttempt: (agent, attempt) => change((parts) => startAttempt(parts, nameOfAgent(agent), attempt)),
    updateAttempt: (id, changes, { agent } = {}) =>
      change((parts) => updateAttempt(parts, id, changes, nameOfAgent(agent))),
    finishAttempt: (id, end, { agent } = {}) => change((parts) => finishAttempt(parts, id, end, nameOfAgent(agent))),
    addDecision: (agent, decision) => change((parts) => recordDecision(parts, nameOfAgent(agent), decision)),
    updateContext: (agent, changes) => change((parts) => updateContext(parts, nameOfAgent(agent), changes)),
    plan: {
      read: async () => readPlan(files),
      set: (version) => change((parts) => updatePlan(parts, { version })),
      updateStep: (step, changes) => change((parts) => updatePlan(parts, { steps: [{ ...changes, step }] })),
      update: (changes) => change((parts) => updatePlan(parts, changes)),
    },
    addMessage: (message) => change((parts) => addMessage(parts, message)),
    messages: async () => files.readOrWarn("conversation", files.pathOf("conversation"))?.data.messages ?? [],
    trace: async (id, options) => traceEntry({ live: readMemories(files), archived: readArchives(files) }, id, options),
    solutions: async () => findSolutions(readMemories(files, { archived: true })),
    archive: async ({ dryRun = false } = {}) => {
      if (dryRun) return archiveSession(files, options.now(), { dryRun })
      return change((parts) => {
        const archivings = archiveSession(files, parts.now())
        rebuildMetadata(parts)
        return archivings
      })
    },
    end: (options = {}) => change((parts) => endSession(parts, options)),
    markGraduated: (marks) => change(() => markGraduated(files, marks)),
    export: async () => exportSession(files, deriveMetadata(files, oldMetadata())),
  }
}

/** One agent's alone, where one is named. */
function onlyOf(agent: string | undefined, memories: Map<string, AgentMemory>): Map<string, AgentMemory> {
  if (agent === undefined) return memories
  const memory = memories.get(agent)
  if (memory) return new Map([[agent, memory]])
  throw new DreyError(`This session has no agent ${agent}`, {
    hint: `Its agents are ${[...memories.keys()].join(", ")}.`,
    exitCode: exitCode.no,
  })
}

export type SessionEnd = { status?: "complete" | "failed" | "cancelled"; summary?: string }

/**
 * Closes open attempts as partial and notes how the session went. Of a session that has ended already the first end counts, unless a
 * status is given.
 */
function endSession(parts: SessionParts, { status: given, summary }: SessionEnd): SessionMetadata {
  requireOneOf("status", given, ["complete", "failed", "cancelled"])
  const { files, now } = parts
  const old = files.readValid("metadata", files.pathOf("metadata"))?.data
  const first = old && isEnd(old.status) ? old.status : undefined
  const status = given ?? first ?? "complete"
  if (first !== undefined)
    parts.warn(`This session had already ended as ${first}${status === first ? "" : `; now it counts as ${status}`}`)
  eachAgent(files, (file) =>
    changeMemory(parts, file, ({ attempts }) =>
      attempts.flatMap((attempt, index) =>
        attempt.result === "in_progress"
          ? attemptEdits(parts, file.agent, attempt, index, closingOf(attempt, now()))
          : [],
      ),
    ),
  )
  runFollowUp(parts, () => changeState(parts, () => ({ state: status })))
  return rebuildMetadata(parts, {
    status,
    endedAt: old?.endedAt ?? now().toISOString(),
    ...(summary === undefined ? {} : { resultSummary: clearContent(summary) }),
  })
}

/** Everything in a session's files as one value, archived entries in their place among the others. */
function exportSession(files: SessionFiles, metadata: SessionMetadata): SessionExport {
  return {
    id: files.id,
    metadata,
    state: files.readOrWarn("context", files.pathOf("context"))?.data,
    plans: files.readOrWarn("plan", files.pathOf("plan"))?.data.plans ?? [],
    messages: files.readOrWarn("conversation", files.pathOf("conversation"))?.data.messages ?? [],
    agents: [...readMemories(files, { archived: true }).values()],
  }
}

/** Records in entries what they became, in the agent's file or its archive. Call it under the session's lock. */
function markGraduated(files: SessionFiles, marks: readonly GraduationMark[]): void {
  for (const { agent, path, archivePath } of listAgentFiles(files)) {
    const own = new Map(marks.filter((mark) => mark.agent === agent).map(({ id, to }) => [id, to]))
    for (const each of own.size === 0 ? [] : [path, archivePath]) {
      const stored = files.read("memory", each)
      if (stored && editsFor(stored.data, own).length > 0)
        files.change("memory", each, ({ data }) => editsFor(data, own))
    }
  }
}

function editsFor(memory: AgentMemory, own: ReadonlyMap<string, string>): YamlEdit[] {
  return listEntries(memory).flatMap(({ section, index, entry }) => {
    const to = own.get(entry.id)
    if (to === undefined || entry.graduatedTo !== undefined) return []
    return { op: "set", path: [section, index, "graduatedTo"], value: to } as const
  })
}
