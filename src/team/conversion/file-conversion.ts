import { DreyError } from "../../errors.ts"
import { opensSection } from "../../formats/blocks.ts"
import { type EntriesFile, type ReadContext, type ReadEntry, readEntries, type Segment } from "../../formats/entries.ts"
import type { Entry } from "../../formats/entry.ts"
import { normalizeEntry, type WriteOptions, writeEntry } from "../../formats/entry-writer.ts"
import { bodyHash, derivedId } from "../../formats/ids.ts"
import type { LegacyReading, ReviewReason } from "../../formats/legacy/legacy-entry.ts"
import { missingLines } from "../../formats/legacy/missing-lines.ts"
import { dominantLineEnd, splitLines } from "../../formats/source-text.ts"
import { detectForbidden, type ForbiddenReason } from "../../governance/detect-forbidden.ts"

export type ConversionLevel = "auto" | "review" | "left"

/** The conversion of one legacy entry, for the plan, the log and `--json`. */
export type ConversionRecord = {
  file: string
  line: number
  endLine: number
  heading: string
  level: ConversionLevel
  converted: boolean
  reasons: string[]
  /** The same entry occurs earlier in the file. */
  copy: boolean
  forbidden?: Forbidden
  type: Entry["type"]
  timestamp: string
  precision: Entry["precision"]
  author: string
  authorSource: LegacyReading["authorSource"]
  dateSource: LegacyReading["dateSource"]
  id: string
  bytesBefore: number
  bytesAfter: number
}

/** A user's or agent's answer about an entry that needed review; omitted fields stay as Drey read them. */
export type ReviewAnswer = {
  precision?: Entry["precision"]
  action: "convert" | "leave"
  type?: Entry["type"]
  timestamp?: string
  author?: string
  title?: string
}

export type ConvertOptions = {
  includeReview?: boolean
  /** Convert undated bullets of histories too. */
  bullets?: boolean
  /** Drops later exact copies of an entry. */
  dedupe?: boolean
  squadUi?: boolean
  answers?: ReadonlyMap<string, ReviewAnswer>
}

export type FileConversion = { text: string; records: ConversionRecord[] }

type Legacy = ReadEntry & { format: "legacy" }
type Judgement = {
  level: ConversionLevel
  reasons: string[]
  entry: Entry
  action: "convert" | "keep" | "drop"
  isCopy: boolean
  forbidden: Forbidden | undefined
}

/** The line and kind of forbidden content, never the content. */
type Forbidden = { line: number; reason: ForbiddenReason }

/**
 * Converts the legacy entries that Drey recognizes reliably, and leaves every other byte unchanged. The result is parsed
 * again before it is returned: an entry whose conversion would change its neighbours is not converted.
 */
export function convertFile(
  path: string,
  text: string,
  read: EntriesFile,
  context: ReadContext,
  options: ConvertOptions,
): FileConversion {
  const judgements = judgeAll(read, options)
  const writeOptions = { lineEnd: dominantLineEnd(text), squadUi: options.squadUi === true }
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const last = read.segments.length - 1
    const pieces = read.segments.map((segment, index) =>
      toPiece(segment, judgements[index], index === last, writeOptions),
    )
    const result = withByteOrderMark(text, pieces.join(""))
    const disturbing = findDisturbing(read, judgements, readEntries(result, context))
    if (disturbing === undefined) return { text: result, records: toRecords(path, read, judgements, pieces) }
    judgements[disturbing] = leave(judgements[disturbing]?.entry as Entry, "its neighbours would change")
  }
  throw new DreyError(`${path} cannot be converted: its entries affect one another; convert it by hand`)
}

/** Each attempt reverts one conversion; a file that needs more attempts is not converted. */
const mostAttempts = 200

/** What to do with each segment; undefined for segments without a legacy entry. */
function judgeAll(read: EntriesFile, options: ConvertOptions): (Judgement | undefined)[] {
  const seen = new Set<string>()
  const judgements = read.segments.map(({ entry, text }) => {
    if (!entry) return undefined
    const copy = `${entry.id} ${bodyHash(entry.entry)}`
    const isCopy = seen.has(copy)
    seen.add(copy)
    return entry.format === "legacy" ? judge(entry, text, options, isCopy) : undefined
  })
  // Backwards: a bullet can become an entry only if an entry follows; otherwise it would absorb the text below it.
  for (let index = read.segments.length - 1; index >= 0; index--) {
    const judgement = judgements[index]
    const { entry } = read.segments[index] as Segment
    if (judgement?.action !== "convert" || entry?.format !== "legacy" || entry.unit !== "bullet") continue
    if (!endsBefore(read.segments[index + 1], judgements[index + 1]))
      judgements[index] = leave(judgement.entry, "text follows that would become part of it")
  }
  keepLenders(read, judgements)
  return judgements
}

