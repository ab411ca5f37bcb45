/** One record of `memory/index.json` before and after a change; `null` stands for "not there". */
export type RecordChange = { id: string; before: object | null; after: object | null }

type StoredRecord = object & { id: string }

export const indexPath = "memory/index.json"

/** The records that differ. Undefined when one of the texts is no list of records with an id each. */
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
 * The index with one side of the changes in it; what other commands wrote into it since stays. Undefined when the text is
 * no index any more: it is then rebuilt from the files it tells of.
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

/** Two records under one id could not be told apart. */
function readRecords(text: string): StoredRecord[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined // as good as no list; what that means is for the caller to say
  }
  if (!Array.isArray(value) || !value.every(isStoredRecord)) return undefined
  return new Set(value.map(({ id }) => id)).size === value.length ? value : undefined
}

function isStoredRecord(value: unknown): value is StoredRecord {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string"
}
