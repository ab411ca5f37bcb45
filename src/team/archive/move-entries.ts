import { DreyError } from "../../errors.ts"
import { type EntriesFile, type ReadContext, type ReadEntry, readEntries, type Segment } from "../../formats/entries.ts"
import type { Entry } from "../../formats/entry.ts"
import { appendEntries } from "../../formats/entry-placing.ts"
import { writeEntry } from "../../formats/entry-writer.ts"
import { derivedId } from "../../formats/ids.ts"
import { findDates } from "../../formats/legacy/dates.ts"
import { missingLines } from "../../formats/legacy/missing-lines.ts"
import { headingLevel } from "../../formats/markdown.ts"
import { dominantLineEnd, splitLines } from "../../formats/source-text.ts"
import type { Timestamp } from "../../formats/timestamp.ts"
import type { ChangePlan } from "../change-plan.ts"
import { isLeadIn } from "./history-parts.ts"

export type TextFileDraft = { text: string; context: ReadContext }

export type EntryMove = {
  source: string
  archive: string
  /** Positions of the moved segments. History text outside of entries can be moved too. */
  moved: Set<number>
  /** Positions of requested segments that were not moved because the entries around them would change. */
  stuck: Set<number>
}

type MovedForm = "verbatim" | "sem"

/**
 * Moves whole entries from one file to the end of another. Both texts are parsed again before they are returned: remaining
 * entries keep id and text, moved entries keep their id. An entry is moved verbatim if possible. One that would parse
 * differently in the archive is rewritten in SEM with its id, and one that cannot be rewritten stays.
 */
export function moveEntries(
  read: EntriesFile,
  source: TextFileDraft,
  archive: TextFileDraft,
  wanted: ReadonlySet<number>,
  gitTimes: ReadonlyMap<string, Timestamp> = new Map(),
): EntryMove {
  const stuck = new Set<number>()
  const separated = new Set<number>()
  const muted = new Set<number>()
  const forms = new Map<number, MovedForm>()
  const archived = idsOf(readEntries(archive.text, archive.context).entries)
  for (;;) {
    const going = [...wanted].filter((index) => !stuck.has(index)).sort((one, other) => one - other)
    const gone = new Set(going)
    for (const index of emptiedFrames(read.segments, gone)) if (hasDate(read.segments[index])) muted.add(index)
    const kept = read.segments
      .map(({ text }, index) => {
        if (gone.has(index)) return ""
        return muted.has(index) ? mute(text) : separated.has(index) ? withSeparator(text) : text
      })
      .join("")
    const disturbed = findDisturbed(read, gone, readEntries(kept, source.context))
    if (disturbed !== undefined) {
      const frame = nextText(read.segments, gone, disturbed.index)
      if (disturbed.kind === "cut-short" && !separated.has(disturbed.index)) separated.add(disturbed.index)
      else if (disturbed.kind === "grown" && isEmptied(read.segments, gone, frame) && !muted.has(frame))
        muted.add(frame)
      else {
        stuck.add(disturbed.culprit)
        separated.clear() // may not be needed any more now that this heading is back
        muted.clear()
      }
      continue
    }
    const pieces = toPieces(read, going, archive, forms, gitTimes)
    const unfit = going.find((_, position) => pieces[position] === undefined)
    if (unfit !== undefined) {
      stuck.add(unfit)
      continue
    }
    const grown = going.length === 0 ? archive.text : appendEntries(archive.text, pieces as string[], archive.context)
    const lost = findLost(read, going, archived, readEntries(grown, archive.context).entries)
    if (lost.length === 0) return { source: kept, archive: grown, moved: new Set(going), stuck }
    for (const index of lost) {
      if (forms.get(index) === "sem") stuck.add(index)
      else forms.set(index, "sem")
    }
  }
}

/** Headings whose whole group was moved. */
function emptiedFrames(segments: readonly Segment[], gone: ReadonlySet<number>): number[] {
  return [...segments.keys()].filter((index) => isEmptied(segments, gone, index))
}

