import type { Attempt, MemoryContext } from "../formats/session/agent-memory.ts"
import type { Embed } from "./find-similar-attempt.ts"
import type { SessionFiles } from "./session-files.ts"

/** The dependencies of every operation on one session. */
export type SessionParts = {
  files: SessionFiles
  now: () => Date
  warn: (message: string) => void
  /** Finds an approach in other words; without it only words are compared. */
  embed?: Embed | undefined
  /** What the caller of this session last saw: a difference in the file is another process's change. */
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