/** An unconverted entry may inherit its date or author from the entry above, which then must not be converted either. */
function keepLenders(read: EntriesFile, judgements: (Judgement | undefined)[]): void {
  const byLine = new Map(read.segments.map(({ entry }, index) => [entry?.line, index]))
  for (let index = read.segments.length - 1; index >= 0; index--) {
    const { entry } = read.segments[index] as Segment
    if (entry?.format !== "legacy" || entry.inheritsFrom === undefined || judgements[index]?.action !== "keep") continue
    const lender = byLine.get(entry.inheritsFrom)
    const judgement = lender === undefined ? undefined : judgements[lender]
    if (lender !== undefined && judgement?.action === "convert")
      judgements[lender] = leave(judgement.entry, "an entry below takes its date or author")
  }
}

/** True when a SEM entry in front of the segment would end there. */
function endsBefore(next: Segment | undefined, judgement: Judgement | undefined): boolean {
  if (next === undefined || next.kind === "sem" || judgement?.action === "convert") return true
  const { lines } = splitLines(next.text)
  const first = lines.findIndex((line) => line.trim() !== "")
  return first === -1 || opensSection(lines, new Uint8Array(lines.length), first)
}

function judge(entry: Legacy, text: string, options: ConvertOptions, isCopy: boolean): Judgement {
  const { reading, unit } = entry
  if (unit === "update") return leave(entry.entry, "team update")
  if (reading.empty) return leave(entry.entry, "empty")
  if (unit === "bullet" && reading.dateSource !== "heading" && !options.bullets)
    return leave(entry.entry, "undated bullet")
  if (isCopy && options.dedupe)
    return {
      level: "auto",
      reasons: ["exact copy dropped"],
      entry: entry.entry,
      action: "drop",
      isCopy,
      forbidden: undefined,
    }

  const reasons: ReviewReason[] = [...reading.reasons]
  if (unit === "bullet" && reading.dateSource === "none") reasons.push("missing date")
  const answer = options.answers?.get(entry.id)
  const pinned = pinId(applyAnswer(entry.entry, answer, text), entry.id)
  const forbidden = findForbidden(entry, text, pinned)
  if (forbidden) reasons.push("forbidden content")
  const missing = missingLines(splitLines(text).lines, writeEntry(pinned))[0]
  if (missing) return leave(entry.entry, `line ${entry.line + missing.index} would be lost`)
  if (reasons.length === 0) return { level: "auto", reasons, entry: pinned, action: "convert", isCopy, forbidden }
  const convert = wantsConversion(options, answer) && isPossible(reasons, answer)
  const reviewed = answer ? pinned : { ...pinned, review: reasons.join(", ") }
  return {
    level: "review",
    reasons,
    entry: convert ? reviewed : pinned,
    action: convert ? "convert" : "keep",
    isCopy,
    forbidden,
  }
}

function leave(entry: Entry, reason: string): Judgement {
  return { level: "left", reasons: [reason], entry, action: "keep", isCopy: false, forbidden: undefined }
}

/** Checks both the existing and the new text, because a review answer may add forbidden content. */
function findForbidden(entry: Legacy, text: string, written: Entry): Forbidden | undefined {
  const [inFile] = detectForbidden(text)
  if (inFile) return { line: entry.line + text.slice(0, inFile.start).split("\n").length - 1, reason: inFile.reason }
  const [inResult] = detectForbidden(writeEntry(written))
  return inResult && { line: entry.line, reason: inResult.reason }
}

function wantsConversion(options: ConvertOptions, answer: ReviewAnswer | undefined): boolean {
  return answer ? answer.action === "convert" : options.includeReview === true
}