function isEmptied(segments: readonly Segment[], gone: ReadonlySet<number>, index: number): boolean {
  const segment = segments[index]
  if (!segment || segment.entry || gone.has(index)) return false
  const lines = segment.text.split(/\r?\n/).filter((line) => line.trim() !== "" && !/^---[ \t]*$/.test(line))
  if (lines.length === 0 || !lines.every((line) => headingLevel(line.replace(/^\uFEFF/, "")) > 0)) return false
  let next = index + 1
  while (segments[next]?.entry && gone.has(next)) next++
  return next > index + 1 && !segments[next]?.entry
}

/** A dated heading would be parsed as an entry. */
function hasDate(segment: Segment | undefined): boolean {
  return findDates(segment?.text ?? "").length > 0
}

/** Keeps the text as a comment, which is not parsed as a heading. */
function mute(text: string): string {
  return text.replace(/^(#{1,6}[ \t][^\r\n]*?)[ \t]*(?=\r?$)/gm, "<!-- $1 -->")
}

/** The first entry that would change, and the segment that must not be moved to prevent it. */
type Disturbed = { kind: "cut-short" | "grown" | "changed"; index: number; culprit: number }

function findDisturbed(read: EntriesFile, gone: ReadonlySet<number>, result: EntriesFile): Disturbed | undefined {
  const after = result.segments.filter(({ entry }) => entry)
  let at = 0
  for (const [index, { entry, text }] of read.segments.entries()) {
    if (gone.has(index) || !entry) continue
    const now = after[at++]
    const [old, next] = [withoutSeparator(text), withoutSeparator(now?.text ?? "")]
    if (now?.entry?.id === entry.id && next === old) continue
    const isCut = next.length < old.length && old.startsWith(next)
    const kind = isCut ? "cut-short" : next.length > old.length && next.startsWith(old) ? "grown" : "changed"
    return { kind, index, culprit: namesake(read, gone, entry) ?? culprit(read.segments, gone, index, now) }
  }
  if (at === after.length) return undefined
  return { kind: "changed", index: at, culprit: lastBefore(gone, read.segments.length) }
}

const separator = "<!-- What stood here is in the archive. -->"

/** Without a separator, a heading at the end of an entry would group the entry that now follows. */
function withSeparator(text: string): string {
  const lineEnd = dominantLineEnd(text)
  return `${text.trimEnd()}${lineEnd}${lineEnd}${separator}${lineEnd}${lineEnd}`
}

/** Removes the comments that earlier moves left behind. */
function withoutSeparator(text: string): string {
  return text.replace(/^<!-- (?:#{1,6}[ \t].*|What stood here is in the archive\.) -->[ \t]*\r?$/gm, "").trimEnd()
}

/** The moved segment that changed the entry at `index`: the one that ended it, the one it took its date from, or its neighbour. */
function culprit(
  segments: readonly Segment[],
  gone: ReadonlySet<number>,
  index: number,
  now: Segment | undefined,
): number {
  const { entry, text } = segments[index] as Segment
  const [old, next] = [withoutSeparator(text), withoutSeparator(now?.text ?? "")]
  if (next.length > old.length && next.startsWith(old)) return lastBefore(gone, nextText(segments, gone, index))
  if (next === old) {
    const inheritsFrom = entry?.format === "legacy" ? entry.inheritsFrom : undefined
    const above = [...gone].filter((at) => at < index && levelOf(segments[at]) < levelOf(segments[index]))
    const lender = above.find((at) => segments[at]?.entry?.line === inheritsFrom)
    return lender ?? (above.length > 0 ? Math.max(...above) : lastBefore(gone, index))
  }
  return gone.has(index + 1) ? index + 1 : lastBefore(gone, index)
}

function levelOf(segment: Segment | undefined): number {
  return /^#{1,6}(?=[ \t])/.exec(segment?.text.replace(/^\uFEFF/, "") ?? "")?.[0].length ?? 7
}

/** The next remaining non-entry text: the segments moved from in between had ended the entry until now. */
function nextText(segments: readonly Segment[], gone: ReadonlySet<number>, from: number): number {
  const next = segments.findIndex(
    ({ entry, text }, index) => index > from && !gone.has(index) && !entry && text.trim() !== "",
  )
  return next === -1 ? segments.length : next
}

function lastBefore(gone: ReadonlySet<number>, place: number): number {
  const before = [...gone].filter((index) => index < place)
  const found = before.length > 0 ? Math.max(...before) : Math.min(...gone)
  if (!Number.isFinite(found)) throw new Error("A file from which nothing was taken reads differently.")
  return found
}

/** Of entries that differ only in their body, only the first has the plain id, so it cannot be moved before the others. */
function namesake(read: EntriesFile, gone: ReadonlySet<number>, entry: ReadEntry): number | undefined {
  const base = derivedId(entry.entry)
  const index = read.segments.findIndex((segment, at) => gone.has(at) && segment.entry?.id === base)
  return index === -1 || entry.id === base ? undefined : index
}

/** Renders each segment. Bullets and loose text go below a level-1 heading, which ends any entry above. */
function toPieces(
  read: EntriesFile,
  going: readonly number[],
  archive: TextFileDraft,
  forms: Map<number, MovedForm>,
  gitTimes: ReadonlyMap<string, Timestamp>,
): (string | undefined)[] {
  let wasLoose = false
  return going.map((index) => {
    const piece = toPiece(read, index, archive, forms, gitTimes)
    const isLoose = forms.get(index) !== "sem" && isLooseSegment(read.segments[index])
    const needsHeading = isLoose && !wasLoose && piece !== undefined
    wasLoose = isLoose
    return needsHeading ? `# Learnings${dominantLineEnd(piece).repeat(2)}${piece}` : piece
  })
}

function isLooseSegment(segment: Segment | undefined): boolean {
  return !segment?.entry || (segment.entry.format === "legacy" && segment.entry.unit !== "entry")
}

function toPiece(
  read: EntriesFile,
  index: number,
  archive: TextFileDraft,
  forms: Map<number, MovedForm>,
  gitTimes: ReadonlyMap<string, Timestamp>,
): string | undefined {
  const { entry, text } = read.segments[index] as Segment
  if (!entry) return isLeadIn(text) ? withoutOuterBlanks(text) : asBullet(text)
  const gitTime = gitTimes.get(entry.id)
  if (forms.get(index) !== "sem" && gitTime === undefined && standsAlone(entry, text, archive.context))
    return asItStands(entry, text)
  forms.set(index, "sem")
  return toSem(read, index, gitTime) ?? (gitTime === undefined ? undefined : asItStands(entry, text))
}

/** Non-entry text becomes an entry in the archive, so that its agent can recall it. */
function asBullet(text: string): string {
  const [first = "", ...rest] = withoutOuterBlanks(text).trimEnd().split(/\r?\n/)
  const heading = /^#{1,6}[ \t]+(.*?)[ \t#]*$/.exec(first)?.[1]
  const head = heading === undefined ? first.trim() : `**${heading.replaceAll("**", "")}**`
  const lines = [`- ${head}`, ...rest.map((line) => (line.trim() === "" ? "" : `  ${line}`))]
  return `${lines.join(dominantLineEnd(text))}${dominantLineEnd(text)}`
}

function standsAlone(entry: ReadEntry, text: string, context: ReadContext): boolean {
  const alone = readEntries(text.replace(/^\uFEFF/, ""), context)
  const same = alone.entries.length === 1 && alone.entries[0]?.id === entry.id && alone.entries[0].line === 1
  return same && !alone.diagnostics.some(({ code }) => code === "unclosed-fence")
}

/** A SEM entry without a closing line gets one, because other text may follow it now. */
function asItStands(entry: ReadEntry, text: string): string {
  const lineEnd = dominantLineEnd(text)
  const body = withoutOuterBlanks(text).trimEnd()
  const isOpen = entry.format === "sem" && !/(?:^|\n)---[ \t]*$/.test(body)
  return `${body}${isOpen ? `${lineEnd}${lineEnd}---` : ""}${lineEnd}`
}

function withoutOuterBlanks(text: string): string {
  return `${text
    .replace(/^\uFEFF/, "")
    .replace(/^(?:[ \t]*\r?\n)+/, "")
    .trimEnd()}${dominantLineEnd(text)}`
}

/** Writes an entry in SEM under its id, with its parent heading if that supplied the date or author. */
function toSem(read: EntriesFile, index: number, gitTime: Timestamp | undefined): string | undefined {
  const { entry, text } = read.segments[index] as Segment
  if (!entry) return undefined
  const isDated = entry.format === "sem" || entry.reading.dateSource !== "none" || gitTime !== undefined
  if (!isDated) return undefined
  const lent = entry.format === "legacy" && [entry.reading.dateSource, entry.reading.authorSource].includes("container")
  const section = lent ? headingAbove(read.segments, index) : undefined
  const dated: Entry = gitTime === undefined ? entry.entry : { ...entry.entry, timestamp: gitTime, precision: "second" }
  const extensions = [...dated.extensions, ...(section === undefined ? [] : [{ name: "section", value: section }])]
  const pinned = { ...dated, extensions, ...(derivedId(dated) === entry.id ? {} : { id: entry.id }) }
  const written = writeEntry(pinned, { lineEnd: dominantLineEnd(text) })
  return missingLines(splitLines(text).lines, written).length === 0 ? written : undefined
}

function headingAbove(segments: readonly Segment[], index: number): string | undefined {
  for (let at = index - 1; at >= 0; at--) {
    const heading = segments[at]?.entry ? undefined : /^#{1,6}[ \t]+(.+?)[ \t]*\r?$/m.exec(segments[at]?.text ?? "")
    if (heading?.[1]) return heading[1]
  }
  return undefined
}

/** Moved entries that are not found again, or that changed the existing entries of the archive. */
function findLost(read: EntriesFile, going: number[], before: string[], after: readonly ReadEntry[]): number[] {
  const found = new Map<string, number>()
  for (const id of idsOf(after)) found.set(id, (found.get(id) ?? 0) + 1)
  for (const id of before) found.set(id, (found.get(id) ?? 0) - 1)
  const lost = going.filter((index) => {
    const id = read.segments[index]?.entry?.id
    if (id === undefined) return false
    const count = found.get(id) ?? 0
    found.set(id, count - 1)
    return count <= 0
  })
  const added = going.filter(
    (index) => !read.segments[index]?.entry && !isLeadIn(read.segments[index]?.text ?? ""),
  ).length
  const left = [...found.values()]
  const isClean =
    lost.length > 0 || (left.every((count) => count >= 0) && left.reduce((sum, count) => sum + count, 0) === added)
  return isClean ? lost : going // another entry appeared or vanished, so the whole batch is rewritten in SEM
}

function idsOf(entries: readonly ReadEntry[]): string[] {
  return entries.map(({ id }) => id)
}

/**
 * The archive files to try in order: the requested one, unless it is unreadable, and a second one for entries that would
 * parse differently next to the contents of the first.
 */
export function archivesFor(work: ChangePlan, target: string): string[] {
  const names = [1, 2, 3].map((number) => (number === 1 ? target : target.replace(/\.md$/, `-${number}.md`)))
  const readable = names.filter((name) => {
    try {
      work.draft.text(name)
      return true
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      if (!work.notes.includes(error.message)) work.notes.push(error.message) // leave the unreadable file unchanged and use another
      return false
    }
  })
  return readable.slice(0, 2)
}
