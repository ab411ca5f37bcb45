import { existsSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { sha256 } from "../../disk/hash.ts"
import { statementCount } from "../../disk/sqlite.ts"
import { openStaticEmbedder } from "../../index/embedders/static-embedder.ts"
import { openIndexReader } from "../../index/index-reader.ts"
import type { SqliteIndex } from "../../index/sqlite-index.ts"
import { openLog } from "../../log.ts"
import type { QuestionScope, RecallOptions } from "../recall.ts"
import type { RecallParts } from "../recall-parts.ts"
import { boundTokens } from "../token-count.ts"
import { isUpToDate, listOrigins, readProblemsIn, withoutSessions } from "./origins.ts"

/** An index that is read as it is on disk. */
export type CurrentIndex = Pick<SqliteIndex, "idsLike" | "close"> & {
  /** Whether it has everything that a question about these needs, and nothing has to be reported first. */
  isCurrent(about: QuestionScope): Promise<boolean>
  parts(about: QuestionScope): RecallParts
}

/** Opens it; undefined if it is missing or damaged, or if there is no static table. */
export function openCurrentIndex(options: RecallOptions, place: IndexPlace): CurrentIndex | undefined {
  const { store, now, asIs = false } = options
  const log = openLog("index")
  const leave = (reason: string): undefined => {
    log?.("open", { path: "fast", file: place.index, left: reason })
  }
  if (!existsSync(place.index)) return leave("there is no index yet")
  const kept = options.keptIndexes
  const table = kept ? kept.table() : openStaticEmbedder()
  if (table.kind === "unavailable") return leave(table.reason)
  const { id, embedNow } = table.embedder
  const open = kept?.reader ?? openIndexReader
  const index = open(place.index, { static: id, minilm: undefined })
  if (!index) return leave("the index cannot be used as it is")
  let past: ReturnType<typeof openIndexReader>
  const readPast = () => {
    past ??= open(place.past, { static: id, minilm: undefined })
    return past
  }
  const learned = options.learned?.()

  const isUpToNow = async (folder: string | undefined) => {
    const origins = await index.origins()
    const known = folder === undefined ? withoutSessions(origins) : origins
    const { unreadable, conflicts } = readProblemsIn(known)
    if (unreadable.length + conflicts.length > 0 || (await index.isBehind())) return false
    return isUpToDate(listOrigins(store, folder), known, await learned?.stamp())
  }
  const isPastUpToNow = async () => {
    const { isPastCurrent } = await import("./past-index.ts") // pulls in git
    const months = learned?.conversationMonths() ?? new Map()
    const reader = readPast()
    return reader !== undefined && isPastCurrent(await reader.origins(), { root: store.root, months })
  }
  return {
    async isCurrent(about) {
      const isAll =
        (await isUpToNow(about.sessions ? options.sessions() : undefined)) &&
        (about.past !== true || (await isPastUpToNow()))
      if (!isAll) leave("the index is out of date")
      return isAll
    },
    parts(about) {
      log?.("open", { path: "fast", file: place.index, index: asIs ? "as it is" : "current", sql: statementCount() })
      return {
        index,
        past: about.past === undefined ? undefined : readPast(),
        embedNow,
        embedDeep: undefined,
        countTokens: boundTokens,
        now,
        noteOn: options.notes?.(place.notes),
        learned: learned && {
          settings: learned.settingsFor(id),
          useCounts: learned.useCounts,
          holdoutRate: learned.holdoutRate,
        },
      }
    },
    idsLike: index.idsLike,
    async close() {
      await index.close()
      await past?.close()
    },
  }
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
