import {
  agentScope,
  type Entry,
  type EntryType,
  type Extension,
  isScope,
  lengthOf,
  type Related,
  titleLimit,
} from "../entry.ts"
import { normalizeEntry } from "../entry-writer.ts"
import { defaultScope, splitList } from "../sem-entry.ts"
import { toEntryType } from "../sem-grammar.ts"
import { isBlank } from "../source-text.ts"
import { secondOfDay } from "../timestamp.ts"
import { keepsEveryWord, type LegacyBody, splitBody } from "./body.ts"
import { findDates, type WrittenDate } from "./dates.ts"
import {
  type AuthorFinding,
  agentName,
  type DateFinding,
  type EntryOrigin,
  findAuthor,
  findDate,
  undated,
} from "./fallbacks.ts"
import { inferType, type LegacyHeading, parseHeadingText } from "./heading.ts"
import { cutAtWord, firstSentence } from "./summary.ts"

/** The result for a legacy entry, its confidence, and the sources of its date and author. */
export type LegacyReading = {
  entry: Entry
  reasons: ReviewReason[]
  authorSource: AuthorFinding["source"]
  dateSource: DateFinding["source"]
  /** Nothing but a heading: kept in its place, never converted. */
  empty: boolean
  superseded: string | undefined
}

export const reviewReasons = [
  "ambiguous type",
  "missing date",
  "date from body text",
  "date from file name",
  "date from git",
  "unknown author",
  "author from git",
  "several authors",
  "conflicting dates",
  "month only",
  "unknown time zone",
  "several decisions in one entry",
  "forbidden content",
] as const
export type ReviewReason = (typeof reviewReasons)[number]

/** The type that a governed memory's class implies. */
export const typeByClass: Record<string, EntryType> = { DECISION: "decision", POLICY: "directive", LOCAL: "memory" }

/** The lines of one legacy entry, its parsed heading, and its context. */
export type LegacyLines = { heading: LegacyHeading; lines: string[]; fenced: Uint8Array; origin: EntryOrigin }

/** Reads an entry in any of the styles seen in the wild into the form SEM has. No word of it is lost. */
export function readLegacyEntry(source: LegacyLines): LegacyReading {
  const { heading, origin } = source
  const body = splitBody(source.lines, source.fenced, origin.kind === "history")
  const date = findDate(heading, body, origin)
  const author = findAuthor(heading, body, origin)
  const labelled =
    toEntryType(body.labels.find(({ field }) => field === "type")?.value ?? "") ??
    typeByClass[origin.frontMatter?.class ?? ""]
  const summaryText = firstSentence(body.core) || firstSentence(body.details)
  const { type, ambiguous } = inferType({
    heading,
    labelled,
    fileName: origin.fileName,
    inHistory: origin.kind === "history",
    viaCopilot: author.extensions.some(({ name, value }) => name === "via" && /copilot/i.test(value)),
    rationale: body.rationale,
    summary: summaryText,
    authorIsAgent: origin.roster.has(author.author.toLowerCase()),
    hasWhatOrWhy: body.hasWhatOrWhy,
  })
  const title = cutAtWord(author.title) || summaryText || heading.text
  const entry = normalizeEntry({
    type,
    timestamp: date.kind === "time" ? date.timestamp : secondOfDay(date.date, 0),
    precision: date.kind === "time" ? "second" : "day",
    author: author.author,
    contributors: author.contributors,
    title,
    summary: summaryText || title,
    scope: body.scope && isScope(body.scope) ? body.scope : defaultScope(type, author.author, origin.agent),
    tags: tagsOf(body.tags, body.scope),
    details: detailsOf(source, body.details, author.title, title),
    rationale: body.rationale,
    related: relatedOf(body.related, heading.text),
    ...(origin.frontMatter?.id === undefined ? {} : { id: origin.frontMatter.id }),
    extensions: [
      ...author.extensions,
      ...statusOf(body.status),
      ...longScopeOf(body.scope),
      ...overruledDate(body.date, date),
    ],
  })
  return {
    entry,
    reasons: reviewReasonsFor({ date, author, ambiguous, heading, body }),
    authorSource: author.source,
    dateSource: date.source,
    empty: isEmpty(source.lines),
    superseded: heading.superseded ?? /superseded by (.+)/i.exec(body.status ?? "")?.[1],
  }
}

