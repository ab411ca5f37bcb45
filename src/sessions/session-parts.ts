import { DreyError } from "../errors.ts"
import type { Attempt, MemoryContext } from "../formats/session/agent-memory.ts"
import type { SessionFiles } from "./session-files.ts"
import type { EmbedText } from "./similar-attempts.ts"

/** The dependencies of every operation on one session. */
export type SessionParts = {
  files: SessionFiles
  now: () => Date
  warn: (message: string) => void
  /** Finds an approach in other words; without it only words are compared. */
  embed?: EmbedText | undefined
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

/**
 * Runs a follow-up step of a change that is already saved. A failure is only a warning: the change must not be reported
 * as lost.
 */
export function runFollowUp({ warn }: SessionParts, act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    warn(`Saved, but a follow-up step failed: ${error.message}`)
  }
}
