import { headingLevel } from "./demote-headings.ts"
import { type Diagnostic, diagnostic } from "./diagnostics.ts"
import type { Entry } from "./entry.ts"
import { assignIds } from "./entry-id.ts"
import { findFences } from "./fences.ts"
import { type Block, findBlocks, isConflictStart } from "./find-blocks.ts"
import { readFrontMatter } from "./front-matter.ts"
import { type FileKind, type FrontMatter, undated } from "./legacy/fallbacks.ts"
import { findDates, type WrittenDate } from "./legacy/find-date.ts"
import { inventTimes } from "./legacy/invent-times.ts"
import { linkSuperseded } from "./legacy/link-superseded.ts"
import { parseHeading, parseHeadingText } from "./legacy/parse-heading.ts"
import type { LegacyReading } from "./legacy/read-legacy-entry.ts"
import { makeRoster, namesIn, type Roster } from "./legacy/roster.ts"
import { type BlockReading, readBlock } from "./read-block.ts"
import { hasImpossibleDate, keptConflictId, semHeaderAt } from "./sem-grammar.ts"
import { type SourceText, sliceLines, splitLines } from "./source-text.ts"
import { dateOf, isPlausible, type Timestamp } from "./timestamp.ts"

/** What the reader is told about a file; everything but the kind may be left out. */
export type ReadContext = {
  kind: FileKind
  fileName?: string | undefined
  /** The agent whose folder the file is in. */
  agent?: string | undefined
  roster?: Roster | undefined
  /** Who last changed a line (counted from 1) and when, where the file is in git. */
  blame?: ((line: number) => { timestamp: Timestamp; author: string } | undefined) | undefined
  /** The clock, for telling implausible dates. */
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

/** A piece of a file; joining the texts of all segments gives the file back byte for byte. */
export type Segment = { kind: "preamble" | "sem" | "legacy" | "other"; text: string; line: number; entry?: ReadEntry }

export type EntriesFile = { segments: Segment[]; entries: ReadEntry[]; diagnostics: Diagnostic[] }

/** Reads a file of entries in SEM, in any legacy style, or mixed. Never throws on content. */
export function readEntries(text: string, context: ReadContext): EntriesFile {
  const source = splitLines(text)
  const fences = findFences(source.lines, "file")
  const frontMatter = context.kind === "inbox" ? readFrontMatter(source.lines) : { frontMatter: {}, lines: 0 }
  const blocks = cutIntoBlocks(source, fences.fenced, context, frontMatter)
  const diagnostics = reportLines(source, fences)
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

  inventTimes(read.map(({ entry, timeStated }) => ({ entry: entry.entry, timeStated })))
  const ids = assignIds(read.map(({ entry }) => entry.entry))
  const entries = read.map(({ entry }, index): ReadEntry => ({ ...entry, id: ids[index] ?? "" }))
  linkSuperseded(entries)
  for (const each of entries) diagnostics.push(...reportEntry(each, context.now))
  const entryByBlock = new Map(read.map(({ block }, index) => [block, entries[index]]))
  const segments = blocks.map((block, index) => toSegment(source, block, index, entryByBlock.get(index)))
  return { segments, entries, diagnostics: diagnostics.sort((one, other) => one.line - other.line) }
}

type Enclosing = { date: WrittenDate | undefined; author: string | undefined; isEntry?: boolean }

/** An inbox file is one entry, however many headings it has, unless two of them are dated or it is SEM. */
function cutIntoBlocks(
  source: SourceText,
  fenced: Uint8Array,
  context: ReadContext,
  front: { frontMatter: FrontMatter; lines: number },
): Block[] {
  const blocks = findBlocks(source.lines, fenced, context.kind)
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

/** What is odd about the lines themselves, whatever entries they make. */
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
