import { existsSync } from "node:fs"
import { openStaticEmbedder } from "../embedders/static-embedder.ts"
import { openIndexReader } from "../index/index-reader.ts"
import type { Store } from "../squad/find-store.ts"
import { boundTokens } from "./count-tokens.ts"
import { type IndexPlace, indexPlaceOf } from "./index-place.ts"
import { isUpToDate } from "./is-up-to-date.ts"
import type { LearnedSource } from "./learned-source.ts"
import { listOrigins } from "./list-origins.ts"
import { withoutSessions } from "./list-session-files.ts"
import type { LearnedParts, RecallParts } from "./recall-parts.ts"
import { troubleIn } from "./trouble.ts"

export type CurrentRecall = { parts: RecallParts; place: IndexPlace; close(): void }

/**
 * Fast path: opens recall for a single query of a short-lived process. Undefined if anything has to be done or reported
 * first (the index is missing, stale or damaged, a file is unreadable, the static table is missing); then `openRecall`
 * is used. Without `sessions`, changes to session notes are ignored; `asIs` accepts a stale index.
 */
export async function openCurrent(
  store: Store,
  home: string,
  now: () => Date,
  {
    learned,
    sessions,
    asIs = false,
  }: {
    learned?: (LearnedParts & Pick<LearnedSource, "stamp">) | undefined
    sessions?: string | undefined
    asIs?: boolean
  } = {},
): Promise<CurrentRecall | undefined> {
  const [folder] = store.folders
  const place = folder && indexPlaceOf(home, folder.path)
  if (!place || !existsSync(place.index)) return undefined
  const table = openStaticEmbedder()
  if (table.kind === "unavailable") return undefined
  const { id, embedNow } = table.embedder
  const index = openIndexReader(place.index, { static: id, minilm: undefined })
  if (!index) return undefined
  const isCurrent = async () => {
    const origins = await index.origins()
    const known = sessions === undefined ? withoutSessions(origins) : origins
    const { unreadable, conflicts } = troubleIn(known)
    if (unreadable.length + conflicts.length > 0 || (await index.isBehind())) return false
    return isUpToDate(listOrigins(store, sessions), known, await learned?.stamp())
  }
  if (!asIs && !(await isCurrent())) {
    index.close()
    return undefined
  }
  const handed = learned && {
    settings: learned.settingsFor(id),
    useCounts: learned.useCounts,
    holdoutRate: learned.holdoutRate,
  }
  const parts = { index, embedNow, embedDeep: undefined, countTokens: boundTokens, now, learned: handed }
  return { parts, place, close: () => index.close() }
}
