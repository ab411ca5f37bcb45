import { statSync } from "node:fs"
import { appendToHome, renameInHome } from "../disk/home-files.ts"

const mostBytes = 1024 * 1024

/** Appends to a log that only the user can read, rotated after about a megabyte. */
export function openWatchLog(path: string, now: () => Date): (line: string) => void {
  return (line) => {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) renameInHome(path, `${path}.1`)
    appendToHome(path, `${now().toISOString()} ${line}\n`)
  }
}