/** No review answer can allow a secret, and an entry needs a date. */
function isPossible(reasons: ReviewReason[], answer: ReviewAnswer | undefined): boolean {
  if (reasons.includes("forbidden content")) return false
  return !reasons.includes("missing date") || answer?.timestamp !== undefined
}

/** Applies a review answer. A heading replaced by a new title is kept in the details. */
function applyAnswer(entry: Entry, answer: ReviewAnswer | undefined, text: string): Entry {
  if (!answer || answer.action === "leave") return entry
  const changed: Entry = {
    ...entry,
    ...(answer.type ? { type: answer.type } : {}),
    ...(answer.author ? { author: answer.author } : {}),
  }
  if (answer.author && answer.author !== entry.author) {
    changed.contributors = changed.contributors.filter((name) => name !== answer.author)
    if (entry.author !== "unknown")
      changed.extensions = [...changed.extensions, { name: "author before review", value: entry.author }]
  }
  if (answer.title) {
    changed.title = answer.title
    const heading = (splitLines(text).lines[0] ?? "").replace(/^#{1,6}[ \t]+/, "")
    changed.details = [heading, entry.details ?? ""].join("\n\n")
  }
  if (answer.timestamp) {
    changed.timestamp = answer.timestamp
    changed.precision = answer.precision ?? "second"
  }
  return normalizeEntry(changed)
}

/** Writes the id into the entry if it would otherwise change. */
function pinId(entry: Entry, id: string): Entry {
  return derivedId(entry) === id && entry.id === undefined ? entry : { ...entry, id }
}

/** Renders a segment; a converted entry ends with a blank line to separate it from the next one. */
function toPiece(segment: Segment, judgement: Judgement | undefined, last: boolean, options: WriteOptions): string {
  if (judgement?.action === "drop") return ""
  if (judgement?.action !== "convert") return segment.text
  const written = writeEntry(judgement.entry, options)
  return last ? written : written + (options.lineEnd ?? "\n")
}

function withByteOrderMark(original: string, text: string): string {
  return original.startsWith("\uFEFF") && !text.startsWith("\uFEFF") ? `\uFEFF${text}` : text
}

/** The conversion to revert because the result parses differently from the original; undefined if it does not. */
function findDisturbing(
  read: EntriesFile,
  judgements: (Judgement | undefined)[],
  result: EntriesFile,
): number | undefined {
  let at = 0
  let lastConverted: number | undefined
  for (const [index, { entry }] of read.segments.entries()) {
    if (!entry || judgements[index]?.action === "drop") continue
    const next = result.entries[at++]
    if (judgements[index]?.action === "convert") lastConverted = index
    if (next?.id !== entry.id) return required(lastConverted, read, result)
  }
  return at === result.entries.length ? undefined : required(lastConverted, read, result)
}

function required(index: number | undefined, read: EntriesFile, result: EntriesFile): number {
  if (index !== undefined) return index
  throw new Error(
    `A conversion that changed nothing reads differently: ${read.entries.length} entries became ${result.entries.length}.`,
  )
}

function toRecords(
  path: string,
  read: EntriesFile,
  judgements: (Judgement | undefined)[],
  pieces: string[],
): ConversionRecord[] {
  return read.segments.flatMap((segment, index) => {
    const judgement = judgements[index]
    const { entry } = segment
    if (!judgement || entry?.format !== "legacy") return []
    const { type, timestamp, precision } = judgement.entry
    const withhold = (value: string) => (judgement.forbidden ? withheld(value) : value)
    return {
      file: path,
      line: entry.line,
      endLine: entry.endLine,
      heading: withhold((splitLines(segment.text).lines[0] ?? "").trim()),
      level: judgement.level,
      converted: judgement.action === "convert",
      reasons: judgement.reasons,
      copy: judgement.isCopy,
      ...(judgement.forbidden ? { forbidden: judgement.forbidden } : {}),
      type,
      timestamp,
      precision,
      author: withhold(judgement.entry.author),
      authorSource: entry.reading.authorSource,
      dateSource: entry.reading.dateSource,
      id: entry.id,
      bytesBefore: Buffer.byteLength(segment.text),
      bytesAfter: Buffer.byteLength(pieces[index] ?? ""),
    }
  })
}

/** The text for the log, or `[withheld]` if it contains forbidden content. */
function withheld(text: string): string {
  return detectForbidden(text).length > 0 ? "[withheld]" : text
}
