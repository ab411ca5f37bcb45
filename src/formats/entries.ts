import { type Block, findBlocks, isConflictStart, isIndentedHeading, readFrontMatter } from "./blocks.ts"
import { type Diagnostic, diagnostic } from "./diagnostics.ts"
import type { Entry } from "./entry.ts"
import { assignIds } from "./ids.ts"
import { splitBody } from "./legacy/body.ts"
import { assignMissingTimes, findDates, type WrittenDate } from "./legacy/dates.ts"
import { type EntryFrontMatter, type EntryOrigin, type FileKind, findAuthor, undated } from "./legacy/fallbacks.ts"
import { parseHeading, parseHeadingText } from "./legacy/heading.ts"
import {
  isEmpty,
  type LegacyReading,
  readBullet,
  readDecisionBullet,
  readLegacyEntry,
  typeByClass,
} from "./legacy/legacy-entry.ts"
import { makeRoster, namesIn, type Roster } from "./legacy/roster.ts"
import { findFences, headingLevel } from "./markdown.ts"
import { linkSuperseded } from "./references.ts"
import { readSemEntry } from "./sem-entry.ts"
import { hasImpossibleDate, keptConflictId, semHeaderAt } from "./sem-grammar.ts"
import { isBlank, type SourceText, sliceLines, splitLines } from "./source-text.ts"
import { dateOf, isPlausible, type Timestamp } from "./timestamp.ts"

/** What the reader knows about a file; everything but the kind is optional. */
export type ReadContext = {
  kind: FileKind
  fileName?: string | undefined
  /** The agent whose folder the file is in. */
  agent?: string | undefined
  roster?: Roster | undefined
  /** The author and time of the last change of a line (counted from 1), if the file is in git. */
  blame?: ((line: number) => { timestamp: Timestamp; author: string } | undefined) | undefined
  /** The clock, to detect implausible dates. */
  now?: Date | undefined
}

/**
 * One entry of a file, in either format, with its place. Lines count from 1; `endLine` is its last. `inheritsFrom` is the
 * line of the legacy entry above whose date or author it takes.
 */
export type ReadEntry = {
  entry: Entry
  id: string
  line: number
  endLine: number
  scopeExplicit: boolean
} & (
  | { format: "sem" }
  | { format: "legacy"; unit: "entry" | "bullet" | "update"; reading: LegacyReading; inheritsFrom: number | undefined }
)

/** A piece of a file; joining the texts of all segments gives the original file byte for byte. */
export type Segment = { kind: "preamble" | "sem" | "legacy" | "other"; text: string; line: number; entry?: ReadEntry }

export type EntriesFile = { segments: Segment[]; entries: ReadEntry[]; diagnostics: Diagnostic[] }

/** Reads a file of entries in SEM, in any legacy style, or mixed. Never throws on content. */
export function readEntries(text: string, context: ReadContext): EntriesFile {
  const written = splitLines(text)
  const fences = findFences(written.lines, "file")
  const source = withoutIndents(written, fences.fenced, context.kind)
  const frontMatter = context.kind === "inbox" ? readFrontMatter(source.lines) : { frontMatter: {}, lines: 0 }
  const blocks = cutIntoBlocks(source, fences.fenced, context, frontMatter)
  const diagnostics = context.kind === "skill" ? [] : reportLines(source, fences)
  const roster = context.roster ?? makeRoster([])

  const read: (BlockReading & { block: number })[] = []
  const knownAt = new Map<number, Enclosing>()
  for (const [index, block] of blocks.entries()) {
    const enclosing = enclosingOf(block, blocks, knownAt)
    if (block.kind === "container") knownAt.set(index, containerInfo(block, roster, enclosing))
    const reading = readBlock(block, blocks, source, fences.fenced, {
      kind: context.kind,
      fileName: context.fileName ?? "",
      agent: context.agent,
      roster,
      frontMatter: frontMatter.lines > 0 ? frontMatter.frontMatter : undefined,
      enclosing,
      blame: context.blame?.(block.start + 1),
    })
    if (!reading) continue
    read.push({ block: index, ...reading })
    diagnostics.push(...reading.diagnostics)
    if (reading.entry.format === "legacy") knownAt.set(index, entryInfo(reading.entry.reading, enclosing))
  }

  const [first] = read
  if (first?.entry.format === "sem") first.entry.entry = asRecorded(first.entry.entry, frontMatter.frontMatter)
  assignMissingTimes(read.map(({ entry, timeStated }) => ({ entry: entry.entry, timeStated })))
  const ids = assignIds(read.map(({ entry }) => entry.entry))
  const entries = read.map(({ entry }, index): ReadEntry => ({ ...entry, id: ids[index] ?? "" }))
  linkSuperseded(entries)
  for (const each of entries) diagnostics.push(...reportEntry(each, context.now))
  const entryByBlock = new Map(read.map(({ block }, index) => [block, entries[index]]))
  const segments = blocks.map((block, index) => toSegment(source, block, index, entryByBlock.get(index)))
  return { segments, entries, diagnostics: diagnostics.sort((one, other) => one.line - other.line) }
}

