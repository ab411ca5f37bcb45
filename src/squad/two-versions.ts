import { bodyHash } from "../formats/entry-id.ts"
import type { ReadEntry } from "../formats/read-entries.ts"
import type { FileDiagnostic } from "./validate-store.ts"

/** An entry and the file it stands in. */
export type Placed = Pick<ReadEntry, "id" | "line" | "entry" | "format"> & { path: string }

/**
 * One id with different bodies in two files: what is left when one branch archived an entry and another edited it. Told of
 * the entries in `own`, which may have their other version among `others`.
 */
export function findTwoVersions(own: readonly Placed[], others: readonly Placed[]): FileDiagnostic[] {
  const first = new Map<string, Placed>()
  for (const each of others) if (isNamed(each) && !first.has(idOf(each))) first.set(idOf(each), each)
  return own.filter(isNamed).flatMap((each): FileDiagnostic[] => {
    const id = idOf(each)
    const earlier = first.get(id)
    if (!earlier) first.set(id, each)
    if (!earlier || earlier.path === each.path || bodyHash(earlier.entry) === bodyHash(each.entry)) return []
    const message = `Entry ${id} says something else at ${earlier.path}:${earlier.line}. Keep one version, or give one another title.`
    return [{ path: each.path, line: each.line, code: "two-versions", severity: "warning", message, entryId: id }]
  })
}

/** Legacy entries of one day often share a title and are not one entry. */
function isNamed({ format, entry }: Placed): boolean {
  return format === "sem" || entry.id !== undefined
}

/** Without the suffix that tells two versions apart where entries are listed. */
function idOf({ id, entry }: Placed): string {
  return entry.id ?? id.replace(/^(sem-[0-9a-f]{12})-[0-9a-f]{4}$/, "$1")
}
