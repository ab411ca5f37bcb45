import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import { findWatch, stopWatch } from "../../rpc/find-watch.ts"
import { startWatch } from "../../rpc/start-watch.ts"
import { openTrust } from "../../trust.ts"
import { command } from "../command.ts"
import { parseCount } from "../parse-count.ts"
import { type CommonOptions, count, print, tell } from "../print.ts"
import { stayAndWatch } from "../stay-and-watch.ts"

export type WatchOptions = CommonOptions & {
  detach?: boolean
  stop?: boolean
  status?: boolean
  every: string
  /** Set for the process that --detach starts. */
  background?: boolean
}

export function watchCommand(): Command {
  return command(
    "watch",
    "Learn from the work while it is done: reads what coding agents write to their transcripts, in every project that Drey learns from, and tells what it learned. Ends with Ctrl-C.",
    "drey watch\ndrey watch --json\ndrey watch --detach",
  )
    .option("--detach", "run in the background, once for all projects; answers on a private socket")
    .option("--status", "tell whether it runs in the background or elsewhere")
    .option("--stop", "end the one that runs")
    .option("--every <seconds>", "the longest time between two looks", "2")
    .addOption(new Option("--background").hideHelp())
    .action(watch)
}

async function watch(options: WatchOptions): Promise<void> {
  if (options.stop) return stop(options)
  if (options.status) return showStatus(options)
  if (!options.background && openTrust(options).current().kind === "untrusted")
    tell("drey: nothing is learned in this repository while it is not trusted. Run drey trust first.")
  const pollMs = parseCount(options.every, "seconds", 1, 3600) * 1000
  return options.detach ? detach(options) : stayAndWatch(options, pollMs)
}

async function detach(options: WatchOptions): Promise<void> {
  const drey = openDrey(options)
  await drey.memories.transcripts.projects() // makes this one known to a watch that runs already
  await drey.close()
  const args = ["watch", "--background", "--root", drey.root, "--every", options.every]
  const { watch: running, isNew } = await startWatch(args, process.env)
  print(
    options,
    () => ({ ...running, isNew }),
    () =>
      `${isNew ? "Watching" : "Watching already"} in the background: process ${running.pid}, socket ${running.socket}.`,
  )
}

async function stop(options: WatchOptions): Promise<void> {
  const stopped = await stopWatch(process.env)
  print(
    options,
    () => ({ stopped: stopped !== undefined, pid: stopped?.pid ?? null }),
    () => (stopped ? `Ended${stopped.pid === undefined ? "" : ` process ${stopped.pid}`}.` : "No watch is running."),
  )
}

async function showStatus(options: WatchOptions): Promise<void> {
  const running = await findWatch(process.env)
  if (!running) process.exitCode = exitCode.no
  print(
    options,
    () => (running ? { running: true, ...running } : { running: false }),
    () =>
      running
        ? [
            `Watching ${count(running.projects.length, "project")} since ${running.started}: process ${running.pid}, socket ${running.socket}.`,
            ...running.projects.map(({ root }) => `  ${root}`),
          ].join("\n")
        : "No watch is running.",
  )
}
