import { DreyError } from "../../errors.ts"
import { findFences } from "../../formats/fences.ts"
import { type ReadContext, readEntries } from "../../formats/read-entries.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { mergeLines } from "./merge-lines.ts"

export type ThreeTexts = { base: string; ours: string; theirs: string }

/**
 * Unites two versions of a file of entries. Entries are matched by id, so two sides may add, edit, delete and reorder
 * at will; one that both sides changed is kept in both versions, with a comment that `validate` reports.
 */
export function mergeEntries(texts: ThreeTexts, context: ReadContext): string {
  const lineEnd = dominantLineEnd(texts.ours || texts.theirs)
  const titles = new Set(Object.values(texts).map((text) => firstLine(withoutMark(text))))
  const base = readUnits(texts.base, context, titles)
  const ours = readUnits(texts.ours, context, titles)
  const theirs = readUnits(withLineEnd(texts.theirs, lineEnd), context, titles)
  // Who did not move anything leaves the order to the one who did.
  const oursLeads = !keepsOrder(base, ours) || keepsOrder(base, theirs)
  const [lead, other] = oursLeads ? [ours, theirs] : [theirs, ours]
  const merged = new Map<string, Unit>()
  for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
    const unit = mergeUnit(base.get(key), ours.get(key), theirs.get(key), lineEnd)
    if (unit) merged.set(key, unit)
  }
  const order = uniteOrder(base, lead, other, merged)
  const text = writeUnits(
    order.map((key) => merged.get(key) as Unit),
    lineEnd,
  )
  requireEveryEntry(text, merged, context)
  return texts.ours.startsWith(byteOrderMark) ? byteOrderMark + text : text
}

/** The comment before the second version of an entry that both sides changed; the reader reports it as `merge-conflict-kept`. */
export function conflictComment(id: string): string {
  return `<!-- drey: conflict ${id} -->`
}

/**
 * A piece of a file that is merged as one, byte for byte; `gap` is the blank lines and the `---` behind it, `says` the
 * text without regard to line ends, for comparing.
 */
type Unit = {
  key: string
  kind: "sem" | "legacy" | "bullet" | "other"
  text: string
  says: string
  gap: string
  next: string
  /** The versions of an entry that both sides changed. */
  versions: string[]
}
type Units = ReadonlyMap<string, Unit>

const byteOrderMark = "\uFEFF"

/** `titles` are the first lines of all versions: the top of a file is matched by them, also where one side put entries above it. */
function readUnits(file: string, context: ReadContext, titles: ReadonlySet<string> = new Set()): Units {
  const units = new Map<string, Unit>()
  let last: Unit | undefined
  const pieces = readEntries(withoutMark(file), context).segments.flatMap(({ text, entry }) =>
    (entry ? [text] : splitSections(text)).map((piece) => ({ piece, entry })),
  )
  for (const { piece, entry } of pieces) {
    const { text, gap } = splitGap(piece)
    if (text === "" && (last || gap === "")) {
      if (last) last.gap += gap
      continue
    }
    const kind = !entry ? "other" : entry.format === "sem" ? "sem" : entry.unit === "entry" ? "legacy" : "bullet"
    const key = freeKey(units, entry?.id ?? nameOfText(text, last === undefined || titles.has(firstLine(text))))
    if (last) last.next = key
    const says = text.replace(/\r+$/gm, "")
    last = { key, kind, text, says, gap, next: "", versions: [says] }
    units.set(key, last)
  }
  return units
}

function withoutMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text
}

/** A side whose lines end differently throughout is brought into line; a stray line end stays as it is. */
function withLineEnd(text: string, lineEnd: "\n" | "\r\n"): string {
  return dominantLineEnd(text) === lineEnd ? text : text.replace(/\r*\n/g, lineEnd)
}

function splitGap(piece: string): { text: string; gap: string } {
  const lines = piece.split("\n")
  let end = lines.length
  while (end > 0 && /^[ \t\r]*$|^---[ \t\r]*$/.test(lines[end - 1] ?? "")) end--
  const text = lines.slice(0, end).join("\n").replace(/\r+$/, "")
  return { text, gap: piece.slice(text.length) }
}

/**
 * Text between entries, cut at its headings. A file without entries is one such text and a file with an entry in the middle is two, so only
 * sections can be matched between versions; as a whole they would be merged twice.
 */
