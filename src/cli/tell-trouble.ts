import { exitCode } from "../errors.ts"
import type { Trouble } from "../recall/trouble.ts"
import { tell } from "./print.ts"

/** What was skipped, and what else the person should know; an answer that may be incomplete ends with exit code 1. */
export function tellTrouble({ unreadable, conflicts }: Trouble): void {
  for (const { message } of unreadable) tell(`drey: skipped: ${message}`)
  for (const { path, line } of conflicts)
    tell(`drey: ${path}:${line} has a merge conflict that is not resolved; its lines were skipped`)
  if (unreadable.length > 0 || conflicts.length > 0) process.exitCode = exitCode.no
}
