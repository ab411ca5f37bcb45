import { Worker } from "node:worker_threads"
import { dreyHome } from "../config.ts"
import { writeInHome } from "../disk/home-files.ts"
import { withLockIfFree } from "../disk/lock.ts"
import { openDrey } from "../drey.ts"
import { endMarkOf } from "./prepared-answers.ts"

/** A repository whose index takes longer has none: its hooks return nothing, or use an older one. */
const mostMs = 5 * 60_000

/** Updates the index and guards that hooks use, in a process that no client waits for; at most one at a time. */
export async function prepareAnswers(root: string | undefined): Promise<void> {
  endAfter(mostMs)
  const drey = openDrey({ ...(root === undefined ? {} : { root }), automatic: true, warn: () => {} }) // the hook itself warns
  const endMark = endMarkOf({ home: dreyHome(process.env), root: drey.root })
  await withLockIfFree(`${endMark}.lock`, async () => {
    await drey.context.build({ isLook: true }) // updates the index, also in a repository without guards
    await drey.context.compileGuards()
    writeInHome(endMark, "")
  })
  await drey.close()
}

/** In a worker thread: synchronous reading and parsing would block a timer of the main thread. */
function endAfter(ms: number): void {
  new Worker(`setTimeout(() => process.kill(process.pid, "SIGKILL"), ${ms})`, { eval: true }).unref()
}
