import { findFences } from "../../formats/fences.ts"
import { undated } from "../../formats/legacy/fallbacks.ts"
import { isProfileSection } from "../../formats/legacy/section-names.ts"
import { type ReadContext, type ReadEntry, readEntries } from "../../formats/read-entries.ts"
import { dominantLineEnd, splitLines } from "../../formats/source-text.ts"
import { dateOf, instantOf } from "../../formats/timestamp.ts"
import { withGap } from "../append-entries.ts"

export const digestTitle = "Summary of archived entries"

/** The digest's text never takes more of a history than this. */
export const digestBytes = 1024

const digest = new RegExp(
  `^## ${digestTitle}[ \\t]*\\r?\\n(?:[ \\t]*\\r?\\n)*(?:\\d+ older entr[^\\n]*(?:\\n|$))?(?:[ \\t]*\\r?\\n)*`,
  "m",
)

/** A history without the digest that an earlier archiving left; what people wrote below its heading stays. */
export function withoutDigest(text: string): string {
  return text.replace(digest, "")
}

/** One line, because a list would read as entries of its own: how many, from when to when, and what the newest are called. */
export function writeDigest(archived: readonly ReadEntry[]): string {
  const dated = archived.filter(({ entry }) => dateOf(entry.timestamp) !== undated)
  const newestFirst = [...archived].sort(
    (one, other) => instantOf(other.entry.timestamp) - instantOf(one.entry.timestamp),
  )
  const days = dated.map(({ entry }) => dateOf(entry.timestamp)).sort()
  const period = days.length === 0 ? "" : ` (${days[0]} to ${days.at(-1)})`
  const noun = archived.length === 1 ? "older entry" : "older entries"
  const head = `${archived.length} ${noun}${period} in history-archive.md`
  const titles: string[] = []
  let bytes = Buffer.byteLength(`## ${digestTitle}\n\n${head}, newest first: ; and 10000 more.\n\n`)
  for (const { entry } of newestFirst) {
    const title = entry.title.length > 80 ? `${entry.title.slice(0, 79).trimEnd()}…` : entry.title.replace(/\.$/, "")
    bytes += Buffer.byteLength(`${title} · `)
    if (bytes > digestBytes) break
    titles.push(title)
  }
  const more = archived.length - titles.length
  const list = titles.length === 0 ? "" : `, newest first: ${titles.join(" · ")}${more > 0 ? `; and ${more} more` : ""}`
  return `${head}${list}.`
}

/** Puts the digest before the first section that is not about the agent, where it cannot take in what is added later. */
export function insertDigest(text: string, line: string, context: ReadContext): string {
  const lineEnd = dominantLineEnd(text)
  const section = [`## ${digestTitle}`, "", line, "", ""].join(lineEnd)
  const source = splitLines(text)
  const { fenced } = findFences(source.lines)
  const at = source.lines.findIndex(
    (own, index) => !fenced[index] && own.startsWith("## ") && !isProfileSection(own.slice(3)),
  )
  const before = readEntries(text, context).entries
  const candidates = [
    ...(at === -1 ? [] : [insertAt(text, source.starts[at] ?? 0, section, lineEnd)]),
    insertAt(
      text,
      source.starts[(before[0]?.line ?? 1) - 1] ?? 0,
      `${section}## Learnings${lineEnd}${lineEnd}`,
      lineEnd,
    ),
    `${withGap(text, lineEnd)}${section}`.trimEnd() + lineEnd,
  ]
  const fitting = candidates.find((candidate) => {
    const after = readEntries(candidate, context).entries
    return after.length === before.length && after.every(({ id }, index) => id === before[index]?.id)
  })
  return fitting ?? text // the archive is complete without it
}

function insertAt(text: string, at: number, section: string, lineEnd: string): string {
  return `${withGap(text.slice(0, at), lineEnd)}${section}${text.slice(at)}`
}
