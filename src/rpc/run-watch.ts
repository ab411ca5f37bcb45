import { dirname } from "node:path"
import { removeFromHome } from "../disk/home-files.ts"
import { withLockIfFree } from "../disk/lock.ts"
import { makeFolder, writeFileAtomic } from "../disk/write-file-atomic.ts"
import { type Drey, openDrey } from "../drey.ts"
import { keepNotes } from "../keep-notes.ts"
import { keepSynced } from "../keep-synced.ts"
import type { ChangeEvent } from "../learning/change-feed.ts"
import type { Ingestion } from "../learning/ingest.ts"
import type { Project } from "../learning/learning-parts.ts"
import { allMethods } from "./all-methods.ts"
import { followChanges } from "./follow-changes.ts"
import { listen } from "./listen.ts"
import { openProjects } from "./open-projects.ts"
import type { ServiceState } from "./service-methods.ts"
import { watchPlaceOf } from "./watch-place.ts"

export type WatchRun = {
  /** A folder of the project that it is started in; the others that Drey learns from are watched too. */
  root?: string | undefined
  environment: NodeJS.ProcessEnv
  pollMs?: number | undefined
  /** Stops it, as does a `shutdown` request. */
  signal: AbortSignal
  onReady?: (state: ServiceState, projects: Project[]) => void
  onRound?: (ingestion: Ingestion) => void
  onChange?: (event: ChangeEvent) => void
  warn: (message: string) => void
}

const defaultPollMs = 2000

/** Watches transcripts and serves the socket until stopped. One process per user; a second one returns at once. */
export async function runWatch(run: WatchRun): Promise<{ kind: "ended" | "runs already" }> {
  const place = watchPlaceOf(run.environment)
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
  void keepSynced({ root: run.root, environment, signal, warn })
  const repositories = async () => {
    const roots = (await learning.transcripts.projects()).map(({ root }) => root)
    const opened = roots.map((root) => projects.at(root).catch(() => undefined)) // one that is gone stops none of the others
    const dreys = (await Promise.all(opened)).flatMap((project) => (project ? [project.drey] : []))
    return trustedOnly(dreys)
  }
  const notes = keepNotes({ repositories, signal, warn })
  try {
    await changes.look() // before anything is learned: what is there now is no news
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
