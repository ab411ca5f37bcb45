import type { EntryType } from "../entry.ts"
import { headingLevel, headingText } from "../markdown.ts"
import { toEntryType } from "../sem-grammar.ts"
import { trimBlanks, trimEndOf } from "../source-text.ts"
import { findDates, type WrittenDate } from "./dates.ts"

/** A parsed heading: the date, its hint at the type, and the remaining title. */
export type LegacyHeading = {
  level: number
  text: string
  /** Empty when the heading is nothing but a date. */
  title: string
  date?: WrittenDate
  /** `Decision…`, `Directive…` or an id such as `ADR-001`: a heading that names its type. */
  named: boolean
  type?: EntryType
  superseded?: string
}

const idPrefix = /^(?:ADR|DEC|RFC|D)[- ]?[A-Z0-9]*-?\d+[a-z]?\b|^D-[A-Z][A-Z0-9-]+\b/
const decisionPrefix = /^(?:team\s+)?decision(?:\s+(?:#?\d+|[A-Z]))?\s*(?:[:—–-]|\.\s)\s*/i
/** `Decision 12: …` is what other entries call it, so the number stays in the title. */
const numberedDecision = /^(?:team\s+)?decision\s+(?:#?\d+|[A-Z])\s*(?:[:—–-]|\.\s)\s*\S/i
const directivePrefix = /^(?:user\s+)?directive\s*[:—–-]\s*/i
const typePrefix = /^(decision|memory|note|directive)\s*:\s*/i
const leadingMarks = /^(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}:•|–—-]|\uFE0F|\u200D|\s)+/u

/** What leads to a date in brackets and means nothing without it. */
const connectives = /^(?:as of|updated|last updated|dated|on|from|since)$/i

/** Parses a Markdown heading (or a bold line that serves as one, at level 4); undefined for any other line. */
export function parseHeading(line: string): LegacyHeading | undefined {
  const level = headingLevel(line)
  if (level > 0) return parseHeadingText(headingText(line, level), level)
  const bold = line.startsWith("**2") ? /^\*\*(\d{4}-\d{2}-\d{2}.*)\*\*[ \t]*$/.exec(line) : null
  return bold?.[1] && !bold[1].includes("**") ? parseHeadingText(bold[1], 4) : undefined
}

export function parseHeadingText(text: string, level: number): LegacyHeading {
  let rest = text.replace(/^#+\s+/, "") // "# # title" is seen
  const superseded = /\[?superseded by ([^\])]+)[\])]?/i.exec(rest)?.[1]
  const struck = /^~~(.*)~~$/s.exec(rest.trim())
  if (struck) rest = struck[1] ?? rest
  rest = rest.replace(leadingMarks, "")

  const date = headingDate(rest)
  if (date) rest = withoutDate(rest, date)
  rest = rest.replace(leadingMarks, "")

  const typeWord = typePrefix.exec(rest)?.[1]
  const named =
    decisionPrefix.test(rest) ||
    /^(?:user\s+)?directive\b/i.test(rest) ||
    idPrefix.test(rest) ||
    /^decision\b/i.test(rest)
  const directive = /\bdirectives?\b(?!-)/i.test(rest) // "directive-shift memo" is about one
  const title = stripPrefixes(rest)
  const heading: LegacyHeading = { level, text, title, named }
  if (date) heading.date = date
  if (superseded) heading.superseded = superseded.trim()
  const type = typeWord ? toEntryType(typeWord) : undefined
  if (directive) heading.type = "directive"
  else if (type) heading.type = type
  return heading
}

