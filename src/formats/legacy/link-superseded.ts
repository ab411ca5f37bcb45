import type { ReadEntry } from "../read-entries.ts"
import { aliasOf } from "../references.ts"
import { collapseWhiteSpace } from "../source-text.ts"

/** Turns "superseded by X" of a heading or status into a link, when X is the title or id of exactly one other entry of the file. Changes the entries in place. */
export function linkSuperseded(entries: ReadEntry[]): void {
  const superseded = entries.flatMap((each) =>
    each.format === "legacy" && each.reading.superseded ? [{ each, by: each.reading.superseded }] : [],
  )
  if (superseded.length === 0) return
  const named = new Map<string, Set<string>>()
  for (const { entry, id } of entries) {
    const title = comparable(entry.title)
    for (const name of new Set([title, aliasOf(title)]))
      if (name) named.set(name, (named.get(name) ?? new Set()).add(id))
  }
  for (const { each, by } of superseded) {
    const wanted = comparable(by)
    const ids = named.get(wanted) ?? named.get(aliasOf(wanted) ?? "")
    const others = [...(ids ?? [])].filter((id) => id !== each.id)
    if (others.length === 1) each.entry.supersededBy = others
  }
}

function comparable(text: string): string {
  return collapseWhiteSpace(
    text
      .toLowerCase()
      .replace(/[*_`"'[\]()]/g, " ")
      .replace(/[.:;,]+$/, ""),
  )
}
