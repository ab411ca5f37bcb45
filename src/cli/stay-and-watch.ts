import { basename } from "node:path"
import { exitCode } from "../errors.ts"
import { dropUnseen } from "../formats/drop-unseen.ts"
import { handleOf } from "../formats/memory-handle.ts"
import type { ChangeEvent } from "../learning/change-feed.ts"
import type { Ingestion } from "../learning/ingest.ts"
import { findWatch } from "../rpc/find-watch.ts"
import { runWatch, type WatchRun } from "../rpc/run-watch.ts"
import { openWatchLog } from "../rpc/watch-log.ts"
import { watchPlaceOf } from "../rpc/watch-place.ts"
import { colors, forTerminal } from "./colors.ts"
import { type CommonOptions, count, tell } from "./print.ts"
import { postponedText } from "./show-learning.ts"
import { toJson, writeJson, writeOut } from "./write-out.ts"

/** Watches until a signal. Learned items go to stdout, notices to stderr; in the background both go to the log. */
export async function stayAndWatch(options: CommonOptions & { background?: boolean }, pollMs: number): Promise<void> {
  const ending = new AbortController()
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => ending.abort()) // a second signal kills the process
  const file = options.background ? openWatchLog(watchPlaceOf(process.env).log, () => new Date()) : undefined
  const log = file && ((line: string) => file(forTerminal(line)))
  const say = log ?? tell
  const roots = new Map<string, string>()
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
      if (log) log(options.json ? toJson(event, 0) : toLine(event, roots))
      else if (options.json) writeJson(event, 0)
      else writeOut(`${toLine(event, roots)}\n`, { paged: false })
    },
    warn: (message) => say(`drey: ${message}`),
  }
  const { kind } = await runWatch(run)
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
  return `${paint[event](words[event].padEnd(7))}  ${what} ${name} ${dropUnseen(title)} ${colors.dim(`(${status}, ${place})`)}`
}
