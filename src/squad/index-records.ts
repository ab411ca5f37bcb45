/** One record of `memory/index.json` before and after a change; `null` means absent. */
export type RecordChange = { id: string; before: object | null; after: object | null }

type StoredRecord = object & { id: string }

export const indexPath = "memory/index.json"

/** The records that differ; undefined if one of the texts is not a list of records with unique ids. */
export function compareIndexes(before: string | null, after: string): RecordChange[] | undefined {
  const old = before === null ? [] : readRecords(before)
  const young = readRecords(after)
  if (!old || !young) return undefined
  const oldById = new Map(old.map((record) => [record.id, record]))
  const youngById = new Map(young.map((record) => [record.id, record]))
  return [...new Set([...oldById.keys(), ...youngById.keys()])]
    .map((id) => ({ id, before: oldById.get(id) ?? null, after: youngById.get(id) ?? null }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
}

/**
 * Applies one side of the changes to the index; records written by other commands since are kept. Undefined if the text is
 * not a valid index: it is then rebuilt from the files.
 */
export function patchIndex(
  text: string | null,
  changes: readonly RecordChange[],
  side: "before" | "after",
): { text: string; isEmpty: boolean } | undefined {
  const records = text === null ? [] : readRecords(text)
  if (!records) return undefined
  const wanted = new Map(changes.map((change) => [change.id, change[side]]))
  const present = new Set(records.map(({ id }) => id))
  const patched = [
    ...records.flatMap((record) => wanted.get(record.id) ?? (wanted.has(record.id) ? [] : [record])),
    ...changes.flatMap((change) => (present.has(change.id) ? [] : (change[side] ?? []))),
  ]
  return { text: `${JSON.stringify(patched, null, 2)}\n`, isEmpty: patched.length === 0 }
}

/** Rejects duplicate ids, because such records cannot be matched. */
function readRecords(text: string): StoredRecord[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined // not a list; the caller handles it
  }
  if (!Array.isArray(value) || !value.every(isStoredRecord)) return undefined
  return new Set(value.map(({ id }) => id)).size === value.length ? value : undefined
}

function isStoredRecord(value: unknown): value is StoredRecord {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string"
}
