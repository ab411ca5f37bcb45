import { type EntriesFile, type ReadContext, readEntries, type Segment } from "../../formats/entries.ts"
import { isHistorySection, isProfileSection } from "../../formats/legacy/labels.ts"
import { findFences, headingLevel } from "../../formats/markdown.ts"
import { sliceLines, splitLines } from "../../formats/source-text.ts"
import { instantOf } from "../../formats/timestamp.ts"
import { hasOwnDate, isProtected } from "./retention.ts"

/** A history split more finely than into entries: other text is split at its headings, so that parts of it can be moved. */
export type HistoryParts = EntriesFile & {
  /** Positions of the segments that may be archived, oldest first. */
  oldestFirst: number[]
  /** Lines such as `**Verification:**` with the positions of the bullets below them; each moves with its last bullet. */
  leadIns: Map<number, number[]>
}

/** Reads a history. Its title, guides, agent profile and permanent entries always stay; everything else may be archived. */
export function readHistoryParts(text: string, context: ReadContext, now: Date): HistoryParts {
  const read = readEntries(text, context)
  const movable: boolean[] = []
  const segments = read.segments.flatMap((segment, index) => {
    const parts = segment.entry
      ? [{ segment, stays: isTitle(segment) || segment.entry.entry.type === "directive" || isProtected(segment.entry) }]
      : cutLooseText(segment, index === 0)
    for (const { stays } of parts) movable.push(!stays)
    return parts.map((part) => part.segment)
  })
  const leadIns = findLeadIns(segments, movable)
  const units = [...segments.keys()].filter((index) => movable[index] && !leadIns.has(index))
  return { ...read, segments, oldestFirst: byAge(segments, units, now), leadIns }
}

/** A dated level-1 heading on the first line is the file's title, although it parses as an entry. */
function isTitle({ text, line }: Segment): boolean {
  return line === 1 && /^\uFEFF?# /.test(text)
}

function findLeadIns(segments: readonly Segment[], movable: readonly boolean[]): Map<number, number[]> {
  const leadIns = new Map<number, number[]>()
  for (const [index, { entry, text }] of segments.entries()) {
    if (entry || !movable[index] || !isLeadIn(text)) continue
    let end = index + 1
    while (isBullet(segments[end])) end++
    if (end > index + 1) leadIns.set(index, [...segments.keys()].slice(index + 1, end))
  }
  return leadIns
}

/** A line that only introduces the text below it. */
export function isLeadIn(text: string): boolean {
  return /^\s*[^\n]{1,120}:(?:\*\*)?\s*$/.test(text)
}

function isBullet(segment: Segment | undefined): boolean {
  return segment?.entry?.format === "legacy" && segment.entry.unit !== "entry"
}

type Part = { segment: Segment; stays: boolean }

function cutLooseText(segment: Segment, isFirst: boolean): Part[] {
  const source = splitLines(segment.text)
  const { fenced } = findFences(source.lines)
  const heads = source.lines.flatMap((line, index) => (headingLevel(line) > 0 && !fenced[index] ? [index] : []))
  const starts = [...new Set([0, ...heads])]
  let profileLevel = 0
  return starts.flatMap((start, position) => {
    const end = starts[position + 1] ?? source.lines.length
    const text = sliceLines(source, start, end)
    const part = (from: number, to: number, stays: boolean): Part => ({
      segment: { kind: segment.kind, text: sliceLines(source, from, to), line: segment.line + from },
      stays,
    })
    const heading = source.lines[start] ?? ""
    const level = fenced[start] ? 0 : headingLevel(heading)
    const title = heading.slice(level).trim()
    if (level > 0 && level <= profileLevel) profileLevel = 0
    if (level > 0 && profileLevel === 0 && (isProfileSection(title) || isProfileText(text))) profileLevel = level
    const isDigest = level > 0 && /\barchived?\b/i.test(title) // what earlier hands condensed is not condensed again
    const isPreamble = isFirst && (position === 0 || (level === 1 && position === 1))
    if (profileLevel > 0 || isPreamble || isDigest || !hasProse(text)) return [part(start, end, true)]
    // A section heading stays with the guide below it. A line that introduces bullets is a segment of its own.
    const isSection = level > 0 && level <= 2 && isHistorySection(title)
    const own = source.lines.slice(start, end)
    const from = isSection ? start + own.findIndex((_, at) => hasProse(own.slice(0, at + 1).join("\n"))) : start
    const last = start + own.findLastIndex((line) => line.trim() !== "")
    const leadIn = last > from && !fenced[last] && isLeadIn(source.lines[last] ?? "") ? last : end
    return [part(start, from, true), part(from, leadIn, false), part(leadIn, end, false)].filter(
      (each) => each.segment.text !== "",
    )
  })
}

/** Describes the project, its owner and stack, under a heading that does not say so. */
function isProfileText(text: string): boolean {
  const labels = text.match(/^(?:[-*] )?\*\*(?:project|owner|stack|user|team|universe|created)(?::\*\*|\*\*:)/gim) ?? []
  return new Set(labels.map((label) => label.toLowerCase())).size >= 3
}

/** Whether there is text other than headings, horizontal rules, and guides (comments, a line in italics). */
function hasProse(text: string): boolean {
  return text
    .replace(/<!--[\s\S]*?-->/g, "")
    .split("\n")
    .some(
      (line) => /[\p{L}\p{N}]/u.test(line) && headingLevel(line) === 0 && !/^\s*([*_])(?!\1)[^*_]+\1\s*$/.test(line),
    )
}

/** An undated segment gets the age of the dated entry before it, in the direction in which the file grows. */
export function byAge(segments: readonly Segment[], units: readonly number[], now: Date): number[] {
  const instants = units.map((index) => {
    const entry = segments[index]?.entry
    return entry && hasOwnDate(entry, now) ? instantOf(entry.entry.timestamp) : undefined
  })
  const dated = instants.filter((instant) => instant !== undefined)
  const falling = dated.filter((instant, index) => index > 0 && instant < (dated[index - 1] ?? instant)).length
  const rising = dated.filter((instant, index) => index > 0 && instant > (dated[index - 1] ?? instant)).length
  const order = [...units.keys()]
  if (falling > rising) order.reverse()
  let latest = Number.NEGATIVE_INFINITY
  const aged = order.map((position, rank) => {
    latest = instants[position] ?? latest
    return { index: units[position] ?? 0, instant: latest, rank }
  })
  return aged
    .sort((one, other) =>
      one.instant === other.instant ? one.rank - other.rank : one.instant < other.instant ? -1 : 1,
    )
    .map(({ index }) => index)
}