/** The front matter counts: a promotion by Squad copies the text of an entry to a memory with another id and class. */
function asRecorded(entry: Entry, { id = entry.id, class: memoryClass }: EntryFrontMatter): Entry {
  const isRaised = entry.type === "note" && (memoryClass === "DECISION" || memoryClass === "POLICY")
  const type = isRaised ? typeByClass[memoryClass] : undefined
  return { ...entry, ...(type && { type }), ...(id && { id }) }
}

/** The headings that are indented, as Markdown allows, at the margin; in a list or in the body of a SEM entry they stay text. */
function withoutIndents(source: SourceText, fenced: Uint8Array, kind: FileKind): SourceText {
  if (!source.lines.some((line, index) => isIndentedHeading(line) && !fenced[index])) return source
  const inSem = new Uint8Array(source.lines.length)
  for (const block of findBlocks(source.lines, fenced, kind))
    if (block.kind === "sem") inSem.fill(1, block.start, block.end)
  let listIndent = Number.POSITIVE_INFINITY // where the text of the list item above begins
  const lines = source.lines.map((line, index) => {
    if (line.trim() === "") return line
    const indent = line.length - line.trimStart().length
    const item = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?=\S)/.exec(line)?.[0].length
    if (indent < listIndent)
      listIndent = item ?? (isBlank(source.lines[index - 1] ?? "") ? Number.POSITIVE_INFINITY : listIndent)
    if (!isIndentedHeading(line) || fenced[index] || inSem[index] || indent >= listIndent) return line
    listIndent = Number.POSITIVE_INFINITY
    return line.trimStart()
  })
  return { ...source, lines }
}

type Enclosing = { date: WrittenDate | undefined; author: string | undefined; isEntry?: boolean }

/** An inbox file is one entry, however many headings it has, unless two of them are dated or it is SEM. */
function cutIntoBlocks(
  source: SourceText,
  fenced: Uint8Array,
  context: ReadContext,
  front: { frontMatter: EntryFrontMatter; lines: number },
): Block[] {
  const blocks = findBlocks(source.lines, fenced, context.kind)
  if (context.kind === "skill") {
    const asText = ({ start, end }: Block): Block => ({ kind: "other", start, end, heading: undefined })
    return blocks.map((block) => (block.kind === "sem" ? block : asText(block)))
  }
  if (context.kind !== "inbox" || source.lines.length === 0) return blocks
  const hasSem = blocks.some(({ kind }) => kind === "sem")
  const datedStarts = blocks.filter((block) => block.kind === "legacy" && block.heading.date !== undefined)
  if (hasSem || datedStarts.length >= 2 || blocks.some(({ kind }) => kind === "conflict")) return blocks
  const headingLine = source.lines.findIndex(
    (line, index) => index >= front.lines && !fenced[index] && headingLevel(line) > 0,
  )
  const found = headingLine === -1 ? undefined : parseHeading(source.lines[headingLine] ?? "")
  const title = front.frontMatter.title
  const own = found !== undefined && (title === undefined || found.title === title) ? found : undefined
  const heading = own ?? parseHeadingText(title ?? titleFromFileName(context.fileName ?? ""), 1)
  const entry: Block = { kind: "legacy", start: front.lines, end: source.lines.length, heading, parent: undefined }
  if (front.lines === 0) return [entry]
  return [{ kind: "other", start: 0, end: front.lines, heading: undefined }, entry]
}

function titleFromFileName(fileName: string): string {
  return fileName.replace(/\.md$/i, "").replace(/[-_]+/g, " ").trim() || "Untitled"
}

function enclosingOf(block: Block, blocks: Block[], known: Map<number, Enclosing>): Enclosing | undefined {
  if (block.kind !== "legacy" && block.kind !== "container" && block.kind !== "bullet") return undefined
  return block.parent === undefined
    ? undefined
    : (known.get(block.parent) ?? enclosingOf(blocks[block.parent] as Block, blocks, known))
}

