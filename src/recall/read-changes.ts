import { codeOf } from "../disk/file-error.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import { requireInRepository } from "../disk/safe-paths.ts"
import { sha256 } from "../disk/sha256.ts"
import { DreyError } from "../errors.ts"
import type { Origin, OriginItems } from "../index/index-store.ts"
import type { Store } from "../squad/find-store.ts"
import { readRoster } from "../squad/list-files.ts"
import { hasTombstone, type IndexRecord, isOutdated, readIndexFile } from "../squad/memory/memory-index.ts"
import { lookAt, lookAtName } from "./file-look.ts"
import type { LearnedSource } from "./learned-source.ts"
import type { OriginFile, Origins } from "./list-origins.ts"
import { type ReadingContext, readItems } from "./read-items.ts"
import { aroundOf, isSettled, learnedKey, type RecordsStamp, readStamp, recordsKey, type Stamp } from "./stamp.ts"

export type Changes = {
  changed: OriginItems[]
  restamped: Origin[]
  /** A file that went away between the look and the reading is among them: what it said may stand elsewhere by now. */
  gone: string[]
}

/** Reads the files whose stat has changed. A file with the same hash, for example after a checkout, is not parsed. */
export async function readChanges(
  store: Store,
  origins: Origins,
  learned: LearnedSource | undefined,
  known: ReadonlyMap<string, string>,
  now: () => Date,
  progress?: (done: number, total: number) => void,
): Promise<Changes> {
  const readAt = now()
  const records = readRecords(store)
  const said = whatIsSaid(records)
  const context: ReadingContext = { roster: readRoster(store), records: byId(records), now: readAt }
  const look = origins.records?.text ?? ""
  const settled = origins.records === undefined || isSettled(origins.records, Date.now())
  const recordsStamp: RecordsStamp = { look, settled, said }
  const changes: Changes = { changed: [], restamped: [], gone: [] }
  if (known.get(recordsKey) !== JSON.stringify(recordsStamp))
    changes.changed.push({ key: recordsKey, stamp: JSON.stringify(recordsStamp), items: [] })
  const present = new Set([recordsKey])
  for (const [at, file] of origins.files.entries()) {
    const before = readStamp<Stamp>(known.get(file.key))
    const around = aroundOf(file, origins, said)
    present.add(file.key)
    if (before?.settled && before.look === file.look.text && before.around === around) continue
    progress?.(at, origins.files.length)
    const reading = await readOrigin(file, before, around, context)
    if (reading.kind === "vanished") {
      present.delete(file.key)
      continue
    }
    const stamp = JSON.stringify(reading.stamp)
    if (reading.kind === "same" && known.get(file.key) !== stamp) changes.restamped.push({ key: file.key, stamp })
    if (reading.kind === "changed") changes.changed.push({ key: file.key, stamp, items: reading.items })
  }
  if (learned) {
    present.add(learnedKey)
    const stamp = await learned.stamp() // before the memories are read: changes in between are picked up the next time
    if (known.get(learnedKey) !== stamp) changes.changed.push({ key: learnedKey, stamp, items: await learned.items() })
  }
  changes.gone = [...known.keys()].filter((key) => !present.has(key))
  return changes
}

type Reading =
  | { kind: "same"; stamp: Stamp }
  | { kind: "changed"; stamp: Stamp; items: OriginItems["items"] }
  | { kind: "vanished" }

async function readOrigin(
  file: OriginFile,
  before: Stamp | undefined,
  around: string,
  context: ReadingContext,
): Promise<Reading> {
  // Stat before reading: an edit in between makes the stat outdated, so the file is read again the next time.
  const look = lookAt(file.absolute) ?? lookAtName(file.absolute)
  if (!look) return { kind: "vanished" }
  const base = { look: look.text, around, settled: isSettled(look, Date.now()) }
  try {
    if (file.kind === "entries")
      requireInRepository(file.file.folder, file.key.slice(file.file.folder.name.length + 1), file.key)
    const { text } = readTextFile(file.absolute, { name: file.key })
    const hash = sha256(text)
    if (before?.hash === hash && before.around === around) return { kind: "same", stamp: { ...before, ...base } }
    const { items, conflicts } = await readItems(file, text, context)
    return { kind: "changed", items, stamp: { ...base, hash, ...(conflicts.length > 0 ? { conflicts } : {}) } }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    if (codeOf(error.cause) === "ENOENT" && !lookAtName(file.absolute)) return { kind: "vanished" }
    return { kind: "changed", items: [], stamp: { ...base, hash: "", problem: error.message } }
  }
}

function readRecords(store: Store): IndexRecord[] {
  const [folder] = store.folders
  if (!folder) return []
  const file = readIndexFile(folder)
  if (file.kind === "absent") return []
  // After a branch switch the index may be outdated: only records confirmed by the files count.
  if (isOutdated(folder)) return file.records.filter(({ id }) => hasTombstone(folder, id))
  return file.records
}

function byId(records: readonly IndexRecord[]): Map<string, IndexRecord> {
  return new Map(
    records.flatMap((record) => [[record.id, record] as const, [record.anchor ?? record.id, record] as const]),
  )
}

/** For each file with governed entries, a hash of its records. */
function whatIsSaid(records: readonly IndexRecord[]): Record<string, string> {
  const parts = new Map<string, string[]>()
  for (const { path, id, class: memoryClass, loadGuidance, status, supersedes, supersededBy, anchor } of records) {
    if (anchor === undefined) continue // a governed file is self-contained
    const part = JSON.stringify([id, anchor, memoryClass, loadGuidance, status, supersedes, supersededBy])
    const known = parts.get(path)
    if (known) known.push(part)
    else parts.set(path, [part])
  }
  return Object.fromEntries([...parts].map(([path, texts]) => [path, sha256(texts.join("\n")).slice(0, 16)]))
}
