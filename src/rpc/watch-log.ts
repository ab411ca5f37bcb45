import { appendFileSync, renameSync, statSync } from "node:fs"

const mostBytes = 1024 * 1024

/** Adds lines to a file that only the user can read; what is older than the last megabyte or two goes. */
export function openWatchLog(path: string, now: () => Date): (line: string) => void {
  return (line) => {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) renameSync(path, `${path}.1`)
    appendFileSync(path, `${now().toISOString()} ${line}\n`, { mode: 0o600 })
  }
}
