import { assignmentRules } from "./assignment-rules.ts"
import { contentRules } from "./content-rules.ts"
import { findDiagnosticPayloads } from "./diagnostic-payload.ts"
import { secretRules } from "./secret-rules.ts"

/** Squad's reason names. The transient one is `isTransient`'s to find; it is here because audits and readers share the list. */
export type ForbiddenReason =
  | "private key material"
  | "access token"
  | "credential-like assignment"
  | "connection string secret"
  | "PII-like identifier"
  | "internal network topology"
  | "raw diagnostic payload"
  | "transient CI/PR status"
  | "private customer data"
  | "unreviewed vulnerability disclosure"

/** Where a text holds what no memory may hold; never the value itself, so that a finding can be logged. */
export type Finding = { reason: ForbiddenReason; rule: string; start: number; end: number }

/** What stands on the same line, up to 200 characters to each side of a value. */
export type Around = { before: string; after: string }

export type Rule = {
  rule: string
  reason: ForbiddenReason
  /** A cheap part of the pattern, without which it cannot match. */
  hint: RegExp
  /** Global, every repeat bounded, so that time grows with the text's length only; a match ends with its value (a group, or all). */
  pattern: RegExp
  /** Set when a match in the middle of a word is none: the `sk-` of `task-` begins no key. */
  standsAlone?: true
  isForbidden?: (value: string, around: Around) => boolean
}

/** Finds secrets, personal identifiers and raw payloads, in the order of the text and without overlaps. */
export function detectForbidden(text: string): Finding[] {
  const findings = families
    .filter(({ hint }) => hint.test(text))
    .flatMap(({ rules }) => rules.filter(({ hint }) => hint.test(text)))
    .flatMap((rule) => findByRule(text, rule))
  for (const span of findDiagnosticPayloads(text)) {
    findings.push({ reason: "raw diagnostic payload", rule: "diagnostic-lines", ...span })
  }
  return withoutOverlaps(findings)
}

const rules = [...secretRules, ...assignmentRules, ...contentRules]

/** Most texts hold no hint at all: one pass tells so for the rules that heed case, one for those that ignore it. */
const families = [
  family(
    rules.filter(({ pattern }) => !pattern.ignoreCase),
    "",
  ),
  family(
    rules.filter(({ pattern }) => pattern.ignoreCase),
    "i",
  ),
]

function family(rules: Rule[], flags: string): { rules: Rule[]; hint: RegExp } {
  return { rules, hint: new RegExp(rules.map(({ hint }) => hint.source).join("|"), flags) }
}

function findByRule(text: string, { rule, reason, pattern, standsAlone, isForbidden }: Rule): Finding[] {
  const findings: Finding[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (standsAlone && isInsideWord(text, match.index)) {
      pattern.lastIndex = match.index + 1 // the rest of this match may hold one that does stand alone
      continue
    }
    const value = match.slice(1).find((group) => group !== undefined) ?? match[0]
    const end = match.index + match[0].length
    const start = end - value.length
    if (isForbidden === undefined || isForbidden(value, aroundOf(text, start, end)))
      findings.push({ reason, rule, start, end })
  }
  return findings
}

/** The `n` of a written-out `\n`, as in JSON, is no part of the word behind it. */
function isInsideWord(text: string, start: number): boolean {
  return /[A-Za-z0-9]/.test(text.charAt(start - 1)) && !/\\[nrt]/.test(text.slice(start - 2, start))
}

function aroundOf(text: string, start: number, end: number): Around {
  const before = text.slice(Math.max(0, start - 200), start)
  const after = text.slice(end, end + 200)
  return { before: before.slice(before.lastIndexOf("\n") + 1), after: after.split("\n", 1)[0] ?? "" }
}

/** Joins what overlaps under the rule that comes first in the list: the rules run from the most telling to the least. */
function withoutOverlaps(findings: Finding[]): Finding[] {
  const kept: Finding[] = []
  for (const finding of findings.sort((one, other) => one.start - other.start)) {
    const last = kept.at(-1)
    if (last === undefined || finding.start >= last.end) kept.push({ ...finding })
    else last.end = Math.max(last.end, finding.end)
  }
  return kept
}