/** A date at the start, or at the end alone or in brackets. One in mid-sentence is part of the title. */
function headingDate(text: string): WrittenDate | undefined {
  const dates = findDates(text)
  const first = dates[0]
  if (first && /^[[(]?$/.test(text.slice(0, first.start).trim())) return first
  return dates.find((date) => {
    const before = text.slice(0, date.start)
    const after = text.slice(date.end)
    if (/^[\s)\]*_.]*$/.test(after)) return /[\s([—–:,-]$/.test(before)
    return /\([^()]*$/.test(before) && /^[^()]*\)\s*$/.test(after)
  })
}

/** Cuts the date out, with its brackets and separators. Other text in the brackets stays; text in brackets after it comes last. */
function withoutDate(text: string, date: WrittenDate): string {
  const before = text.slice(0, date.start)
  const after = text.slice(date.end)
  if (/^[[(]?$/.test(before.trim())) {
    return after
      .replace(/^\s*(?:\/|to|–|-|→|through)\s*(?:\d{4}-\d{2}-\d{2}|\d{1,2})(?=\W)/, "")
      .replace(/^[\s\])]*[\s:—–\-|,]*/, "")
      .replace(/^(\([^()]{1,80}\))\s*[:—–-]\s*(\S.*)$/s, "$2 $1")
  }
  const bracket = /\(([^()]*)$/.exec(before)
  const closing = /^([^()]*)\)/.exec(after)
  if (bracket && closing) {
    const inside = `${bracket[1]}${closing[1]}`
      .replace(/^[\s,;:—–|-]+|(?<![\s,;:—–|-])[\s,;:—–|-]+$/g, "")
      .replace(/\s*,\s*,\s*/, ", ")
    const outside = trimBlanks(before.slice(0, bracket.index) + after.slice(closing[0].length))
    if (!inside || connectives.test(inside)) return outside
    return `${outside} (${inside})`
  }
  return trimBlanks(trimEndOf(before, /[\s([—–:,|-]/) + after.replace(/^[\s)\]]+$/, ""))
}

function stripPrefixes(text: string): string {
  let rest = text
  if (numberedDecision.test(rest)) return trimBlanks(rest)
  for (const prefix of [typePrefix, directivePrefix, decisionPrefix]) rest = rest.replace(prefix, "")
  rest = trimBlanks(rest)
  return /^(?:user\s+)?(?:directive|decision)$/i.test(rest) ? "" : rest // names its type, not its topic
}

export type TypeEvidence = {
  heading: LegacyHeading
  labelled: EntryType | undefined
  fileName: string
  inHistory: boolean
  viaCopilot: boolean
  rationale: string
  summary: string
  authorIsAgent: boolean
  hasWhatOrWhy: boolean
}

const userRequest =
  /\b(?:user (?:request|directive|preference)|captured for team memory|(?:requested|stated|said) by (?:the )?user)\b/i
const rule = /^(?:always|never|must|do not|don['’]t|from now on|going forward|we don['’]t)\b/i
const report =
  /\b(?:session (?:log|summary)|retrospective|sprint\b.*\bcomplete|PR #?\d+ (?:review|merged)|review round|verification|status|triage|handoff)\b/i

/** "User request — captured for team memory" and similar: why something is a directive. */
export function isUserRequest(rationale: string): boolean {
  return userRequest.test(rationale)
}

/** Returns the type of a legacy entry, and whether it is a guess that needs review. */
export function inferType(evidence: TypeEvidence): { type: EntryType; ambiguous: boolean } {
  const { heading, labelled } = evidence
  if (heading.type && heading.type !== "directive") return { type: heading.type, ambiguous: false }
  if (labelled) return { type: labelled, ambiguous: false }
  if (isDirective(evidence)) return { type: "directive", ambiguous: false }
  if (evidence.inHistory) return { type: "memory", ambiguous: false }
  const isReport = report.test(heading.title) && !/decision/i.test(heading.text) && !evidence.hasWhatOrWhy
  return isReport ? { type: "note", ambiguous: true } : { type: "decision", ambiguous: false }
}

function isDirective({ heading, fileName, viaCopilot, rationale, summary, authorIsAgent }: TypeEvidence): boolean {
  if (heading.type === "directive" || /^copilot-directive-/i.test(fileName) || viaCopilot) return true
  if (isUserRequest(rationale)) return true
  return !authorIsAgent && rule.test(summary) && !/[.!?]\s+\S/.test(summary)
}
