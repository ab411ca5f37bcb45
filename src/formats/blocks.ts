import { isEntryId } from "./ids.ts"
import type { EntryFrontMatter, FileKind } from "./legacy/fallbacks.ts"
import { type LegacyHeading, parseHeading } from "./legacy/heading.ts"
import {
  isArchiveTitle,
  isFileTitle,
  isHistorySection,
  isProfileSection,
  isSectionName,
  isSubSectionName,
  parseLabels,
} from "./legacy/labels.ts"
import { headingLevel } from "./markdown.ts"
import { isDashes, isDatedHeading, keptConflictId, type SemHeader, semHeaderAt } from "./sem-grammar.ts"
import { isBlank } from "./source-text.ts"
import { parseTimestamp } from "./timestamp.ts"

/** A run of lines with one meaning; blocks follow one another without a gap, so together they are the file. */
export type Block = { start: number; end: number } & BlockMeaning
type BlockMeaning =
  | { kind: "sem"; header: SemHeader }
  /** `parent` is the block whose date and author an entry inherits: an enclosing entry or a container. */
  | { kind: "legacy"; heading: LegacyHeading; parent: number | undefined }
  | { kind: "container"; heading: LegacyHeading; parent: number | undefined }
  | { kind: "bullet"; parent: number | undefined; update: boolean }
  | { kind: "conflict" }
  | { kind: "other"; heading: LegacyHeading | undefined }

/** Splits a file into entries and the text around them, in one pass. SEM comes first; the rest is read by the sticky rule. */
export function findBlocks(lines: readonly string[], fenced: Uint8Array, kind: FileKind): Block[] {
  const blocks: Block[] = []
  let current: Block | undefined
  let inProfile = false

  const open = (start: number, meaning: BlockMeaning) => {
    if (current) current.end = start
    current = { start, end: lines.length, ...meaning }
    blocks.push(current)
  }
  // The headings above the current line, each deeper than the one before it.
  const enclosing: { block: number; level: number }[] = []
  const parentOf = (level: number) => {
    while ((enclosing.at(-1)?.level ?? 0) >= level) enclosing.pop()
    return enclosing.at(-1)?.block
  }
  // An entry above a bullet may be converted one day, a container stays: only its date is safe to inherit.
  const containerAbove = () => enclosing.findLast(({ block }) => blocks[block]?.kind === "container")?.block
  const openHeaded = (start: number, kind: "legacy" | "container", heading: LegacyHeading) => {
    const parent = parentOf(heading.level)
    open(start, { kind, heading, parent })
    enclosing.push({ block: blocks.length - 1, level: heading.level })
  }
  if (lines.length > 0) open(0, { kind: "other", heading: undefined })
  // The last numbered section of the entry: "10. Review (2026-03-01)" after its section 9 is a section too.
  let section: { block: number; level: number; number: number } | undefined
  const continuesSections = ({ text, level }: LegacyHeading) => {
    const number = Number(/^\d{1,3}(?=[.)]\s)/.exec(text)?.[0])
    const isNext = section?.block === blocks.length - 1 && section.level === level && section.number === number - 1
    return { number, isNext }
  }

  const lastConflictEnd = lines.findLastIndex((line) => line.startsWith(">>>>>>>"))
  for (let index = 0; index < lines.length; index++) {
    if (fenced[index]) continue
    const line = lines[index] ?? ""
    const first = line.charCodeAt(0)
    if (current?.kind === "conflict") {
      if (line.startsWith(">>>>>>>") && index + 1 < lines.length) open(index + 1, { kind: "other", heading: undefined })
      continue
    }
    if (first === 0x23 || first === 0x2a) {
      const header = first === 0x23 ? semHeaderAt(lines, index) : undefined
      if (header) {
        open(index, { kind: "sem", header })
        continue
      }
      if (current?.kind === "sem" && !isDatedHeading(line)) {
        const level = kind === "skill" ? headingLevel(line) : 0
        if (level > 0 && level <= 3) open(index, { kind: "other", heading: undefined }) // the instructions continue
        continue
      }
      const heading = parseHeading(line)
      if (heading && isHeadingLine(lines, fenced, index, heading)) {
        const level = current?.kind === "legacy" ? current.heading.level : undefined
        const { number, isNext } = continuesSections(heading)
        if (!isNext && startsEntry(heading, () => labelsBelow(lines, fenced, index), level)) {
          openHeaded(index, "legacy", heading)
          inProfile = false
        } else if (isContainer(lines, fenced, index, heading, level)) {
          openHeaded(index, "container", heading)
        } else if (endsEntry(heading, level, kind)) {
          open(index, { kind: "other", heading })
          inProfile = isProfileSection(heading.text)
        } else if (current?.kind !== "legacy") {
          inProfile = kind === "history" && isProfileSection(heading.text)
          if (current?.kind !== "other") open(index, { kind: "other", heading })
        } else if (number >= 0) {
          section = { block: blocks.length - 1, level: heading.level, number }
        }
        continue
      }
    }
    if (first === 0x2d && current?.kind === "sem" && isTerminator(lines, fenced, index)) {
      if (index + 1 < lines.length) open(index + 1, { kind: "other", heading: undefined })
    } else if (index < lastConflictEnd && isConflictStart(line)) {
      open(index, { kind: "conflict" })
    } else if (keptConflictId(line) !== undefined) {
      open(index, { kind: "other", heading: undefined })
    } else if (!inProfile && isLoose(current)) {
      const unit = bulletAt(line, first)
      if (kind !== "history" && unit && !(kind !== "inbox" && isDatedBullet(line))) {
        if (current?.kind === "bullet") open(index, { kind: "other", heading: undefined })
      } else if (unit) open(index, { kind: "bullet", update: unit === "update", parent: containerAbove() })
      else if (
        current?.kind === "bullet" &&
        !isBlank(line) &&
        first !== 0x20 &&
        first !== 0x09 &&
        isBlank(lines[index - 1] ?? "")
      ) {
        open(index, { kind: "other", heading: undefined })
      }
    }
  }
  return blocks
}

