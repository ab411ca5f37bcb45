import { type ChildProcess, type StdioOptions, spawn } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
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
export function startInBackground(args: readonly string[], place: BackgroundPlace): ChildProcess | undefined {
  const mark = markOf(args[0] ?? "", place)
  if (isUnderWay(mark)) return undefined
  makeHomeFolder(dirname(mark))
  const child = spawnBeside(args, place, "ignore")
  if (child.pid !== undefined) writeInHome(mark, String(child.pid))
  return child
}

/** The file that names the process which runs a command for a repository. */
export function markOf(command: string, { home, root }: Pick<BackgroundPlace, "home" | "root">): string {
  return join(home, "hooks", "running", `${command}-${sha256(root).slice(0, 12)}`)
}

/** Processes that read a team folder for a hook: one that needs more than this is not read. 21 MB of entries need half of it. */
const heapLimit = "--max-old-space-size=768"

/** Starts a process that neither ends with this one nor keeps it from ending. */
export function spawnBeside(
  args: readonly string[],
  { program, root, environment }: BackgroundPlace,
  stdio: StdioOptions,
): ChildProcess {
  const child = spawn(process.execPath, [...(args[0] === "hook" ? [heapLimit] : []), program, ...args], {
    cwd: root,
    env: environment,
    detached: true,
    stdio,
    windowsHide: true,
  })
  child.on("error", () => {}) // it could not be started; what it would have done is done another time
  child.unref()
  return child
}

export function isUnderWay(mark: string): boolean {
  const found = statSync(mark, { throwIfNoEntry: false })
  if (!found || Date.now() - found.mtimeMs > mostAgeMs) return false
  try {
    return process.kill(Number(readFileSync(mark, "utf8")), 0)
  } catch {
    return false // it has ended
  }
}
