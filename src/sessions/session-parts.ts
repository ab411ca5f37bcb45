import type { Attempt, MemoryContext } from "../formats/session/agent-memory.ts"
import type { Embed } from "./find-similar-attempt.ts"
import type { SessionFiles } from "./session-files.ts"

/** What every operation on one session works with. */
export type SessionParts = {
  files: SessionFiles
  now: () => Date
  warn: (message: string) => void
  /** Finds an approach again in other words; without it, by its words alone. */
  embed?: Embed | undefined
  /** What whoever holds this session was last shown: what differs from it in the file was changed by somebody else. */
  seen: {
    /** By agent and id. */
    attempts: Map<string, Attempt>
    /** By agent. */
    contexts: Map<string, MemoryContext>
  }
}

export function attemptKey(agent: string, id: string): string {
  return `${agent}\n${id}`
}
