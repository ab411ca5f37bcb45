import type { OriginFile, Origins } from "./list-origins.ts"
import { aroundOf, type RecordsStamp, readStamp, recordsKey, type Stamp } from "./stamp.ts"

/** Whether the files still look as they did when the index took them in, and nothing was changed that a look would not show. */
export function isUpToDate(origins: Origins, known: ReadonlyMap<string, string>): boolean {
  const records = readStamp<RecordsStamp>(known.get(recordsKey))
  if (records?.look !== (origins.records?.text ?? "") || !records.settled) return false
  const isSame = (file: OriginFile) => {
    const stamp = readStamp<Stamp>(known.get(file.key))
    return stamp?.settled && stamp.look === file.look.text && stamp.around === aroundOf(file, origins, records.said)
  }
  return origins.files.length === known.size - 1 && origins.files.every(isSame)
}
