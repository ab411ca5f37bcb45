import { exitCode } from "../errors.ts"
import type { Trouble } from "../recall/trouble.ts"
import { tell } from "./print.ts"

/** Warns about skipped files and conflicts; a possibly incomplete answer ends with exit code 1. */
export function tellTrouble({ unreadable, conflicts }: Trouble): void {
  for (const { message } of unreadable) tell(`drey: skipped: ${message}`)
  for (const { path, line } of conflicts)
    tell(`drey: ${path}:${line} has an unresolved merge conflict; its lines were skipped`)
  if (unreadable.length > 0 || conflicts.length > 0) process.exitCode = exitCode.no
}