function containerInfo(block: Block & { kind: "container" }, roster: Roster, above: Enclosing | undefined): Enclosing {
  const names = namesIn(block.heading.text, roster)
  const date = block.heading.date ?? findDates(block.heading.text)[0]
  return { date: date ?? above?.date, author: (names.length === 1 ? names[0] : undefined) ?? above?.author }
}

function entryInfo({ entry, dateSource, authorSource }: LegacyReading, above: Enclosing | undefined): Enclosing {
  const sure = dateSource === "heading" || dateSource === "label" || dateSource === "container"
  const date: WrittenDate | undefined = sure
    ? { kind: "day", date: dateOf(entry.timestamp), start: 0, end: 0 }
    : above?.date
  const named =
    authorSource === "label" || authorSource === "heading" || authorSource === "body" || authorSource === "container"
  return { date, author: named ? entry.author : above?.author, isEntry: true }
}

function toSegment(source: SourceText, block: Block, index: number, entry: ReadEntry | undefined): Segment {
  const text = sliceLines(source, block.start, block.end)
  const kind = entry ? entry.format : index === 0 ? "preamble" : "other"
  return { kind, text, line: block.start + 1, ...(entry ? { entry } : {}) }
}

/** Problems of the lines themselves, whatever entries they form. */
function reportLines(source: SourceText, fences: { fenced: Uint8Array; unclosed: number[] }): Diagnostic[] {
  const diagnostics = fences.unclosed.map((line) =>
    diagnostic(
      "unclosed-fence",
      line + 1,
      "This code fence is not closed before the next entry or the end; its lines are treated as text.",
    ),
  )
  source.lines.forEach((line, index) => {
    const first = line.charCodeAt(0)
    if (first === 0x23 && fences.fenced[index] && semHeaderAt(source.lines, index)) {
      diagnostics.push(
        diagnostic(
          "fenced-header",
          index + 1,
          "An entry header inside a code fence was treated as an example; check for an unclosed fence above it.",
        ),
      )
    } else if (first === 0x23 && !fences.fenced[index] && hasImpossibleDate(line)) {
      diagnostics.push(diagnostic("invalid-field", index + 1, "The date in this heading does not exist."))
    } else if (first === 0x3c && isConflictStart(line) && !fences.fenced[index]) {
      diagnostics.push(diagnostic("conflict-marker", index + 1, "Unresolved merge conflict."))
    } else if (first === 0x3c && !fences.fenced[index] && keptConflictId(line) !== undefined) {
      const message = `Both sides of a merge changed ${keptConflictId(line)}: keep one version and delete this line.`
      diagnostics.push(diagnostic("merge-conflict-kept", index + 1, message))
    }
  })
  return diagnostics
}

function reportEntry({ entry, id, line, ...rest }: ReadEntry, now: Date | undefined): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const isUndated = dateOf(entry.timestamp) === undated
  if (rest.format === "legacy" && rest.unit === "entry") {
    if (isUndated) diagnostics.push(diagnostic("no-date", line, `"${entry.title}" has no date.`))
    if (entry.author === "unknown")
      diagnostics.push(diagnostic("missing-author", line, `"${entry.title}" has no author.`))
  }
  if (now && !isUndated && !isPlausible(entry.timestamp, now)) {
    diagnostics.push(
      diagnostic("implausible-date", line, `${dateOf(entry.timestamp)} is before 2020 or in the future.`),
    )
  }
  return diagnostics.map((each) => ({ ...each, entryId: id }))
}

/** The entry of a block, before ids are assigned. `timeStated` is false if its time of day still has to be made up. */
type BlockReading = { entry: Unidentified; diagnostics: Diagnostic[]; timeStated: boolean }
type Unidentified = DistributiveOmit<ReadEntry, "id">
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** Reads the entry of a block in the format it is in; undefined for a block that holds none. */
function readBlock(
  block: Block,
  blocks: readonly Block[],
  source: SourceText,
  fenced: Uint8Array,
  origin: EntryOrigin,
): BlockReading | undefined {
  if (block.kind === "sem") return readSemBlock(block, source, fenced, origin)
  if (block.kind === "bullet") return readBulletBlock(block, source, origin)
  return block.kind === "legacy" ? readLegacyBlock(block, blocks, source, fenced, origin) : undefined
}

