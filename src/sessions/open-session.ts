import { withFolderLock } from "../disk/lock.ts"
import { removeTemporaries } from "../disk/write-file-atomic.ts"
import { DreyError, exitCode } from "../errors.ts"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { findAgentFile, nameOfAgent } from "./agent-files.ts"
import { archiveSession } from "./archive-session.ts"
import { deriveMetadata } from "./derive-metadata.ts"
import { endSession } from "./end-session.ts"
import { exportSession } from "./export-session.ts"
import { findSolutions } from "./find-solutions.ts"
import { addMessage } from "./keep-conversation.ts"
import { rebuildMetadata } from "./keep-metadata.ts"
import { updatePlan } from "./keep-plan.ts"
import { changeState } from "./keep-state.ts"
import { markGraduated } from "./mark-graduated.ts"
import { readArchives, readMemories } from "./read-memories.ts"
import { finishAttempt, startAttempt, updateAttempt } from "./record-attempt.ts"
import { recordDecision, recordDiscovery } from "./record-entries.ts"
import { readPlan } from "./refresh-step.ts"
import type { Session } from "./session.ts"
import { openSessionFiles, type SessionFilesOptions } from "./session-files.ts"
import { attemptKey, type SessionParts } from "./session-parts.ts"
import { keepPrivate } from "./sessions-folder.ts"
import { traceEntry } from "./trace-entry.ts"
import { updateContext } from "./update-context.ts"

/** Many agents may write at once, and the lock does not serve them in turn. */
const longestWait = 60_000

/** One session of which the folder is there. */
export function openSession(options: SessionFilesOptions & Pick<SessionParts, "embed">): Session {
  const files = openSessionFiles(options)
  const { id, folder } = files
  const seen: SessionParts["seen"] = { attempts: new Map(), contexts: new Map() }
  /** One operation, however many files it changes, happens at one moment. */
  const change = <Result>(act: (parts: SessionParts) => Result): Promise<Result> => {
    const atOnce = () => {
      keepPrivate(folder, options.warn)
      removeTemporaries(folder)
      const time = options.now()
      return act({ files, warn: options.warn, embed: options.embed, seen, now: () => time })
    }
    return withFolderLock(folder, atOnce, { waitMs: longestWait })
  }
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
    plan: async () => readPlan(files),
    setPlan: (version) => change((parts) => updatePlan(parts, { version })),
    updateStep: (step, changes) => change((parts) => updatePlan(parts, { steps: [{ ...changes, step }] })),
    updatePlan: (changes) => change((parts) => updatePlan(parts, changes)),
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