/** No letter, no digit: nothing but rules and blank lines. */
export function isEmpty(lines: readonly string[]): boolean {
  return !lines.some((line) => /[\p{L}\p{N}]/u.test(line))
}

/** A heading that was shortened, or says more than its date, author, type and title, is repeated in full above the details. */
function detailsOf(source: LegacyLines, details: string, fullTitle: string, title: string): string {
  const whole = lengthOf(fullTitle) <= titleLimit ? title : ""
  const complete = keepsEveryWord(source.heading.text, whole, details)
  return complete ? details : `${source.heading.text}\n\n${details}`
}

function tagsOf(tags: string | undefined, scope: string | undefined): string[] {
  const free = scope && !isScope(scope) && !isLongScope(scope) ? splitList(scope.replace(/\.$/, "")) : []
  return [...splitList(tags ?? ""), ...free]
}

/** A scope that is a sentence is not a tag; it is kept as a separate field. */
function isLongScope(scope: string): boolean {
  return !isScope(scope) && splitList(scope).some((part) => part.length > 40)
}

function statusOf(status: string | undefined): Extension[] {
  return status ? [{ name: "status", value: status }] : []
}

function longScopeOf(scope: string | undefined): Extension[] {
  return scope && isLongScope(scope) ? [{ name: "scope note", value: scope }] : []
}

/** A date label that the heading overrides is kept as a separate field. */
function overruledDate(label: WrittenDate | undefined, chosen: DateFinding): Extension[] {
  if (!label || chosen.source === "label") return []
  const value = label.kind === "time" ? label.timestamp : label.date
  const same = chosen.kind === "time" ? value === chosen.timestamp : value === chosen.date
  return same ? [] : [{ name: "date", value }]
}