function readSemBlock(
  block: Block & { kind: "sem" },
  source: SourceText,
  fenced: Uint8Array,
  origin: EntryOrigin,
): BlockReading {
  const place = placeOf(block, source)
  const isTerminated = /^---[ \t]*$/.test(source.lines[place.endLine - 1] ?? "")
  const end = place.endLine - (isTerminated ? 1 : 0)
  const lines = source.lines.slice(block.start + 1, end)
  const mask = fenced.subarray(block.start + 1, end)
  const findFallback = () => {
    const { author, source: found } = findAuthor(
      parseHeadingText(block.header.title, 3),
      splitBody(lines, mask, false),
      origin,
    )
    return found === "none" ? undefined : author
  }
  const { entry, scopeExplicit, timeStated, diagnostics } = readSemEntry({
    header: block.header,
    line: place.line,
    lines,
    fenced: mask,
    agent: origin.agent,
    findFallback,
  })
  return { entry: { ...place, entry, scopeExplicit, format: "sem" }, diagnostics, timeStated }
}

function readBulletBlock(block: Block & { kind: "bullet" }, source: SourceText, origin: EntryOrigin): BlockReading {
  const lines = source.lines.slice(block.start, block.end)
  const reading =
    origin.kind === "history" ? readBullet(lines, origin, block.update) : readDecisionBullet(lines, origin)
  const unit = block.update ? "update" : "bullet"
  return {
    entry: {
      ...placeOf(block, source),
      entry: reading.entry,
      scopeExplicit: false,
      format: "legacy",
      unit,
      reading,
      inheritsFrom: undefined,
    },
    diagnostics: [],
    timeStated: reading.entry.precision === "second",
  }
}

function readLegacyBlock(
  block: Block & { kind: "legacy" },
  blocks: readonly Block[],
  source: SourceText,
  fenced: Uint8Array,
  origin: EntryOrigin,
): BlockReading | undefined {
  const place = placeOf(block, source)
  const headingAt = origin.kind === "inbox" ? findHeading(block, source, fenced) : block.start
  const { lines, mask } = linesWithout(source, fenced, block.start, place.endLine, headingAt)
  const parent = block.parent === undefined ? undefined : blocks[block.parent]
  // A title alone is never converted; what it inherits from an entry above would change when that one does.
  const enclosing = isEmpty(lines) && parent?.kind === "legacy" ? undefined : origin.enclosing
  const reading = readLegacyEntry({ heading: block.heading, lines, fenced: mask, origin: { ...origin, enclosing } })
  if (reading.empty && reading.dateSource !== "heading") return undefined // a grouping heading without content
  const inherits = reading.dateSource === "container" || reading.authorSource === "container"
  const inheritsFrom = inherits && parent?.kind === "legacy" ? parent.start + 1 : undefined
  return {
    entry: {
      ...place,
      entry: reading.entry,
      scopeExplicit: false,
      format: "legacy",
      unit: "entry",
      reading,
      inheritsFrom,
    },
    diagnostics: [],
    timeStated: reading.entry.precision === "second",
  }
}

/** In an inbox file text may come before the heading; it still belongs to the entry. */
function findHeading(block: Block & { kind: "legacy" }, source: SourceText, fenced: Uint8Array): number {
  let at = block.start
  while (at < block.end && (fenced[at] || parseHeading(source.lines[at] ?? "")?.text !== block.heading.text)) at++
  return at
}

/** The lines from `start` up to `end` but for one, which in all but inbox files is the first. */
function linesWithout(
  source: SourceText,
  fenced: Uint8Array,
  start: number,
  end: number,
  without: number,
): { lines: string[]; mask: Uint8Array } {
  if (without === start) return { lines: source.lines.slice(start + 1, end), mask: fenced.subarray(start + 1, end) }
  if (without >= end) return { lines: source.lines.slice(start, end), mask: fenced.subarray(start, end) }
  const mask = new Uint8Array(end - start - 1)
  mask.set(fenced.subarray(start, without))
  mask.set(fenced.subarray(without + 1, end), without - start)
  return { lines: [...source.lines.slice(start, without), ...source.lines.slice(without + 1, end)], mask }
}

/** The position of an entry, counted from 1; blank lines after it, and a closing `---` of a legacy one, are not part of it. */
function placeOf(block: Block, source: SourceText): { line: number; endLine: number } {
  let end = block.end
  const isGap = (line: string) => line.trim() === "" || (block.kind !== "sem" && /^---[ \t]*$/.test(line))
  while (end > block.start + 1 && isGap(source.lines[end - 1] ?? "")) end--
  return { line: block.start + 1, endLine: end }
}
