import { realpathSync } from "node:fs"
import { join } from "node:path"
import { sha256 } from "../disk/sha256.ts"

/**
 * Where Drey keeps the derived data of one checkout, outside of it: the index, the context log, staleness notes, and
 * git's log of deletions.
 */
export type IndexPlace = { index: string; contexts: string; notes: string; deletions: string }

/** Each checkout has its own index; a moved checkout gets a new one. */
export function indexPlaceOf(home: string, storeFolder: string): IndexPlace {
  const key = sha256(realpathSync.native(storeFolder)).slice(0, 16)
  const derived = join(home, "index", key)
  return {
    index: `${derived}.db`,
    contexts: join(home, "contexts", `${key}.jsonl`),
    notes: `${derived}.notes.jsonl`,
    deletions: `${derived}.deletions`,
  }
}
