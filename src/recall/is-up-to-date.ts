import type { OriginFile, Origins } from "./list-origins.ts"
import { aroundOf, learnedKey, type RecordsStamp, readStamp, recordsKey, type Stamp } from "./stamp.ts"

/**
 * Whether no file has changed since it was indexed, as far as the stats can show. `learned` is the stamp of the learned
 * memories, undefined if there are none.
 */
export function isUpToDate(origins: Origins, known: ReadonlyMap<string, string>, learned: string | undefined): boolean {
  if (known.get(learnedKey) !== learned) return false
  const records = readStamp<RecordsStamp>(known.get(recordsKey))
  if (records?.look !== (origins.records?.text ?? "") || !records.settled) return false
  const isSame = (file: OriginFile) => {
    const stamp = readStamp<Stamp>(known.get(file.key))
    return stamp?.settled && stamp.look === file.look.text && stamp.around === aroundOf(file, origins, records.said)
  }
  const others = learned === undefined ? 1 : 2 // the records and the learned memories are origins without a file
  return origins.files.length === known.size - others && origins.files.every(isSame)
}
