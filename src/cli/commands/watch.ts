import { basename } from "node:path"
import { type Command, Option } from "commander"
import { readConfig } from "../../config.ts"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { entryTypes } from "../../formats/entry.ts"
import { handleOf } from "../../formats/ids.ts"
import { removeInvisible } from "../../formats/text.ts"
import type { ChangeEvent } from "../../learning/change-feed.ts"
import type { Ingestion } from "../../learning/ingest.ts"
import { openOnEntry } from "../../rpc/on-entry.ts"
import { findWatch, stopWatch } from "../../rpc/rpc-client.ts"
import { watchPaths } from "../../rpc/socket.ts"
import { openWatchLog, runWatch, startWatch, type WatchRun } from "../../rpc/watch-process.ts"
import { openTrust } from "../../trust.ts"
import { command } from "../command.ts"
import { parseCount } from "../option-values.ts"
import { colors, forTerminal, toJson, writeJson, writeOut } from "../output.ts"
import { type CommonOptions, count, print, printNotice } from "../print.ts"
import { answeringHooks } from "../resident-hooks.ts"
import { postponedText } from "./learning-output.ts"

export type WatchCommandOptions = CommonOptions & {
  detach?: boolean
  stop?: boolean
  status?: boolean
  every: string
  notify?: string
  stdio?: boolean
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
    .option(
      "--notify <types>",
      "show only what is new of these types, such as decision,directive,guard, and ring the terminal's bell",
    )
    .option("--stdio", "answer the editor that started it, on stdin and stdout; see docs/rpc.md")
    .addOption(new Option("--background").hideHelp())
    .action(watch)
}

async function watch(options: WatchCommandOptions): Promise<void> {
  if (options.stop) return stop(options)
  if (options.status) return showStatus(options)
  if (options.stdio) return serveEditor(options)
  if (!options.background && openTrust(options).current().kind === "untrusted")
    printNotice("drey: Drey does not learn from an untrusted repository. Run drey trust first.")
  const pollMs = parseCount(options.every, "seconds", 1, 3600) * 1000
  if (options.notify !== undefined) parseTypes(options.notify) // before a process in the background is started
  return options.detach ? detach(options) : watchInForeground(options, pollMs)
}

async function serveEditor(options: WatchCommandOptions): Promise<void> {
  const { serveStreams } = await import("../../rpc/stdio.ts")
  const { thisProgram } = await import("./connect.ts")
  const ending = new AbortController()
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => ending.abort())
  await serveStreams({
    root: options.root,
    environment: process.env,
    pollMs: parseCount(options.every, "seconds", 1, 3600) * 1000,
    signal: ending.signal,
    program: thisProgram(),
    warn: (message) => printNotice(`drey: ${message}`),
  })
}

const known: readonly string[] = [...entryTypes, "preference", "invariant", "pattern", "guard"]

function parseTypes(text: string): string[] {
  const types = text.split(",").map((type) => type.trim().toLowerCase())
  const wrong = types.find((type) => !known.includes(type))
  if (wrong === undefined) return types
  throw new DreyError(`"${wrong}" is not a type of entry or memory`, { hint: `Use some of ${known.join(", ")}.` })
}

async function detach(options: WatchCommandOptions): Promise<void> {
  const drey = openDrey(options)
  await drey.memories.transcripts.projects() // registers this project with a running watch
  await drey.close()
  const args = ["watch", "--background", "--root", drey.root, "--every", options.every]
  if (options.notify !== undefined) args.push("--notify", options.notify)
  const { watch: running, isNew } = await startWatch(args, process.env)
  print(
    options,
    () => ({ ...running, isNew }),
    () =>
      `${isNew ? "Watching" : "Already watching"} in the background: process ${running.pid}, socket ${running.socket}.`,
  )
}

async function stop(options: WatchCommandOptions): Promise<void> {
  const stopped = await stopWatch(process.env)
  print(
    options,
    () => ({ stopped: stopped !== undefined, pid: stopped?.pid ?? null }),
    () => (stopped ? `Stopped${stopped.pid === undefined ? "" : ` process ${stopped.pid}`}.` : "No watch is running."),
  )
}

async function showStatus(options: WatchCommandOptions): Promise<void> {
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

/** Watches until a signal. Learned items go to stdout, notices to stderr; in the background both go to the log. */
export async function watchInForeground(
  options: CommonOptions & { background?: boolean; notify?: string },
  pollMs = 2000,
): Promise<void> {
  const types = options.notify === undefined ? undefined : parseTypes(options.notify)
  const ending = new AbortController()
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => ending.abort()) // a second signal kills the process
  const file = options.background ? openWatchLog(watchPaths(process.env).log, () => new Date()) : undefined
  const log = file && ((line: string) => file(forTerminal(line)))
  const say = log ?? printNotice
  const roots = new Map<string, string>()
  const { onEntry: hook } = readConfig(undefined, process.env).hooks
  const warn = (message: string) => say(`drey: ${message}`)
  const onEntry = hook.length > 0 ? openOnEntry({ command: hook, environment: process.env, warn }) : undefined
  const bell = types && process.stdout.isTTY ? "\u0007" : ""
  const run: WatchRun = {
    root: options.root,
    environment: process.env,
    pollMs,
    signal: ending.signal,
    onReady(state, projects) {
      for (const { id, root } of projects) roots.set(id, root)
      say(`Watching ${count(projects.length, "project")}; process ${state.pid}, socket ${state.socket}`)
      for (const { root } of projects) say(`  ${root}`)
    },
    onRound: (ingestion) => tellRound(ingestion, say),
    onChange(event) {
      const isNews = event.event === "appeared" && (types === undefined || types.includes(event.type))
      if (isNews) onEntry?.tell(event)
      if (types && !isNews) return
      if (log) log(options.json ? toJson(event, 0) : toLine(event, roots))
      else if (options.json) writeJson(event, 0)
      else writeOut(`${bell}${toLine(event, roots)}\n`, { paged: false })
    },
    warn,
  }
  const { kind } = await answeringHooks(() => runWatch(run))
  await onEntry?.end()
  if (kind === "ended") return say("Stopped.")
  const running = await findWatch(process.env)
  say(`A watch is already running${running ? `: process ${running.pid}, socket ${running.socket}` : ""}.`)
  process.exitCode = exitCode.done
}

function tellRound({ learned, unreadable }: Ingestion, say: (line: string) => void): void {
  for (const line of postponedText(learned.postponed)) say(`drey: ${line}`)
  for (const { path, message } of unreadable) say(`drey: skipped ${path}: ${message}`)
}

const words = { appeared: "new", changed: "changed", ended: "ended" } as const
const paint = { appeared: colors.green, changed: colors.yellow, ended: colors.dim }

function toLine({ event, what, id, title, status, project }: ChangeEvent, roots: ReadonlyMap<string, string>): string {
  const place = project === null ? "everywhere" : basename(roots.get(project) ?? project)
  const name = what === "memory" ? `[${handleOf(id)}]` : `[${id}]`
  return `${paint[event](words[event].padEnd(7))}  ${what} ${name} ${removeInvisible(title)} ${colors.dim(`(${status}, ${place})`)}`
}
