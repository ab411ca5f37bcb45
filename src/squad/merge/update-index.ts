import { dirname } from "node:path"
import { generated } from "../../governance/cleared.ts"
import { loadIndex } from "../memory/load-index.ts"
import { isOutdated } from "../memory/memory-index.ts"
import type { Work } from "../tidy/work.ts"

const path = "memory/index.json"

/** A governed memory that was merged into another file: its new file, and its id there. */
export type MovedMemory = { memoryId: string | undefined; from: string; to: string; anchor: string }

/** Updates the paths in the index of governed memory, so that merged entries are still found by their ids. */
export function updateIndex(work: Work, moved: readonly MovedMemory[]): void {
  if (moved.length === 0) return
  const { folder: place } = work.draft
  const store = { root: dirname(place.path), home: place.home, folders: [place] }
  const text = isOutdated(place) ? null : work.draft.text(path)
  const records = text === null ? loadIndex(store, place, work.now).records : parseRecords(text)
  if (!records) {
    work.notes.push(`${path} is damaged and was not updated. Run "drey memory reindex" to rebuild it.`)
    return
  }
  const folder = place.name
  const byPath = new Map(moved.map((each) => [`${folder}/${each.from}`, each]))
  const byId = new Map(moved.map((each) => [each.memoryId, each]))
  let changed = false
  const updated = records.map((record) => {
    const own = String(record.path ?? "").replaceAll("\\", "/")
    const found = byPath.get(own) ?? byId.get(String(record.id))
    if (!found || record.status === "deleted") return record
    changed = true
    const updatedAt = work.now.toISOString()
    return { ...record, path: `${folder}/${found.to}`, anchor: found.anchor, updatedAt }
  })
  if (changed) work.draft.put(path, generated(`${JSON.stringify(updated, null, 2)}\n`))
}

function parseRecords(text: string): Record<string, unknown>[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isList = Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null)
    return isList ? (value as Record<string, unknown>[]) : undefined
  } catch {
    return undefined // reported by the caller
  }
}
