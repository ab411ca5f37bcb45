import { normalizeEntry } from "../normalize-entry.ts"
import { agentScope } from "../scope.ts"
import { isBlank } from "../source-text.ts"
import { secondOfDay } from "../timestamp.ts"
import { agentName, type Origin, undated } from "./fallbacks.ts"
import { findDates, type WrittenDate } from "./find-date.ts"
import { parseHeadingText } from "./parse-heading.ts"
import { type LegacyReading, readLegacyEntry } from "./read-legacy-entry.ts"
import { cutAtWord, firstSentence } from "./summarize.ts"

const decider = /[—–-]\s*decided by\s+([^.)\n]{1,60}?)[.)]?\s*$/i

/** Reads a bullet of a history as an entry of its own; a `📌 Team update` is a note by the one who decided. */
export function readBullet(lines: string[], origin: Origin, isUpdate: boolean): LegacyReading {
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

/** Reads a dated bullet of a decisions file: its first line says what a heading says, the rest is the body. */
export function readDecisionBullet(lines: string[], origin: Origin): LegacyReading {
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

/** Emphasis that began before the date and goes on after it stays whole. */
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
