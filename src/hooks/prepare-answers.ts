import { Worker } from "node:worker_threads"
import { dreyHome } from "../config.ts"
import { writeInHome } from "../disk/home-files.ts"
import { withLockIfFree } from "../disk/lock.ts"
import { openDrey } from "../drey.ts"
import { endMarkOf } from "./preparation.ts"

/** A repository whose index takes longer has none: its hooks answer nothing, or from an older one. */
const mostMs = 5 * 60_000

/** Brings up to date what hooks answer from, in a process that no client waits for. Two at once would do the same work twice. */
export async function prepareAnswers(root: string | undefined): Promise<void> {
  endAfter(mostMs)
  const drey = openDrey({ ...(root === undefined ? {} : { root }), automatic: true, warn: () => {} }) // the hook itself warns
  const endMark = endMarkOf({ home: dreyHome(process.env), root: drey.root })
  await withLockIfFree(`${endMark}.lock`, async () => {
    await drey.context.build({ isLook: true }) // brings the index up to date, also of a repository that has no guards
    await drey.context.compileGuards()
    writeInHome(endMark, "")
  })
  await drey.close()
}

/** By a thread of its own: reading and parsing let no timer of this one fire. */
function endAfter(ms: number): void {
  new Worker(`setTimeout(() => process.kill(process.pid, "SIGKILL"), ${ms})`, { eval: true }).unref()
}
