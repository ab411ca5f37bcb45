import { type Config, dreyHome, readConfig } from "./config.ts"
import type { Contexts } from "./drey/contexts.ts"
import type { Search } from "./drey/search.ts"
import { readPolicy } from "./memories/review/policy-file.ts"
import { openNotes } from "./memories/staleness/staleness-notes.ts"
import type { DreyOptions } from "./project.ts"
import { buildContext } from "./recall/context/context-builder.ts"
import { appendContext } from "./recall/context/context-log.ts"
import { openLearnedRecall } from "./recall/learned-recall.ts"
import { asUntrusted } from "./recall/recall-parts.ts"
import { search, shortestIds } from "./recall/search/item-search.ts"
import { openCurrent } from "./recall/sync/current-index.ts"
import { findStore, sessionsRoot, type TeamStore } from "./team/team-folder.ts"
import { requireReadableTeamFolder, trustIfConnected } from "./trust.ts"

/** The part of Drey that answers one query from a current index. */
export type QuickDrey = { root: string; context: Pick<Contexts, "build">; search: Pick<Search, "items" | "shortIds"> }

/**
 * Fast path: the same answers as `openDrey` with a fraction of its code; undefined if work must be done before it can answer.
 * `question`: a context contains no session notes, so it does not check whether they changed.
 */
export async function openQuickDrey(
  question: "search" | "context",
  options: Pick<DreyOptions, "root" | "now" | "environment" | "warn" | "asIs" | "automatic"> = {},
): Promise<QuickDrey | undefined> {
  const environment = options.environment ?? process.env
  const now = options.now ?? (() => new Date())
  const start = options.root ?? environment.DREY_TEAM_ROOT ?? environment.SQUAD_TEAM_ROOT ?? process.cwd()
  const home = dreyHome(environment)
  const store = findStore(start, home)
  requireReadableTeamFolder(home, store)
  const isUntrusted = options.automatic === true && (await trustIfConnected(home, store)).kind !== "trusted"
  const config = readConfig(store.folders[0]?.path, environment)
  if (config.warnings.length > 0 && !options.warn) return undefined // the slow path prints the warnings
  for (const warning of config.warnings) options.warn?.(warning)
  const learned = openLearned(store, home, config, isUntrusted)
  const sessions = question === "search" ? sessionsRoot(store.root, config.sessions.root) : undefined
  const current = await openCurrent(store, home, now, {
    learned,
    sessions,
    asIs: options.asIs === true,
    past: question === "search" ? "current" : "as it is",
  })
  if (!current) return undefined
  const { place } = current
  const all = { ...current.parts, noteOn: openNotes(place.notes, store.root) }
  const parts = isUntrusted ? asUntrusted(all) : all
  const noTrouble = { unreadable: [], conflicts: [] }
  return {
    root: store.root,
    search: {
      items: async (request) => ({ hits: await search(parts, request), ...noTrouble }),
      shortIds: (ids) => shortestIds(ids, current.idsLike),
    },
    context: {
      async build(request) {
        const built = await buildContext(parts, request)
        if (request.isLook === true) return { context: built.context, ...noTrouble }
        await appendContext(place.contexts, built.record)
        if (!isUntrusted) learned?.record(built, request.session)
        return { context: built.context, ...noTrouble }
      },
    },
  }
}

function openLearned(store: TeamStore, home: string, config: Config, isUntrusted: boolean) {
  const [folder] = store.folders
  if (!folder) return undefined
  return openLearnedRecall({
    home,
    store,
    project: config.project,
    policy: readPolicy({ home, storeFolder: isUntrusted ? undefined : folder.path }).policy,
    readItems: async () => [], // never called: a stale index is updated by the slow path
  })
}
