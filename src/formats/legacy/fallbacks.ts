import type { Extension } from "../entry.ts"
import type { Timestamp } from "../timestamp.ts"
import type { LegacyBody } from "./body.ts"
import { dayOf, findDates, type WrittenDate } from "./dates.ts"
import { isUserRequest, type LegacyHeading } from "./heading.ts"
import { parseAuthors } from "./labels.ts"
import { lookUp, namesIn, type Roster } from "./roster.ts"

/** Of a file in a skill's folder only SEM entries are read: the rest is instruction. */
export type FileKind = "decisions" | "inbox" | "archive" | "history" | "skill"

/** Context of an entry: its file, the team, the heading above it, git. */
export type EntryOrigin = {
  kind: FileKind
  fileName: string
  agent: string | undefined
  roster: Roster
  frontMatter: EntryFrontMatter | undefined
  enclosing: { date: WrittenDate | undefined; author: string | undefined; isEntry?: boolean } | undefined
  blame: { timestamp: Timestamp; author: string } | undefined
}

/** What the front matter of a governed memory's file says about it. */
export type EntryFrontMatter = { id?: string; title?: string; author?: string; createdAt?: Timestamp; class?: string }

type Found =
  | { kind: "time"; timestamp: Timestamp; zoneUnknown?: true }
  | { kind: "day"; date: string }
  | { kind: "month"; date: string }
export type DateFinding = Found & {
  source: "heading" | "label" | "front matter" | "container" | "body" | "file name" | "git" | "none"
  conflicting: boolean
}

/** The date of an entry that has none; ids need one, users see "undated". */
export const undated = "1970-01-01"

const week = 7 * 86_400_000

export function findDate(heading: LegacyHeading, body: LegacyBody, origin: EntryOrigin): DateFinding {
  const stated = headingOrLabel(heading.date, body.date)
  const days = body.repeatedDates.map((date) => Date.parse(dayOf(date)))
  if (stated) return { ...stated, conflicting: stated.conflicting || Math.max(...days) - Math.min(...days) > week }
  if (origin.frontMatter?.createdAt)
    return found({ kind: "time", timestamp: origin.frontMatter.createdAt }, "front matter")
  if (body.weakDate) return found(body.weakDate, "label")
  if (origin.enclosing?.date) return found(origin.enclosing.date, "container")
  const inBody = new Map(body.firstLines.flatMap((line) => findDates(line)).map((date) => [dayOf(date), date]))
  const only = inBody.size === 1 ? [...inBody.values()][0] : undefined
  if (only) return found(only, "body")
  const inName = findDates(origin.fileName.slice(Math.max(0, origin.fileName.search(/\d{4}-\d{2}/))))[0]
  if (inName) return found(inName, "file name")
  if (origin.blame) return found({ kind: "time", timestamp: origin.blame.timestamp }, "git")
  return { kind: "day", date: undated, source: "none", conflicting: false }
}

/** The heading counts, unless a label is more exact about the same day or contradicts it by more than a week. */
function headingOrLabel(heading: WrittenDate | undefined, label: WrittenDate | undefined): DateFinding | undefined {
  if (!heading || !label) {
    if (heading) return found(heading, "heading")
    return label && found(label, "label")
  }
  const apart = Math.abs(Date.parse(dayOf(heading)) - Date.parse(dayOf(label)))
  if (heading.kind === "month" && dayOf(label).slice(0, 7) === heading.date.slice(0, 7)) return found(label, "label")
  if (apart > week) return { ...found(label, "label"), conflicting: true }
  const moreExact = apart === 0 && heading.kind === "day" && label.kind === "time"
  return moreExact ? found(label, "label") : found(heading, "heading")
}

function found(date: Found, source: DateFinding["source"]): DateFinding {
  const value: Found =
    date.kind === "time"
      ? { kind: "time", timestamp: date.timestamp, ...(date.zoneUnknown ? { zoneUnknown: true } : {}) }
      : { kind: date.kind, date: date.date }
  return { ...value, source, conflicting: false }
}

export type AuthorFinding = {
  author: string
  contributors: string[]
  extensions: Extension[]
  source:
    | "label"
    | "front matter"
    | "file name"
    | "heading"
    | "body"
    | "by-line"
    | "container"
    | "directory"
    | "git"
    | "several"
    | "none"
  /** The heading's title, without the author's name before or after it. */
  title: string
}

// Latin letters cover the names seen, without the cost of a class with all letters of the world.
const nameAtStart = /^@?([\w\u00C0-\u024F][\w\u00C0-\u024F-]*)(?:\s*\([^)]*\))?\s*[—–:→-]+\s+(?=\S)/
const nameAtEnd = /\s[—–-]+\s+@?([\w\u00C0-\u024F][\w\u00C0-\u024F-]*)(?:\s*\([^()]*\))?\s*$/
const nameInBrackets = /(?<!\s)\s*\(([\w\u00C0-\u024F][\w\u00C0-\u024F -]*)\)\s*$/

/** The agent whose folder the file is in, in the spelling the team uses. */
export function agentName({ agent, roster }: EntryOrigin): string | undefined {
  return agent && (lookUp(agent, roster) ?? agent)
}

export function findAuthor(heading: LegacyHeading, body: LegacyBody, origin: EntryOrigin): AuthorFinding {
  const finding = authorOf(heading, body, origin)
  const title = finding.source === "heading" ? heading.title.replace(signedInBrackets, "").trim() : heading.title
  return { ...finding, title: withoutName(title || heading.title, finding) }
}

