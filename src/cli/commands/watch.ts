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
    "Watch transcripts and learn while agents work, in every project that Drey knows; prints what it learned. Press Ctrl-C to stop.",
    "drey watch\ndrey watch --json\ndrey watch --detach",
  )
    .option("--detach", "run in the background, once for all projects; answers on a private socket")
    .option("--status", "show whether a watch is running")
    .option("--stop", "stop the running watch")
    .option("--every <seconds>", "maximum time between two checks", "2")
    .addOption(new Option("--background").hideHelp())
    .action(watch)
}

async function watch(options: WatchOptions): Promise<void> {
  if (options.stop) return stop(options)
  if (options.status) return showStatus(options)
  if (!options.background && openTrust(options).current().kind === "untrusted")
    tell("drey: Drey does not learn from an untrusted repository. Run drey trust first.")
  const pollMs = parseCount(options.every, "seconds", 1, 3600) * 1000
  return options.detach ? detach(options) : stayAndWatch(options, pollMs)
}

async function detach(options: WatchOptions): Promise<void> {
  const drey = openDrey(options)
  await drey.memories.transcripts.projects() // registers this project with a running watch
  await drey.close()
  const args = ["watch", "--background", "--root", drey.root, "--every", options.every]
  const { watch: running, isNew } = await startWatch(args, process.env)
  print(
    options,
    () => ({ ...running, isNew }),
    () =>
      `${isNew ? "Watching" : "Already watching"} in the background: process ${running.pid}, socket ${running.socket}.`,
  )
}

async function stop(options: WatchOptions): Promise<void> {
  const stopped = await stopWatch(process.env)
  print(
    options,
    () => ({ stopped: stopped !== undefined, pid: stopped?.pid ?? null }),
    () => (stopped ? `Stopped${stopped.pid === undefined ? "" : ` process ${stopped.pid}`}.` : "No watch is running."),
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
