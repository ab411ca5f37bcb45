import { isScope } from "../entry.ts"
import { headingLevel, headingText } from "../markdown.ts"
import { toEntryType } from "../sem-grammar.ts"
import { isBlank, trimBlankLines } from "../source-text.ts"
import { findDates, type WrittenDate } from "./dates.ts"
import { type Authors, type Label, parseLabels, startsWithBoldLabel } from "./labels.ts"
import { firstSentence } from "./summary.ts"

/** The body of a legacy entry sorted into what SEM has fields for; every line ends up in one of them or in `details`. */
export type LegacyBody = {
  labels: Label[]
  authors: Authors | undefined
  weakAuthors: Authors | undefined
  date: WrittenDate | undefined
  /** The dates of labels with the same name above the first sub-heading: two entries that a union merge made one have two. */
  repeatedDates: WrittenDate[]
  weakDate: WrittenDate | undefined
  status: string | undefined
  tags: string | undefined
  scope: string | undefined
  related: string[]
  details: string
  rationale: string
  /** The best text for a summary: what a label or a heading calls the decision. */
  core: string
  hasWhatOrWhy: boolean
  /** An author label whose value is not a name: a name from another place is a guess. */
  hasUnreadableAuthor: boolean
  /** The first twelve lines with text, where names and dates may occur. */
  firstLines: string[]
}

const labelReach = 200
/** Labels that say no more than the field they become; the others are kept before their text. */
const plainDetails = new Set([
  "what",
  "decision",
  "the decision",
  "details",
  "description",
  "directive",
  "summary",
  "decisión",
  "qué",
])
const strongRationale = new Set([
  "why",
  "rationale",
  "reason",
  "reasoning",
  "motivation",
  "why it matters",
  "por qué",
  "motivo",
])
/** A sub-heading whose section is the rationale. */
export const rationaleHeading = /^#{1,6}[ \t]+(?:why|rationale|reasoning|reasons?|motivation|justification)[ \t:]*$/i
/** A sub-heading whose section states what was decided. */
const decisionHeading =
  /^#{1,6}[ \t]\W{0,8}(?:(?:the|final|key|confirmed|ratified|approved) )?(?:decisions?(?: made)?|what|summary|directives?|decisión|decisiones)[ \t:]*$/i
