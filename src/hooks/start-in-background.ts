import { spawn } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { makeHomeFolder, writeInHome } from "../disk/home-files.ts"
import { sha256 } from "../disk/sha256.ts"

export type BackgroundPlace = {
  /** The program itself, to be started once more. */
  program: string
  root: string
  home: string
  environment: NodeJS.ProcessEnv
}

/** So long a process is believed to be the one that was started; later, its number may be another's. */
const mostAgeMs = 10 * 60_000

/** Starts a command that goes on when this process has ended. One that is under way for the same repository is not joined by another. */
export function startInBackground(
  args: readonly string[],
  { program, root, home, environment }: BackgroundPlace,
): void {
  const folder = join(home, "hooks", "running")
  const mark = join(folder, `${args[0]}-${sha256(root).slice(0, 12)}`)
  if (isUnderWay(mark)) return
  makeHomeFolder(folder)
  const child = spawn(process.execPath, [program, ...args], {
    cwd: root,
    env: environment,
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  })
  child.on("error", () => {}) // it could not be started; what it would have done is done another time
  child.unref()
  if (child.pid !== undefined) writeInHome(mark, String(child.pid))
}

function isUnderWay(mark: string): boolean {
  const found = statSync(mark, { throwIfNoEntry: false })
  if (!found || Date.now() - found.mtimeMs > mostAgeMs) return false
  try {
    return process.kill(Number(readFileSync(mark, "utf8")), 0)
  } catch {
    return false // it has ended
  }
}
