import { spawn } from "node:child_process"
import { closeSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { makeFolder, writeFileAtomic } from "../disk/atomic-write.ts"
import { appendToHome, openInHome, removeFromHome, renameInHome } from "../disk/home-files.ts"
import { withLockIfFree } from "../disk/lock.ts"
import { startStalenessLoop, startTeamSyncLoop } from "../drey/background-loops.ts"
import { type Drey, openDrey } from "../drey.ts"
import { DreyError, exitCode } from "../errors.ts"
import type { ChangeEvent, ChangeFeed } from "../learning/change-feed.ts"
import type { Ingestion } from "../learning/ingest.ts"
import type { LearningProject } from "../learning/learning-parts.ts"
import { listen } from "./listener.ts"
import { allMethods, type ServiceState } from "./methods.ts"
import { openProjects } from "./project-pool.ts"
import { findWatch, type RunningWatch } from "./rpc-client.ts"
import { watchPaths } from "./socket.ts"

export type WatchRun = {
  /** A folder of the project that it is started in; the others that Drey learns from are watched too. */
  root?: string | undefined
  environment: NodeJS.ProcessEnv
  pollMs?: number | undefined
  /** Stops it, as does a `shutdown` request. */
  signal: AbortSignal
  onReady?: (state: ServiceState, projects: LearningProject[]) => void
  onRound?: (ingestion: Ingestion) => void
  onChange?: (event: ChangeEvent) => void
  warn: (message: string) => void
}

const defaultPollMs = 2000

/** Watches transcripts and serves the socket until stopped. One process per user; a second one returns at once. */
export async function runWatch(run: WatchRun): Promise<{ kind: "ended" | "runs already" }> {
  const place = watchPaths(run.environment)
  makeFolder(dirname(place.lock), 0o700)
  const outcome = await withLockIfFree(place.lock, async () => {
    const state = { pid: process.pid, socket: place.socket, started: new Date().toISOString() }
    writeFileAtomic(place.record, `${JSON.stringify(state)}\n`, { mode: 0o600 })
    try {
      await serveAndWatch(run, state)
    } finally {
      removeFromHome(place.record)
    }
  })
  return { kind: outcome.kind === "held" ? "runs already" : "ended" }
}

/** Background work only runs in trusted repositories. */
async function trustedOnly(dreys: readonly Drey[]): Promise<Drey[]> {
  const trusts = await Promise.all(dreys.map((drey) => drey.team.trust()))
  return dreys.filter((_, at) => trusts[at]?.kind === "trusted")
}

async function serveAndWatch(run: WatchRun, state: ServiceState): Promise<void> {
  const { environment, warn, pollMs = defaultPollMs } = run
  const drey = openDrey({ environment, warn, ...(run.root === undefined ? {} : { root: run.root }) })
  const learning = drey.memories
  const projects = openProjects({ listed: learning.transcripts.projects, environment, warn })
  const stopping = new AbortController()
  const signal = AbortSignal.any([run.signal, stopping.signal])
  const methods = allMethods({ projects, drey, learning, state, stop: () => stopping.abort() })
  const service = await listen(state.socket, methods, warn)
  const changes = followChanges(await learning.transcripts.changes(), { pollMs, onChange: run.onChange, warn })
  void startTeamSyncLoop({ root: run.root, environment, signal, warn })
  const repositories = async () => {
    const roots = (await learning.transcripts.projects()).map(({ root }) => root)
    const opened = roots.map((root) => projects.at(root).catch(() => undefined)) // one that is gone stops none of the others
    const dreys = (await Promise.all(opened)).flatMap((project) => (project ? [project.drey] : []))
    return trustedOnly(dreys)
  }
  const notes = startStalenessLoop({ repositories, keepsUp: true, signal, warn })
  try {
    await changes.look() // before anything is learned: existing items are not reported
    run.onReady?.(state, await learning.transcripts.projects())
    await learning.transcripts.watch({
      signal,
      pollMs,
      onRound(ingestion) {
        run.onRound?.(ingestion)
        void changes.look()
      },
    })
  } finally {
    stopping.abort()
    await notes
    await changes.end()
    await service.close()
    await projects.close()
    await drey.close()
  }
}

const patienceMs = 20_000

/** Starts this program again in the background with `args`, and waits until it answers. */
export async function startWatch(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<{ watch: RunningWatch; isNew: boolean }> {
  const running = await findWatch(environment)
  if (running) return { watch: running, isNew: false }
  const { log } = watchPaths(environment)
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
    if (watch) return { watch, isNew: watch.pid === child.pid } // two started at once agree on which one runs
    if (child.signalCode !== null || (child.exitCode ?? 0) !== 0) break // one that exited with success found another, which may not answer yet
    await pause(50)
  }
  throw new DreyError("The watch did not start", { hint: `See ${log}.`, exitCode: exitCode.no })
}

export type FollowOptions = {
  pollMs: number
  onChange: ((event: ChangeEvent) => void) | undefined
  warn: (message: string) => void
}

/** Polls a feed and forwards its events until `end`, which polls one last time. Repeated errors are reported once. */
export function followChanges(feed: ChangeFeed, { pollMs, onChange, warn }: FollowOptions) {
  let last = Promise.resolve()
  let waiting = 0
  let told: string | undefined
  const lookNow = async () => {
    try {
      for (const event of await feed.next()) onChange?.(event)
      told = undefined
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const isBug = error instanceof Error && !(error instanceof DreyError)
      if (message !== told) warn(`changes could not be read: ${isBug ? error.stack : message}`)
      told = message
    }
    waiting--
  }
  const look = (): Promise<void> => {
    waiting++
    last = last.then(lookNow) // one at a time: each poll compares with the previous one
    return last
  }
  const tick = () => {
    if (waiting === 0) void look() // a tick is skipped while a poll is still running
  }
  const timer = onChange ? setInterval(tick, pollMs) : undefined
  return {
    look,
    async end(): Promise<void> {
      clearInterval(timer)
      await look()
    },
  }
}

const mostBytes = 1024 * 1024

/** Appends to a log that only the user can read, rotated after about a megabyte. */
export function openWatchLog(path: string, now: () => Date): (line: string) => void {
  return (line) => {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) renameInHome(path, `${path}.1`)
    appendToHome(path, `${now().toISOString()} ${line}\n`)
  }
}