/** `### Decision 2: Use bUnit` states it itself. */
const statedDecision = /^#{1,6}[ \t]\W{0,8}(?:final )?decision(?: (?:#?\d+|[A-Z]))?[ \t]*[:—–][ \t]*(\S.*)$/i
const decisionsLabel = /^(?:\*\*|__)(?:key |final )?decisions?(?: made)?(?::(?:\*\*|__)|(?:\*\*|__):?)[ \t]*$/i
const partNumber = /^(?:#?\d{1,3}|D\d{1,3}|decision (?:#?\d+|[A-Z]))[ \t]*[:.)—–-][ \t]*(?=\S)/i
const whatOrWhyHeading =
  /^#{1,6}[ \t]+(?:the )?(?:what|decisions?|why|rationale|context|problem|reason|decisión|decisiones|contexto)\b/i

/** In a history the folder names the author, so a label that names one is text. */
export function splitBody(lines: string[], fenced: Uint8Array, inHistory: boolean): LegacyBody {
  const found = findLabels(lines, fenced)
  const rationale = rationaleRange(lines, fenced, found)
  const taken = takeMetadata(found, inHistory)
  const what = found.find(
    ({ labels, line }) =>
      labels.length === 1 &&
      labels[0]?.field === "details" &&
      line < found.firstHeading &&
      isFirstText(lines, taken, rationale, line),
  )
  const details: string[] = []
  for (let index = 0; index < lines.length; index++) {
    if (rationale && index >= rationale.start && index < rationale.end) continue
    if (taken.has(index)) continue
    if (what?.line === index && plainDetails.has(what.labels[0]?.name.toLowerCase() ?? "")) {
      if (what.labels[0]?.value) details.push(what.labels[0].value)
      continue
    }
    const line = lines[index] ?? ""
    const afterRemoved = index > 0 && (taken.has(index - 1) || rationale?.end === index || what?.line === index - 1)
    if (isBlank(line) && afterRemoved && isBlank(details.at(-1) ?? "")) continue
    details.push(line)
  }
  const labels = found.flatMap((each) => each.labels)
  const pick = (field: Label["field"]) => labels.filter((label) => label.field === field)
  const atHead = found.filter(({ line }) => line < found.firstHeading).flatMap((each) => each.labels)
  const headPick = (field: Label["field"]) => atHead.filter((label) => label.field === field)
  const owners = headPick("weak-author").filter(({ name }) => /^owner$/i.test(name))
  const ownersAndAuthors = [...pick("author"), ...owners]
  return {
    labels,
    authors: firstOf(headPick("author"), ({ authors }) => authors) ?? onlyAuthors(pick("author")),
    weakAuthors: firstOf([...owners, ...headPick("weak-author")], ({ authors }) => authors),
    date: firstOf(pick("date"), ({ date }) => date),
    repeatedDates: datesOfOneName(headPick("date")),
    weakDate: firstOf(pick("weak-date"), ({ date }) => date),
    status: found.metadata.get("status"),
    tags: found.metadata.get("tags"),
    scope: found.metadata.get("scope"),
    related: pick("related").map(({ name, value }) => `${name} ${value}`),
    details: trimDashes(trimBlankLines(details)).join("\n"),
    rationale: rationale ? rationale.lines.join("\n") : "",
    core: whatText(lines, fenced, found) || sectionText(lines, fenced) || statedIn(lines, fenced),
    hasWhatOrWhy:
      pick("details").length > 0 ||
      pick("rationale").length > 0 ||
      lines.some((line, index) => line.charCodeAt(0) === 0x23 && !fenced[index] && whatOrWhyHeading.test(line)),
    hasUnreadableAuthor:
      ownersAndAuthors.some(({ value }) => value !== "") && !ownersAndAuthors.some(({ authors }) => authors),
    firstLines: firstWithText(lines, 12),
  }
}

function datesOfOneName(labels: Label[]): WrittenDate[] {
  const name = labels[0]?.name.toLowerCase()
  return labels.flatMap((label) => (label.name.toLowerCase() === name && label.date ? [label.date] : []))
}

type LabelLine = { line: number; labels: Label[]; atHead: boolean }
type FoundLabels = LabelLine[] & { firstHeading: number; metadata: Map<string, string> }

function findLabels(lines: string[], fenced: Uint8Array): FoundLabels {
  const found = Object.assign([] as LabelLine[], { firstHeading: lines.length, metadata: new Map<string, string>() })
  let atHead = true
  for (let line = 0; line < lines.length && line < labelReach; line++) {
    const text = lines[line] ?? ""
    if (fenced[line]) {
      atHead = false
      continue
    }
    if (headingLevel(text) > 0) {
      found.firstHeading = Math.min(found.firstHeading, line)
      atHead = false
      continue
    }
    const labels = parseLabels(text, atHead)
    if (labels.length > 0) found.push({ line, labels, atHead })
    else if (!isBlank(text) && !/^---[ \t]*$/.test(text)) atHead = false
  }
  return found
}

/** Metadata lines at the top of the entry that a field fully represents. The rest stay text, so nothing is lost. */
function takeMetadata(found: FoundLabels, inHistory: boolean): Set<number> {
  const taken = new Set<number>()
  const used = new Set<string>(inHistory ? ["author"] : [])
  const all = found.flatMap(({ labels }) => labels)
  // Of several names or dates the first one counts, so only its line may go.
  const author = all.find(({ field, authors }) => field === "author" && authors)
  const date = all.find(({ field, date: found }) => field === "date" && found)
  const isSpare = (label: Label) =>
    (label.field === "author" && label !== author) || (label.field === "date" && label !== date)
  for (const { line, labels, atHead } of found) {
    if (!atHead || !labels.every((label) => isCarried(label) && !used.has(label.field) && !isSpare(label))) continue
    taken.add(line)
    for (const { field, value } of labels) {
      used.add(field)
      if (field === "status" || field === "tags" || field === "scope") found.metadata.set(field, value)
    }
  }
  return taken
}

function isCarried({ field, value, authors, date }: Label): boolean {
  switch (field) {
    case "author": {
      if (!authors) return false
      if (authors.author === value) return true
      const kept = new Set(
        wordsOf(
          [authors.author, ...authors.contributors, ...authors.extensions.map((each) => each.value), "and via"].join(
            " ",
          ),
        ),
      )
      return wordsOf(value.replace(/<?[\w.+-]+@[\w-]+\.[\w.]+>?/g, "")).every((word) => kept.has(word))
    }
    case "date": {
      return date !== undefined && wordsOf(value.slice(0, date.start) + value.slice(date.end)).length === 0
    }
    case "status":
      return value !== ""
    case "scope":
      return isScope(value) || (value.length > 0 && value.length <= 60)
    case "tags":
      return value.length > 0 && value.length <= 120
    case "type":
      return toEntryType(value) !== undefined
    case "related":
      return wordsOf(value.replace(/\b(?:PRs? ?)?#\d+|\bADR-?\d+\b/gi, "")).length === 0
    default:
      return false
  }
}

type Range = { start: number; end: number; lines: string[] }

/** The text of the first why-label before any sub-heading, otherwise the section with such a heading, otherwise a context. */
function rationaleRange(lines: string[], fenced: Uint8Array, found: FoundLabels): Range | undefined {
  const candidates = found.filter(
    ({ line, labels }) => line < found.firstHeading && labels.length === 1 && labels[0]?.field === "rationale",
  )
  const strong = candidates.find(({ labels }) => strongRationale.has((labels[0]?.name ?? "").toLowerCase()))
  const section = strong ? undefined : rationaleSection(lines, fenced)
  if (section) return section // a section headed as the rationale is better than a context
  const chosen = strong ?? candidates[0]
  if (!chosen) return undefined
  const value = chosen.labels[0]?.value ?? ""
  let end = chosen.line + 1
  const stopsAtBlank = value !== ""
  while (end < lines.length) {
    const line = lines[end] ?? ""
    const inFence = fenced[end] === 1
    if (!inFence && (headingLevel(line) > 0 || startsWithBoldLabel(line) || /^---[ \t]*$/.test(line))) break
    if (!inFence && stopsAtBlank && isBlank(line)) break
    end++
  }
  const name = chosen.labels[0]?.name ?? ""
  const head = strongRationale.has(name.toLowerCase()) ? value : `**${name}:** ${value}`.trimEnd()
  const text = [...(head ? [head] : []), ...lines.slice(chosen.line + 1, end)]
  return { start: chosen.line, end, lines: trimBlankLines(text) }
}

function rationaleSection(lines: string[], fenced: Uint8Array): Range | undefined {
  const start = lines.findIndex((line, index) => !fenced[index] && rationaleHeading.test(line))
  if (start === -1) return undefined
  const level = headingLevel(lines[start] ?? "")
  let end = start + 1
  while (end < lines.length) {
    const next = fenced[end] ? 0 : headingLevel(lines[end] ?? "")
    if (next > 0 && next <= level) break
    end++
  }
  const text = trimDashes(trimBlankLines(lines.slice(start + 1, end)))
  return text.length > 0 ? { start, end, lines: text } : undefined
}

/** The lines under the heading of the decision, up to the next one; of a heading over several decisions, the first of them. */
function sectionText(lines: string[], fenced: Uint8Array): string {
  const start = lines.findIndex(
    (line, index) => !fenced[index] && (decisionHeading.test(line) || decisionsLabel.test(line)),
  )
  if (start === -1) return ""
  const end = lines.findIndex((line, index) => index > start && !fenced[index] && headingLevel(line) > 0)
  const text = trimDashes(trimBlankLines(lines.slice(start + 1, end === -1 ? undefined : end))).join("\n")
  if (text !== "" || end === -1) return text
  const next = lines[end] ?? ""
  const level = headingLevel(next)
  if (level <= headingLevel(lines[start] ?? "")) return "" // a label has level 0
  const name = headingText(next, level).replace(partNumber, "")
  const isStatement = wordsOf(name).length > 3 // "Error scope" only names what the text below it states
  return isStatement ? name : firstSentence(lines.slice(end + 1).join("\n")) || name
}

function statedIn(lines: string[], fenced: Uint8Array): string {
  const line = lines.find((line, index) => line.startsWith("#") && !fenced[index] && statedDecision.test(line))
  return statedDecision.exec(line ?? "")?.[1] ?? ""
}

/** True if only metadata comes before the line: its label can be dropped, because it heads the whole text. */
function isFirstText(lines: string[], taken: Set<number>, rationale: Range | undefined, line: number): boolean {
  for (let index = 0; index < line; index++) {
    const inRationale = rationale && index >= rationale.start && index < rationale.end
    if (!taken.has(index) && !inRationale && !isBlank(lines[index] ?? "") && !/^---[ \t]*$/.test(lines[index] ?? ""))
      return false
  }
  return true
}

function trimDashes(lines: string[]): string[] {
  let start = 0
  while (start < lines.length && (isBlank(lines[start] ?? "") || /^---[ \t]*$/.test(lines[start] ?? ""))) start++
  let end = lines.length
  while (end > start && (isBlank(lines[end - 1] ?? "") || /^---[ \t]*$/.test(lines[end - 1] ?? ""))) end--
  return lines.slice(start, end)
}

function firstWithText(lines: string[], count: number): string[] {
  const found: string[] = []
  for (const line of lines) {
    if (found.length === count) break
    if (!isBlank(line)) found.push(line)
  }
  return found
}

/** Below sub-headings several signatures are those of parts; one alone is the author's. */
function onlyAuthors(labels: Label[]): Authors | undefined {
  const names = new Set(labels.map(({ value }) => value.toLowerCase()))
  return names.size === 1 ? labels[0]?.authors : undefined
}

/** The text after or below the label of the decision. */
function whatText(lines: string[], fenced: Uint8Array, found: FoundLabels): string {
  const label = found.find(
    ({ line, labels }) => line < found.firstHeading && plainDetails.has(labels[0]?.name.toLowerCase() ?? ""),
  )
  if (!label) return ""
  const value = label.labels[0]?.value ?? ""
  const isEnd = (line: string, index: number) =>
    index > label.line && !fenced[index] && (headingLevel(line) > 0 || startsWithBoldLabel(line))
  const end = lines.findIndex(isEnd)
  return [value, ...lines.slice(label.line + 1, end === -1 ? undefined : end)].join("\n")
}

function firstOf<T, R>(items: T[], read: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const result = read(item)
    if (result !== undefined) return result
  }
  return undefined
}

const wordPattern = /[\p{L}\p{N}]+/gu
/** Words of a heading that its entry's type replaces. */
const saidByType = new Set(["decision", "directive", "user", "memory", "note", "superseded", "by", "to"])

/** True if every word of a heading, except dates and type words, occurs in the title or the text that replace it. */
export function keepsEveryWord(heading: string, title: string, text: string): boolean {
  if (title !== "" && heading.endsWith(title) && /^[\d\-T:.Z+\s]*$/.test(heading.slice(0, -title.length))) return true
  let rest = heading.replace(/^\W*decision\s+(?:#?\d+|[A-Z])\b/i, "")
  for (const date of findDates(rest).reverse()) rest = rest.slice(0, date.start) + rest.slice(date.end)
  const inTitle = new Set(wordsOf(title))
  const others = wordsOf(rest).filter((word) => !saidByType.has(word) && !inTitle.has(word))
  if (others.length === 0) return true
  const inText = new Set(wordsOf(text))
  return others.every((word) => inText.has(word))
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(wordPattern) ?? []
}
