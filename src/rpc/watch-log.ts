import { statSync } from "node:fs"
import { appendToHome, renameInHome } from "../disk/home-files.ts"

const mostBytes = 1024 * 1024

/** Adds lines to a file that only the user can read; what is older than the last megabyte or two goes. */
export function openWatchLog(path: string, now: () => Date): (line: string) => void {
  return (line) => {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) renameInHome(path, `${path}.1`)
    appendToHome(path, `${now().toISOString()} ${line}\n`)
  }
}
