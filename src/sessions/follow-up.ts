import { DreyError } from "../errors.ts"
import type { SessionParts } from "./session-parts.ts"

/** Does what follows from a change that is on disk already. If that fails the change must not be reported as lost, so it is only told. */
export function followUp({ warn }: SessionParts, act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    warn(`Saved, but a follow-up step failed: ${error.message}`)
  }
}