function splitSections(text: string): string[] {
  const lines = text.split(/(?<=\n)/)
  const { fenced } = findFences(lines.map((line) => line.trimEnd()))
  const sections: string[] = []
  for (const [index, line] of lines.entries()) {
    if (sections.length === 0 || (!fenced[index] && /^#{1,6}\s/.test(line))) sections.push(line)
    else sections.push(sections.pop() + line)
  }
  return sections
}

/** Text outside entries is matched by its heading or first line, and the top of the file by its place. */
function nameOfText(text: string, isTop: boolean): string {
  return isTop ? "top of the file" : `text ${firstLine(text)}`
}

function firstLine(text: string): string {
  return text.split("\n", 1).join("").trim()
}

function freeKey(units: Units, name: string): string {
  for (let copy = 1; ; copy++) {
    const key = copy === 1 ? name : `${name} (${copy})`
    if (!units.has(key)) return key
  }
}

function keepsOrder(base: Units, side: Units): boolean {
  const place = new Map([...base.keys()].map((key, index) => [key, index]))
  const places = [...side.keys()].map((key) => place.get(key)).filter((index) => index !== undefined)
  return places.every((index, position) => position === 0 || index > (places[position - 1] ?? 0))
}

function mergeUnit(
  base: Unit | undefined,
  ours: Unit | undefined,
  theirs: Unit | undefined,
  lineEnd: string,
): Unit | undefined {
  if (ours?.says === theirs?.says) return ours
  if (ours?.says === base?.says) return theirs
  if (theirs?.says === base?.says) return ours
  if (!ours || !theirs) return ours ?? theirs // deleted here and changed there: the change is kept
  if (ours.kind === "other")
    return { ...ours, text: mergeLines({ base: base?.text ?? "", ours: ours.text, theirs: theirs.text }) }
  const first = ours.text + gapBetween(ours, theirs, lineEnd) + conflictComment(ours.key) + lineEnd
  return { ...theirs, text: first + theirs.text, versions: [ours.says, theirs.says] }
}

/** The leading side's order; what only the other side has stands behind what it follows there. */
function uniteOrder(base: Units, lead: Units, other: Units, merged: ReadonlyMap<string, Unit>): string[] {
  const order = [...lead.keys()].filter((key) => merged.has(key))
  const placed = new Set(order)
  const isHeaded = (key: string) => ["sem", "legacy"].includes(merged.get(key)?.kind ?? "")
  // Behind what the leading side added in the same place; but loose text below a new heading would become a part of it.
  const isPassed = (key: string, next: string) =>
    !base.has(next) && !other.has(next) && (isHeaded(key) || !isHeaded(next))
  let previous: string | undefined
  for (const key of other.keys()) {
    if (merged.has(key) && !placed.has(key)) {
      let at = previous === undefined ? 0 : order.indexOf(previous) + 1
      while (at < order.length && isPassed(key, order[at] ?? "")) at++
      order.splice(at, 0, key)
      placed.add(key)
    }
    if (placed.has(key)) previous = key
  }
  return order
}

function writeUnits(units: Unit[], lineEnd: string): string {
  return units
    .map((unit, index) => {
      const next = units[index + 1]
      if (next) return unit.text + (unit.next === next.key ? unit.gap : gapBetween(unit, next, lineEnd))
      return unit.text + (unit.next === "" && unit.gap !== "" ? unit.gap : unit.gap.trimEnd() + lineEnd)
    })
    .join("")
}

/** What must stand between two units that were not neighbours, so that the reader still tells them apart. */
function gapBetween(unit: Unit, next: Unit, lineEnd: string): string {
  const blankLine = lineEnd + lineEnd
  if (unit.kind === "sem" && !unit.gap.includes("---")) return `${blankLine}---${blankLine}`
  if (unit.kind === "bullet" && next.kind === "bullet") return lineEnd
  return unit.gap.trimEnd() + blankLine
}

/**
 * Legacy entries are told apart by what stands around them; before the result counts, it must read as what was put in.
 * In a history a headed entry takes in the loose bullets below it, as it would have on either side: there it may go on.
 */
function requireEveryEntry(text: string, merged: ReadonlyMap<string, Unit>, context: ReadContext): void {
  const found = [...readUnits(text, context).values()].filter(({ kind }) => kind !== "other").map(({ says }) => says)
  const whole = new Set(found)
  const isThere = (version: string) =>
    whole.has(version) || (context.kind === "history" && found.some((says) => says.startsWith(`${version}\n`)))
  for (const { key, kind, versions } of merged.values()) {
    if (kind === "other" || (kind === "bullet" && context.kind === "history") || versions.every(isThere)) continue
    throw new DreyError(`The entry ${key} would not be read as an entry after the merge`, {
      hint: "Merge this file by hand.",
    })
  }
}
