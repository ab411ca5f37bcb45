import { DreyError } from "../errors.ts"
import type { SessionParts } from "./session-parts.ts"

/**
 * Runs a follow-up step of a change that is already saved. A failure is only a warning: the change must not be reported
 * as lost.
 */
export function followUp({ warn }: SessionParts, act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    warn(`Saved, but a follow-up step failed: ${error.message}`)
  }
}
