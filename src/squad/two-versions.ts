import { bodyHash } from "../formats/entry-id.ts"
import type { ReadEntry } from "../formats/read-entries.ts"
import type { FileDiagnostic } from "./validate-store.ts"

/** An entry and its file. */
export type Placed = Pick<ReadEntry, "id" | "line" | "entry" | "format"> & { path: string }

/**
 * Finds ids with different bodies in two files, which result when one branch archived an entry and another edited it.
 * Reported for the entries in `own`; the other version may be in `others`.
 */
export function findTwoVersions(own: readonly Placed[], others: readonly Placed[]): FileDiagnostic[] {
  const first = new Map<string, Placed>()
  for (const each of others) if (isNamed(each) && !first.has(idOf(each))) first.set(idOf(each), each)
  return own.filter(isNamed).flatMap((each): FileDiagnostic[] => {
    const id = idOf(each)
    const earlier = first.get(id)
    if (!earlier) first.set(id, each)
    if (!earlier || earlier.path === each.path || bodyHash(earlier.entry) === bodyHash(each.entry)) return []
    const message = `Entry ${id} has a different text at ${earlier.path}:${earlier.line}. Keep one version, or change the title of one.`
    return [{ path: each.path, line: each.line, code: "two-versions", severity: "warning", message, entryId: id }]
  })
}

/** Different legacy entries of one day often share a title. */
function isNamed({ format, entry }: Placed): boolean {
  return format === "sem" || entry.id !== undefined
}

/** The id without the suffix that distinguishes two versions in lists. */
function idOf({ id, entry }: Placed): string {
  return entry.id ?? id.replace(/^(sem-[0-9a-f]{12})-[0-9a-f]{4}$/, "$1")
}