/**
 * `---` ends a SEM entry only before the end of the file, an entry, or a heading of level 1 or 2; any other is a
 * thematic break of the body. The writer escapes by the same rule.
 */
function isTerminator(lines: readonly string[], fenced: Uint8Array, index: number): boolean {
  if (!isDashes(lines[index] ?? "")) return false
  let next = index + 1
  while (next < lines.length && isBlank(lines[next] ?? "")) next++
  return next >= lines.length || opensSection(lines, fenced, next)
}

/** A heading at which text after `---` is no longer the entry's: level 1 or 2, or the start of another entry. */
export function opensSection(lines: readonly string[], fenced: Uint8Array, index: number): boolean {
  const line = lines[index] ?? ""
  if (fenced[index]) return false
  if (keptConflictId(line) !== undefined) return true
  const level = headingLevel(line)
  if (level === 1 || level === 2 || isDatedHeading(line)) return true
  if (isIndentedHeading(line) && isDatedHeading(line.trimStart())) return true
  // Bodies have their headings at level 4 and below, so one of level 3 that starts or groups entries is outside.
  // Dashes after it may be the body's own end, followed by the next entry: they do not count.
  const heading = level === 3 ? parseHeading(line) : undefined
  if (!heading) return false
  return (
    startsEntry(heading, () => labelsBelow(lines, fenced, index), 3) ||
    isContainer(lines, fenced, index, heading, undefined, "blank lines only")
  )
}

/** Markdown takes up to three spaces before a heading for nothing. */
export function isIndentedHeading(line: string): boolean {
  return line.charCodeAt(0) === 0x20 && /^ {1,3}#{1,6}(?:[ \t]|$)/.test(line)
}

/** A bold line counts as a heading only if labels follow it. */
function isHeadingLine(lines: readonly string[], fenced: Uint8Array, index: number, heading: LegacyHeading): boolean {
  if ((lines[index] ?? "").startsWith("#")) return true
  const labels = labelsBelow(lines, fenced, index)
  return heading.date !== undefined && (labels.author || labels.what)
}

/** A heading with nothing below it but an entry: it groups what follows and passes on its date and author. */
function isContainer(
  lines: readonly string[],
  fenced: Uint8Array,
  index: number,
  heading: LegacyHeading,
  level: number | undefined,
  gap: "blank lines only" | "blank lines and dashes" = "blank lines and dashes",
): boolean {
  let above = heading
  for (let next = index + 1; next < lines.length; next++) {
    const line = lines[next] ?? ""
    if (isBlank(line) || (gap === "blank lines and dashes" && isDashes(line))) continue
    const below = fenced[next] ? undefined : parseHeading(line)
    if (!below) return false
    if (semHeaderAt(lines, next) || startsEntry(below, () => labelsBelow(lines, fenced, next), level)) return true
    if (below.level <= above.level) return false
    above = below // levels only go down to 6, so this ends soon
  }
  return false
}

/** A part of the file itself, such as `## Governance` or `## Learnings`, is not part of the entry above it. */
function endsEntry(heading: LegacyHeading, level: number | undefined, kind: FileKind): boolean {
  if (kind === "history") {
    if (isProfileSection(heading.text)) return true // the agent's profile belongs to no entry, whatever is above it
    return isHistorySection(heading.text) && heading.level <= 2 && heading.level <= (level ?? 6)
  }
  return level !== undefined && heading.level < level && isSectionName(heading.text) && !isSubSectionName(heading.text)
}

