import type { ReadEntry } from "../read-entries.ts"
import { collapseWhiteSpace } from "../source-text.ts"

/** Turns "superseded by X" of a heading or status into a link, when X names exactly one other entry of the file. Changes the entries in place. */
export function linkSuperseded(entries: ReadEntry[]): void {
  if (!entries.some((each) => each.format === "legacy" && each.reading.superseded)) return
  const titles = entries.map(({ entry }) => comparable(entry.title))
  for (const each of entries) {
    if (each.format !== "legacy" || !each.reading.superseded) continue
    const wanted = comparable(each.reading.superseded)
    if (wanted.length < 3) continue
    const targets = entries.filter((other, index) => other !== each && names(titles[index] ?? "", wanted))
    const ids = new Set(targets.map(({ id }) => id))
    const [only] = ids
    if (ids.size === 1 && only !== undefined && only !== each.id) each.entry.supersededBy = [only]
  }
}

function names(title: string, wanted: string): boolean {
  if (title === wanted || (wanted.length > 12 && title.includes(wanted))) return true
  return /^(?:adr|dec|rfc|d)-?\d/.test(wanted) && title.split(" ")[0]?.replace(/:$/, "") === wanted.split(" ")[0]
}

function comparable(text: string): string {
  return collapseWhiteSpace(
    text
      .toLowerCase()
      .replace(/[*_`"'[\]()]/g, " ")
      .replace(/[.:;,]+$/, ""),
  )
}