/** Issues, pull requests, proposals and ADRs named by a label or in the heading. */
function relatedOf(labelled: string[], heading: string): Related[] {
  const text = [...labelled, heading].join(" · ")
  const found = new Map<string, Related>()
  const add = (type: string, identifier: string) => found.set(`${type} ${identifier}`, { type, identifier })
  for (const [, number] of text.matchAll(/\bPRs? ?#(\d+)/gi)) add("pr", `#${number}`)
  for (const [, number] of text.matchAll(/(?<!PRs? ?)(?<![\w/])#(\d+)\b/gi)) add("issue", `#${number}`)
  for (const [, id] of text.matchAll(/\b(ADR-?\d+)\b/g)) add("decision", id ?? "")
  for (const [, id] of text.matchAll(/\bproposal[ -]#?(\d+\w?)\b/gi)) add("proposal", id ?? "")
  return [...found.values()]
}

type Findings = {
  date: DateFinding
  author: AuthorFinding
  ambiguous: boolean
  heading: LegacyHeading
  body: LegacyBody
}

function reviewReasonsFor({ date, author, ambiguous, heading, body }: Findings): ReviewReason[] {
  const reasons: ReviewReason[] = []
  if (ambiguous) reasons.push("ambiguous type")
  if (date.source === "none") reasons.push("missing date")
  if (date.source === "body") reasons.push("date from body text")
  if (date.source === "file name") reasons.push("date from file name")
  if (date.source === "git") reasons.push("date from git")
  if (date.conflicting) reasons.push("conflicting dates")
  if (date.kind === "month") reasons.push("month only")
  if (date.kind === "time" && date.zoneUnknown) reasons.push("unknown time zone")
  const isGuess = body.hasUnreadableAuthor && author.source !== "directory" && author.source !== "label"
  if (author.source === "none" || isGuess) reasons.push("unknown author")
  if (author.source === "git") reasons.push("author from git")
  if (author.source === "several") reasons.push("several authors")
  if (/\bdecisions\b/i.test(heading.title) && (body.details.match(/^\d{1,2}[.)] /gm)?.length ?? 0) >= 3) {
    reasons.push("several decisions in one entry")
  }
  return reasons
}

const decider = /[—–-]\s*decided by\s+([^.)\n]{1,60}?)[.)]?\s*$/i

/** Reads a bullet of a history as a separate entry; a `📌 Team update` is a note by the one who decided. */
export function readBullet(lines: string[], origin: EntryOrigin, isUpdate: boolean): LegacyReading {
  const text = withoutMarker(lines)
  const stated = dateAtStart(text)
  const inherited = origin.enclosing?.date
  const fromGit: WrittenDate | undefined = origin.blame && {
    kind: "time",
    timestamp: origin.blame.timestamp,
    start: 0,
    end: 0,
  }
  const date = stated ?? (isUpdate ? findDates(text)[0] : undefined) ?? inherited ?? fromGit
  const content = stated ? withoutDate(text, stated) : text
  const author = (isUpdate ? decider.exec(text.split("\n")[0] ?? "")?.[1] : undefined) ?? agentName(origin) ?? "unknown"
  const summary = firstSentence(asideLast(content)) || cutAtWord(asideLast(content))
  const entry = normalizeEntry({
    type: isUpdate ? "note" : "memory",
    timestamp: date?.kind === "time" ? date.timestamp : secondOfDay(date?.date ?? undated, 0),
    precision: date?.kind === "time" ? "second" : "day",
    author,
    title: boldTitle(text, stated) || summary || "Untitled",
    summary,
    scope: agentScope(origin.agent ?? author),
    tags: isUpdate ? ["team-update"] : [],
    details: content === summary ? "" : content,
  })
  return {
    entry,
    reasons: stated?.kind === "month" ? ["month only"] : [],
    authorSource: isUpdate ? "by-line" : "directory",
    dateSource: stated ? "heading" : date === undefined ? "none" : date === fromGit ? "git" : "container",
    empty: content.trim() === "",
    superseded: undefined,
  }
}

/** Reads a dated bullet of a decisions file: its first line is read like a heading, the rest is the body. */
export function readDecisionBullet(lines: string[], origin: EntryOrigin): LegacyReading {
  const [head = "", ...rest] = withoutMarker(lines).split("\n")
  const heading = parseHeadingText(head.replace(/\*\*|__/g, ""), 4)
  return {
    ...readLegacyEntry({ heading, lines: rest, fenced: new Uint8Array(rest.length), origin }),
    empty: heading.title === "",
  }
}

/** `(team update): X` is about X. */
function asideLast(text: string): string {
  return text.replace(/^(\([^()\n]{1,80}\)):\s*([^\n]*\S)/, "$2 $1")
}

/** Emphasis that starts before the date and continues after it stays whole. */
function withoutDate(text: string, date: WrittenDate): string {
  const emphasis = /^\*\*/.test(text) && !/^[\s:\])]*\*\*/.test(text.slice(date.end)) ? "**" : ""
  return emphasis + text.slice(date.end).replace(/^[\s\])*_:—–-]+/, "")
}

/** `**2026-02-09: Title** — text` names its title. */
function boldTitle(text: string, date: WrittenDate | undefined): string {
  const head = /^\*\*([^*\n]{3,200})\*\*/.exec(text)?.[1]
  if (head === undefined) return ""
  const title = date ? head.slice(Math.max(0, date.end - 2)) : head
  return cutAtWord(title.replace(/^[\s\])_:—–-]+|(?<![\s:])[\s:]+$/g, ""))
}

/** The text of a bullet without its mark, its sub-list moved to the left with it. */
function withoutMarker(lines: string[]): string {
  const [first = "", ...rest] = lines
  const head = first.replace(/^(?:[-*+] )?(?:📌\s*)?/u, "").trim()
  const tail = rest.map((line) => line.replace(/^(?: {1,2}|\t)/, ""))
  while (tail.length > 0 && (isBlank(tail.at(-1) ?? "") || /^---[ \t]*$/.test(tail.at(-1) ?? ""))) tail.pop()
  return [head, ...tail].join("\n")
}

function dateAtStart(text: string): WrittenDate | undefined {
  const first = findDates(text.split("\n")[0] ?? "")[0]
  return first && /^[[(*_\s]*$/.test(text.slice(0, first.start)) ? first : undefined
}