/** Text of a history that belongs to no headed entry, where each bullet is an entry. */
function isLoose(current: Block | undefined): boolean {
  return current?.kind === "other" || current?.kind === "bullet" || current?.kind === "container"
}

function bulletAt(line: string, first: number): "bullet" | "update" | undefined {
  if (line.startsWith("📌")) return "update"
  if ((first !== 0x2d && first !== 0x2a && first !== 0x2b) || line.charCodeAt(1) !== 0x20) return undefined
  return line.startsWith("📌", 2) ? "update" : "bullet"
}

/** In a file of decisions only a bullet with a date and more words than a title in a list of contents is a decision. */
function isDatedBullet(line: string): boolean {
  return /^[-*+] (?:\*\*|__)?\[?\d{4}-\d{2}-\d{2}\b/.test(line)
}

/** Git's own marker; a body that shows one has it escaped. */
export function isConflictStart(line: string): boolean {
  return line.startsWith("<<<<<<<") && (line.length === 7 || line.charCodeAt(7) === 0x20)
}

/** Which labels occur in the lines below a heading: author, date, and what/why/decision/status. */
export type LabelsBelow = { author: boolean; date: boolean; what: boolean }

const lookAhead = 12
const worker = /^(?:owner|assignee|reviewer)$/i

/** Looks for labels in the lines below a heading, not past the next heading. */
function labelsBelow(lines: readonly string[], fenced: Uint8Array, heading: number): LabelsBelow {
  const found: LabelsBelow = { author: false, date: false, what: false }
  let atHead = true
  for (let index = heading + 1; index <= heading + lookAhead && index < lines.length; index++) {
    const line = lines[index] ?? ""
    if (fenced[index] || isBlank(line)) continue
    if (line.charCodeAt(0) === 0x23 && /^#{1,6}[ \t]/.test(line)) break
    const labels = parseLabels(line, atHead)
    if (labels.length === 0) {
      if (!atHead && /^(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line)) break // what follows the text and a rule signs the document, not its last section
      atHead = false
    }
    for (const { name, field, authors, date } of labels) {
      // Who works on a part of a plan signs nothing, and what was updated lately may be the whole file.
      if (authors && !worker.test(name)) found.author = true
      else if (date && field === "date") found.date = true
      else if (field === "details" || field === "rationale" || field === "status") found.what = true
    }
  }
  return found
}

/**
 * Decides whether a heading starts an entry. Levels mean little in real files, where `## Context` occurs below `### 2026-02-15: …`; dates,
 * names and labels mean more, and every heading that starts no entry belongs to the one above.
 */
function startsEntry(heading: LegacyHeading, findLabels: () => LabelsBelow, currentLevel: number | undefined): boolean {
  const deeper = currentLevel !== undefined && heading.level > currentLevel
  if (isProfileSection(heading.text) || isArchiveTitle(heading.text)) return false
  if (heading.level === 1 && isFileTitle(heading.text)) return false
  if (heading.date !== undefined) return !(deeper && heading.level >= 4)
  const labels = findLabels()
  const signed = labels.author || labels.date
  if (isSubSectionName(heading.text) && !(labels.author && labels.date)) return false
  if (isSectionName(heading.text) && !labels.author) return false
  if (heading.named) return !deeper || signed
  if (labels.author && labels.date) return true
  if (signed && labels.what) return true
  return signed && !deeper
}

/** The front matter of a governed memory's file: `key: value` lines between two `---`; `lines` counts all of it, 0 if there is none. */
export type FrontMatterReading = { frontMatter: EntryFrontMatter; lines: number }

const limit = 60

/** Reads the simple front matter that governed memory and skills have. Values are plain or JSON strings; no YAML parser is needed. */
export function readFrontMatter(lines: readonly string[]): FrontMatterReading {
  const none = { frontMatter: {}, lines: 0 }
  if (lines[0]?.trimEnd() !== "---") return none
  const end = lines.findIndex((line, index) => index > 0 && index < limit && line.trimEnd() === "---")
  if (end === -1) return none
  const frontMatter: EntryFrontMatter = {}
  for (const line of lines.slice(1, end)) {
    const match = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line)
    if (!match) continue
    const value = unquote(match[2] ?? "")
    if (value === "") continue
    switch (match[1]) {
      case "id":
        if (isEntryId(value)) frontMatter.id = value
        break
      case "title":
      case "author":
      case "class":
        frontMatter[match[1]] = value
        break
      case "createdAt": {
        const timestamp = parseTimestamp(value)
        if (timestamp) frontMatter.createdAt = timestamp
      }
    }
  }
  return { frontMatter, lines: end + 1 }
}

function unquote(text: string): string {
  const value = text.trim()
  if (!value.startsWith('"')) return value.replace(/^'(.*)'$/, "$1")
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === "string" ? parsed : value
  } catch {
    return value // not a JSON string after all: use the text unchanged
  }
}
