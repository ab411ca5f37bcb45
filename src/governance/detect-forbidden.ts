import { assignmentRules } from "./assignment-rules.ts"
import { commandRules } from "./command-rules.ts"
import { contentRules } from "./content-rules.ts"
import { findDiagnosticPayloads } from "./diagnostic-payload.ts"
import { hiddenViews, reversedViews, type View } from "./hidden-text.ts"
import { keyRules } from "./key-rules.ts"
import { isKeyLike } from "./placeholder.ts"
import { makePrefilter } from "./prefilter.ts"
import { namedToken, secretRules } from "./secret-rules.ts"
import { spokenRules } from "./spoken-rules.ts"
import { reversedBeginnings, vendorTokens } from "./vendor-tokens.ts"

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

/** What stands on the same line, up to 200 characters to each side of a value, and what stands before it on any line. */
export type Around = { before: string; after: string; above: string }

export type Rule = {
  rule: string
  reason: ForbiddenReason
  /** Words, in any case, one of which a text must contain for the pattern to be tried. */
  hints: readonly string[]
  /** Without hints: the length of a run without gaps that a text must have. */
  longRun?: number
  /** How such a token begins. A word may be glued to it when the rest can only be a key. */
  beginnings?: readonly string[]
  /** Global, every repeat bounded, so that time grows with the text's length only; a match ends with its value (a group, or all). */
  pattern: RegExp
  /** Set when the value is in the middle of the match. */
  lastGroup?: boolean
  isForbidden?: (value: string, around: Around) => boolean
  /** For what no single match can show: the places of the values, given the match. */
  find?: (text: string, match: RegExpExecArray) => Pick<Finding, "start" | "end">[]
}

/** Finds secrets, personal identifiers and raw payloads, in the order of the text and without overlaps. */
export function detectForbidden(text: string): Finding[] {
  const findings = findSecrets(text, 0)
  for (const span of findDiagnosticPayloads(text)) {
    findings.push({ reason: "raw diagnostic payload", rule: "diagnostic-lines", ...span })
  }
  return withoutOverlaps(findings)
}

/** The order tells which rule names a finding that several make: from the most telling to the least. */
const secretsFirst: Rule[] = [...keyRules, ...vendorTokens, ...secretRules, ...assignmentRules, ...commandRules, ...spokenRules, namedToken]
export const rules: Rule[] = [...secretsFirst, ...contentRules]
const glance = makePrefilter([...rules.flatMap(({ hints }) => hints), ...reversedBeginnings])

/** How often something may be hidden within something hidden: a token in base64 in a text of escapes. */
const deepest = 3

function findSecrets(text: string, depth: number): Finding[] {
  const { has, kinds, longestRun } = glance(text)
  const findings: Finding[] = []
  for (const rule of depth === 0 ? rules : secretsFirst) {
    if (rule.hints.length > 0 ? !rule.hints.some(has) : longestRun < (rule.longRun ?? 0)) continue
    findings.push(...findByRule(text, rule))
  }
  if (depth === deepest) return findings
  const views = hiddenViews(text, kinds, longestRun)
  for (const view of views) findings.push(...findSecrets(view.text, depth + 1).map((found) => inOriginal(found, view)))
  if (reversedBeginnings.some(has))
    for (const view of reversedViews(text))
      for (const rule of vendorTokens)
        if (rule.beginnings) findings.push(...findByRule(view.text, rule).filter(({ start, end }) => isKeyLike(view.text.slice(start, end))).map((found) => inOriginal(found, view)))
  return findings
}

function inOriginal({ start, end, ...found }: Finding, { starts, ends }: View): Finding {
  const places = [starts[start] ?? 0, ends[start] ?? 0, starts[end - 1] ?? 0, ends[end - 1] ?? 0]
  return { ...found, start: Math.min(...places), end: Math.max(...places) }
}

function findByRule(text: string, { rule, reason, pattern, beginnings, isForbidden, find }: Rule): Finding[] {
  const findings: Finding[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (match[0] === "") pattern.lastIndex++
    if (find) {
      findings.push(...find(text, match).map((place) => ({ reason, rule, ...place })))
      continue
    }
    const value = match.slice(1).findLast((group) => group !== undefined) ?? match[0]
    const start = match.index + (match[0].endsWith(value) ? match[0].length - value.length : match[0].lastIndexOf(value))
    const end = start + value.length
    if (beginnings && isGlued(text, match.index) && !isKeyLike(value)) continue
    if (isForbidden === undefined || isForbidden(value, aroundOf(text, start, end)))
      findings.push({ reason, rule, start, end })
  }
  return findings
}

/** The `n` of a written-out `\n`, as in JSON, is no part of the word behind it. */
function isGlued(text: string, start: number): boolean {
  return /[A-Za-z0-9]/.test(text.charAt(start - 1)) && !/\\[nrt]/.test(text.slice(start - 2, start))
}

function aroundOf(text: string, start: number, end: number): Around {
  const above = text.slice(Math.max(0, start - 200), start)
  const after = text.slice(end, end + 200)
  return { before: above.slice(above.lastIndexOf("\n") + 1), after: after.split("\n", 1)[0] ?? "", above }
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
