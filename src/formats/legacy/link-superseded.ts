import type { ReadEntry } from "../read-entries.ts"
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
    for (const name of new Set([title, idIn(title)])) if (name) named.set(name, (named.get(name) ?? new Set()).add(id))
  }
  for (const { each, by } of superseded) {
    const wanted = comparable(by)
    const ids = named.get(wanted) ?? named.get(idIn(wanted))
    const others = [...(ids ?? [])].filter((id) => id !== each.id)
    if (others.length === 1) each.entry.supersededBy = others
  }
}

/** `adr-7` of "ADR-7: One index": how people name a decision for short. */
function idIn(title: string): string {
  return /^(?:adr|dec|rfc|d)-?\d[\w-]*/.exec(title)?.[0] ?? ""
}

function comparable(text: string): string {
  return collapseWhiteSpace(
    text
      .toLowerCase()
      .replace(/[*_`"'[\]()]/g, " ")
      .replace(/[.:;,]+$/, ""),
  )
}
