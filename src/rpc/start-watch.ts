import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { dirname } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { openInHome } from "../disk/home-files.ts"
import { makeFolder } from "../disk/write-file-atomic.ts"
import { DreyError, exitCode } from "../errors.ts"
import { findWatch, type RunningWatch } from "./find-watch.ts"
import { watchPlaceOf } from "./watch-place.ts"

const patienceMs = 20_000

/** Starts this program again in the background with `args`, and waits until it answers. */
export async function startWatch(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<{ watch: RunningWatch; isNew: boolean }> {
  const running = await findWatch(environment)
  if (running) return { watch: running, isNew: false }
  const { log } = watchPlaceOf(environment)
  makeFolder(dirname(log), 0o700)
  const output = openInHome(log)
  const program = process.argv[1] ?? ""
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
    detached: true,
    stdio: ["ignore", output, output],
    cwd: dirname(log), // not the repository: it may be moved or unmounted meanwhile
    env: environment,
    windowsHide: true,
  })
  closeSync(output)
  child.unref()
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline) {
    const watch = await findWatch(environment)
    if (watch) return { watch, isNew: watch.pid === child.pid } // two started at once agree on who runs
    if (child.signalCode !== null || (child.exitCode ?? 0) !== 0) break // one that ended well found another, which may not answer yet
    await pause(50)
  }
  throw new DreyError("The watch did not start", { hint: `See ${log}.`, exitCode: exitCode.no })
}
