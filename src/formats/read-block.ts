import type { Diagnostic } from "./diagnostics.ts"
import type { Block } from "./find-blocks.ts"
import { findAuthor, type Origin } from "./legacy/fallbacks.ts"
import { parseHeading, parseHeadingText } from "./legacy/parse-heading.ts"
import { readBullet, readDecisionBullet } from "./legacy/read-bullet.ts"
import { isEmpty, readLegacyEntry } from "./legacy/read-legacy-entry.ts"
import { splitBody } from "./legacy/split-body.ts"
import type { ReadEntry } from "./read-entries.ts"
import { readSemEntry } from "./read-sem-entry.ts"
import type { SourceText } from "./source-text.ts"

/** The entry a block holds, before ids are told. `timeStated` is false when its time of day is still to be invented. */
export type BlockReading = { entry: Unidentified; diagnostics: Diagnostic[]; timeStated: boolean }
type Unidentified = DistributiveOmit<ReadEntry, "id">
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** Reads the entry of a block in the format it is in; undefined for a block that holds none. */
export function readBlock(
  block: Block,
  blocks: readonly Block[],
  source: SourceText,
  fenced: Uint8Array,
  origin: Origin,
): BlockReading | undefined {
  if (block.kind === "sem") return readSemBlock(block, source, fenced, origin)
  if (block.kind === "bullet") return readBulletBlock(block, source, origin)
  return block.kind === "legacy" ? readLegacyBlock(block, blocks, source, fenced, origin) : undefined
}

function readSemBlock(
  block: Block & { kind: "sem" },
  source: SourceText,
  fenced: Uint8Array,
  origin: Origin,
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

function readBulletBlock(block: Block & { kind: "bullet" }, source: SourceText, origin: Origin): BlockReading {
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
  origin: Origin,
): BlockReading | undefined {
  const place = placeOf(block, source)
  const headingAt = origin.kind === "inbox" ? findHeading(block, source, fenced) : block.start
  const { lines, mask } = linesWithout(source, fenced, block.start, place.endLine, headingAt)
  const parent = block.parent === undefined ? undefined : blocks[block.parent]
  // A title alone is never converted; what it took from an entry above would change when that one is.
  const enclosing = isEmpty(lines) && parent?.kind === "legacy" ? undefined : origin.enclosing
  const reading = readLegacyEntry({ heading: block.heading, lines, fenced: mask, origin: { ...origin, enclosing } })
  if (reading.empty && reading.dateSource !== "heading") return undefined // a heading that groups, with nothing to say
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

/** In an inbox file text may stand above the heading; it belongs to the entry all the same. */
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

/** Where an entry stands, counted from 1; blank lines after it, and a closing `---` of a legacy one, are not part of it. */
function placeOf(block: Block, source: SourceText): { line: number; endLine: number } {
  let end = block.end
  const isGap = (line: string) => line.trim() === "" || (block.kind !== "sem" && /^---[ \t]*$/.test(line))
  while (end > block.start + 1 && isGap(source.lines[end - 1] ?? "")) end--
  return { line: block.start + 1, endLine: end }
}