function authorOf(heading: LegacyHeading, body: LegacyBody, origin: EntryOrigin): Omit<AuthorFinding, "title"> {
  const { roster } = origin
  const one = (author: string, source: AuthorFinding["source"]) => ({
    author,
    contributors: [],
    extensions: [],
    source,
  })
  const agent = origin.kind === "history" ? agentName(origin) : undefined
  if (agent) return one(agent, "directory")
  if (body.authors) return { ...body.authors, source: "label" }
  const leading = nameAtStart.exec(heading.title)?.[1]
  const speaker = leading && namesIn(leading, roster)[0]
  if (speaker && body.weakAuthors) return one(speaker, "heading") // "Rocket — Log timestamps", owned by Ines
  if (body.weakAuthors) return { ...body.weakAuthors, extensions: [], source: "label" }
  const front = origin.frontMatter?.author && parseAuthors(origin.frontMatter.author)
  if (front) return { ...front, source: "front matter" }
  const prefix = origin.kind === "inbox" ? rosterPrefix(origin.fileName, roster) : undefined
  if (prefix) return one(prefix, "file name")
  const bracketed = signedInBrackets.exec(heading.text)?.[1]
  const signed = bracketed === undefined ? undefined : parseAuthors(bracketed)
  if (signed) return { ...signed, source: "heading" }
  if (saysUser(heading, body)) return one("User", "heading")
  if (speaker) return one(speaker, "heading")
  const inHeading = namesIn(heading.text, roster)
  if (inHeading.length === 1 && inHeading[0]) return one(inHeading[0], "heading")
  const inLines = namesIn(body.firstLines.join("\n"), roster)
  const [only, ...others] = inLines
  if (only && others.length === 0 && leadsLine(only, body.firstLines)) return one(only, "body")
  const byLine = findByLine(body.firstLines, roster)
  if (byLine) return one(byLine, "by-line")
  // An entry with its own date is not part of the entry above it, whose author signed only that one.
  const isPart = !origin.enclosing?.isEntry || (heading.date === undefined && body.date === undefined)
  if (origin.enclosing?.author && isPart) return one(origin.enclosing.author, "container")
  if (only && others.length > 0) return { ...one(only, "several"), contributors: others }
  if (origin.blame) return one(origin.blame.author, "git")
  return one("unknown", "none")
}

/** A name at the start of a line or sentence, or after a bracket or dash, is the author; one in mid-sentence is the subject. */
function leadsLine(name: string, lines: string[]): boolean {
  const pattern = new RegExp(`(?:^(?:[-*+>_\\s])*|[(—–:.!?]\\s*)${name.replace(/[^\w]/g, "\\$&")}(?![\\w-])`, "i")
  return lines.some((line) => pattern.test(line.slice(0, 2000)))
}

/** `… (By: Mira)`, `… (decided by Mira)` at the end of a heading or bullet. */
const signedInBrackets = /\((?:(?:decided|proposed|approved|requested)[ ])?(?:by|author)[: ]\s*([^()]{2,60})\)[\s.]*$/i

/** The user's words belong to the user, whichever names occur in them. */
function saysUser(heading: LegacyHeading, { rationale }: LegacyBody): boolean {
  return /\buser(?:['’]s)? directives?\b/i.test(heading.text) || isUserRequest(rationale)
}

/** `r2-d2-one-index.md` begins with a name that has a dash itself. */
function rosterPrefix(fileName: string, roster: Roster): string | undefined {
  const parts = fileName.replace(/\.md$/i, "").split(/[-_.]/)
  for (let length = Math.min(4, parts.length); length > 0; length--) {
    const name = lookUp(parts.slice(0, length).join("-"), roster)
    if (name) return name
  }
  return undefined
}

const byLine =
  /(?:^|[(*_—–-]\s*|\b(?:[Dd]ecided|[Ww]ritten|[Pp]roposed|[Rr]ecorded|[Mm]erged|[Rr]equested|[Aa]pproved|[Aa]uthored|[Cc]aptured)\s+)([Bb]y|[Vv]ia|[Ff]rom)\s+@?([A-ZÀ-ÖØ-Þ][\w\u00C0-\u024F-]+)/

const longestByLine = 10_000

function findByLine(lines: string[], roster: Roster): string | undefined {
  for (const line of lines) {
    if (line.length > longestByLine) continue // no name is as long, and the pattern's stack grows with the line
    const [, word = "", name] = byLine.exec(line) ?? []
    if (name === undefined || /^(?:copilot|squad|user|default|design|scribe)$/i.test(name)) continue // tools carry a decision, people make it
    if (lookUp(name, roster) || (/^by$/i.test(word) && /\p{Ll}/u.test(name))) return name // "via PR", "from Azure" are not names
  }
  return undefined
}

/** Removes the author's name from both ends of the title; a name in mid-sentence, or another name, stays. */
function withoutName(title: string, finding: { author: string; contributors: string[] }): string {
  const names = new Set([finding.author, ...finding.contributors].map((name) => name.toLowerCase()))
  const lower = title.toLowerCase()
  if (![...names].some((name) => lower.includes(name))) return title
  for (const pattern of [nameAtStart, nameAtEnd, nameInBrackets]) {
    const match = pattern.exec(title)
    if (match?.[1] && names.has(match[1].toLowerCase())) return title.replace(pattern, "").trim() || title
  }
  return title
}
