import { existsSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { sha256 } from "../../disk/hash.ts"
import { statementCount } from "../../disk/sqlite.ts"
import { openStaticEmbedder } from "../../index/embedders/static-embedder.ts"
import { openIndexReader } from "../../index/index-reader.ts"
import type { SqliteIndex } from "../../index/sqlite-index.ts"
import { openLog } from "../../log.ts"
import type { TeamStore } from "../../team/team-folder.ts"
import type { LearnedRecall, LearnedSource } from "../learned-recall.ts"
import type { LearnedParts, RecallParts } from "../recall-parts.ts"
import { boundTokens } from "../token-count.ts"
import { isUpToDate, listOrigins, readProblemsIn, withoutSessions } from "./origins.ts"

export type CurrentRecall = { parts: RecallParts; place: IndexPlace } & Pick<SqliteIndex, "idsLike" | "close">

/**
 * Fast path: opens recall for a single query of a short-lived process. Undefined if anything has to be done or reported
 * first (the index is missing, stale or damaged, a file is unreadable, the static table is missing); then `openRecall`
 * is used. Without `sessions`, changes to session notes are ignored; `asIs` accepts a stale index.
 */
export async function openCurrent(
  store: TeamStore,
  home: string,
  now: () => Date,
  {
    learned,
    sessions,
    asIs = false,
    past = "as it is",
  }: {
    learned?: (LearnedParts & Pick<LearnedSource, "stamp"> & Pick<LearnedRecall, "conversationMonths">) | undefined
    sessions?: string | undefined
    asIs?: boolean
    /** Whether conversations and commits must be indexed up to now. */
    past?: "as it is" | "current"
  } = {},
): Promise<CurrentRecall | undefined> {
  const [folder] = store.folders
  const place = folder && indexPlaceOf(home, folder.path)
  const log = openLog("index")
  const leave = (reason: string): undefined => {
    log?.("open", { path: "fast", file: place?.index, left: reason })
  }
  if (!place || !existsSync(place.index)) return leave("there is no index yet")
  const table = openStaticEmbedder()
  if (table.kind === "unavailable") return leave(table.reason)
  const { id, embedNow } = table.embedder
  const index = openIndexReader(place.index, { static: id, minilm: undefined })
  if (!index) return leave("the index cannot be used as it is")
  const isCurrent = async () => {
    const origins = await index.origins()
    const known = sessions === undefined ? withoutSessions(origins) : origins
    const { unreadable, conflicts } = readProblemsIn(known)
    if (unreadable.length + conflicts.length > 0 || (await index.isBehind())) return false
    return isUpToDate(listOrigins(store, sessions), known, await learned?.stamp())
  }
  const said = openIndexReader(place.past, { static: id, minilm: undefined })
  const isPastToo = async () => {
    if (past === "as it is") return true
    const { isPastCurrent } = await import("./past-index.ts") // pulls in git
    const months = learned?.conversationMonths() ?? new Map()
    return said !== undefined && isPastCurrent(await said.origins(), { root: store.root, months })
  }
  const close = async () => {
    await index.close()
    await said?.close()
  }
  if ((!asIs && !(await isCurrent())) || !(await isPastToo())) {
    await close()
    return leave("the index is out of date")
  }
  log?.("open", { path: "fast", file: place.index, index: asIs ? "as it is" : "current", sql: statementCount() })
  const handed = learned && {
    settings: learned.settingsFor(id),
    useCounts: learned.useCounts,
    holdoutRate: learned.holdoutRate,
  }
  const parts = { index, past: said, embedNow, embedDeep: undefined, countTokens: boundTokens, now, learned: handed }
  return { parts, place, idsLike: index.idsLike, close }
}

/**
 * Where Drey keeps the derived data of one checkout, outside of it: the index, that of conversations and commits, the
 * context log, staleness notes, git's log of deletions, and what `drey check` found in the team's files.
 */
export type IndexPlace = {
  index: string
  past: string
  contexts: string
  notes: string
  deletions: string
  findings: string
}

/** Each checkout has its own index; a moved checkout gets a new one. */
export function indexPlaceOf(home: string, storeFolder: string): IndexPlace {
  const key = sha256(realpathSync.native(storeFolder)).slice(0, 16)
  const derived = join(home, "index", key)
  return {
    index: `${derived}.db`,
    past: `${derived}.past.db`,
    contexts: join(home, "contexts", `${key}.jsonl`),
    notes: `${derived}.notes.jsonl`,
    deletions: `${derived}.deletions`,
    findings: `${derived}.findings.json`,
  }
}
