import { type ChildProcess, type StdioOptions, spawn } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { dreyHome } from "../config.ts"
import { sha256 } from "../disk/hash.ts"
import { makeHomeFolder, writeInHome } from "../disk/home-files.ts"
import { isSyncDue } from "../server/client/sync-due.ts"

export type BackgroundPlace = {
  /** How to start this program again. */
  program: string
  root: string
  home: string
  environment: NodeJS.ProcessEnv
}

/** After this long, the process id may belong to another process. */
const mostAgeMs = 10 * 60_000

/** Starts a command that outlives this process, unless one is already running for the same repository. */
export function startInBackground(args: readonly string[], place: BackgroundPlace): ChildProcess | undefined {
  const mark = markOf(args[0] ?? "", place)
  if (isProcessRunning(mark)) return undefined
  makeHomeFolder(dirname(mark))
  const child = spawnBeside(args, place, "ignore")
  if (child.pid !== undefined) writeInHome(mark, String(child.pid))
  return child
}

/** The file with the id of the process that runs a command for a repository. */
export function markOf(command: string, { home, root }: Pick<BackgroundPlace, "home" | "root">): string {
  return join(home, "hooks", "running", `${command}-${sha256(root).slice(0, 12)}`)
}

/** Heap limit of processes that read a team folder for a hook. 21 MB of entries need half of it. */
const heapLimit = "--max-old-space-size=768"

/** Starts a detached process that this one does not wait for. */
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
  child.on("error", () => {}) // it could not be started; the work is done another time
  child.unref()
  return child
}

export function isProcessRunning(mark: string): boolean {
  const found = statSync(mark, { throwIfNoEntry: false })
  if (!found || Date.now() - found.mtimeMs > mostAgeMs) return false
  try {
    return process.kill(Number(readFileSync(mark, "utf8")), 0)
  } catch {
    return false // it has ended
  }
}

/** Starts a due sync with the user's team in another process, so that answers never wait for the network. */
export function syncInBackground(place: Omit<BackgroundPlace, "home">): void {
  const home = dreyHome(place.environment)
  if (!isSyncDue(home, new Date())) return
  try {
    startInBackground(["team", "sync", "--background"], { ...place, home })
  } catch {
    // If no process can be started, another process or the user syncs later; the answer is not affected.
  }
}

/** A long history is indexed by a process of its own; the next search continues if that could not be started. */
export function indexHistoryInBackground(place: Omit<BackgroundPlace, "home">): void {
  startInBackground(["reindex", "--past"], { ...place, home: dreyHome(place.environment) })
}
