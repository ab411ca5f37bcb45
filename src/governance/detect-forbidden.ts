import { hiddenViews, type View } from "./hidden-text.ts"
import { makePrefilter, type PrefilterMatch } from "./rule-prefilter.ts"
import { assignmentRules, commandRules } from "./rules/assignments.ts"
import { contentRules, findDiagnosticPayloads } from "./rules/content.ts"
import { keyRules } from "./rules/keys.ts"
import { isKeyLike } from "./rules/placeholders.ts"
import { namedToken, secretRules } from "./rules/secrets.ts"
import { spokenRules } from "./rules/spoken-passwords.ts"
import { reversedBeginnings, vendorTokens } from "./rules/vendor-tokens.ts"

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

/** Where a text contains something forbidden; never the value itself, so that a finding can be logged. */
export type ForbiddenFinding = { reason: ForbiddenReason; rule: string; start: number; end: number }

/** The text on the same line, up to 200 characters on each side of a value, and the text before it on any line. */
export type Surroundings = { before: string; after: string; above: string }

export type ForbiddenRule = {
  rule: string
  reason: ForbiddenReason
  /** Words, in any case, one of which a text must contain for the pattern to be tried. */
  hints: readonly string[]
  /** Without hints: the length of a run without gaps in which it is tried, or the lengths of which a text must have one. */
  longRun?: number
  lineLengths?: readonly number[]
  /** The prefix of such a token. A word may be joined to it if the rest can only be a key. */
  beginnings?: readonly string[]
  /** Global, every repeat bounded, so that time grows with the text's length only; a match ends with its value (a group, or all). */
  pattern: RegExp
  /** How far a match may extend beyond its words, if that is further than usual. */
  reach?: number
  before?: number
  isForbidden?: (value: string, around: Surroundings) => boolean
  /** For values that a single match cannot locate: their positions, given the match. */
  find?: (text: string, match: RegExpExecArray) => Pick<ForbiddenFinding, "start" | "end">[]
}

/** Finds secrets, personal identifiers and raw payloads, in the order of the text and without overlaps. */
export function detectForbidden(text: string): ForbiddenFinding[] {
  const findings = findSecrets(text, 0)
  for (const span of findDiagnosticPayloads(text)) {
    findings.push({ reason: "raw diagnostic payload", rule: "diagnostic-lines", ...span })
  }
  return withoutOverlaps(findings)
}

/** The order decides which rule names a finding that several report: from most to least specific. */
const secretsFirst: ForbiddenRule[] = [
  ...keyRules,
  ...vendorTokens,
  ...secretRules,
  ...assignmentRules,
  ...commandRules,
  ...spokenRules,
  namedToken,
]
const rules: ForbiddenRule[] = [...secretsFirst, ...contentRules]
const reversed = rules.length
const look = makePrefilter([...rules.map(({ hints }) => hints), reversedBeginnings])
const always = rules.flatMap(({ hints, longRun, lineLengths }, nth) =>
  hints.length > 0 || longRun || lineLengths ? [] : [nth],
)
const withoutHints = rules.flatMap(({ hints }, nth) => (hints.length === 0 ? [nth] : []))

/** How often something may be hidden within something hidden: a token in base64 in a text of escapes. */
const deepest = 3

function findSecrets(text: string, depth: number): ForbiddenFinding[] {
  const glance = look(text)
  const findings: ForbiddenFinding[] = []
  const unhinted = glance.runs.length === 0 ? always : withoutHints
  const tried = glance.lists.length === 0 ? unhinted : [...glance.lists, ...unhinted].sort((one, other) => one - other)
  for (const nth of tried) {
    const rule = rules[nth]
    if (rule === undefined || (depth > 0 && nth >= secretsFirst.length)) continue
    for (const window of windowsOf(nth, rule, text, glance)) findings.push(...findByRule(text, rule, window))
  }
  if (depth === deepest) return findings
  for (const view of hiddenViews(text, glance))
    findings.push(...findSecrets(view.text, depth + 1).map(inOriginal(view)))
  if (glance.lists.at(-1) === reversed) findings.push(...findReversed(text, glance))
  return findings
}

/** A part of a text in which a rule is tried. */
type Window = { from: number; to: number }

/** How far before and after its words a rule looks by default. */
const usualBefore = 300
const usualReach = 2500

/** Where a rule is tried: around the words that it needs, at long runs, or everywhere. */
function windowsOf(nth: number, rule: ForbiddenRule, text: string, glance: PrefilterMatch): Window[] {
  const { hints, longRun = 0, lineLengths, reach, before = usualBefore } = rule
  const whole = [{ from: 0, to: text.length }]
  if (lineLengths) return hasLines(glance.runs, lineLengths) ? whole : []
  if (hints.length === 0) {
    if (longRun === 0) return whole
    const long: Window[] = []
    for (let at = 0; at < glance.runs.length; at += 2) {
      const from = glance.runs[at] as number
      const to = glance.runs[at + 1] as number
      if (to - from >= longRun && hasDigit(text, from, to))
        long.push({ from: Math.max(0, from - 2), to: Math.min(text.length, to + 2) })
    }
    return long
  }
  if (text.length <= usualReach) return whole
  const windows: Window[] = []
  for (const place of glance.placesOf(nth)) {
    const last = windows.at(-1)
    const from = Math.max(0, place - before)
    const to = Math.min(text.length, place + (reach ?? usualReach))
    if (last && from <= last.to) last.to = to
    else windows.push({ from, to })
  }
  return windows
}

function hasLines(runs: readonly number[], lengths: readonly number[]): boolean {
  let lines = 0
  for (let at = 0; at < runs.length; at += 2)
    if (lengths.includes((runs[at + 1] as number) - (runs[at] as number)) && ++lines === 2) return true
  return false
}

/** Paths and names, which are most of the long runs, have none. */
function hasDigit(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code >= 48 && code <= 57) return true
  }
  return false
}

/** Reversed tokens: their prefix ends a long run. Only where the rest can hardly be anything but a key. */
function findReversed(text: string, { runs, placesOf }: PrefilterMatch): ForbiddenFinding[] {
  const findings: ForbiddenFinding[] = []
  const places = placesOf(reversed)
  for (let at = 0, next = 0; at < runs.length; at += 2) {
    const [from, to] = [runs[at] as number, runs[at + 1] as number]
    while (next < places.length && (places[next] as number) < to - 2) next++
    if (next === places.length || (places[next] as number) > to || !hasDigit(text, from, to)) continue
    const backwards = [...text.slice(from, to)].reverse().join("")
    const tried = look(backwards).lists.flatMap((nth) => rules[nth] ?? [])
    for (const rule of tried.filter(({ beginnings }) => beginnings))
      for (const found of findByRule(backwards, rule, { from: 0, to: backwards.length }))
        if (isKeyLike(backwards.slice(found.start, found.end)))
          findings.push({ ...found, start: to - found.end, end: to - found.start })
  }
  return findings
}

function inOriginal({ starts, ends }: View): (found: ForbiddenFinding) => ForbiddenFinding {
  return ({ start, end, ...found }) => {
    const places = [starts[start] ?? 0, ends[start] ?? 0, starts[end - 1] ?? 0, ends[end - 1] ?? 0]
    return { ...found, start: Math.min(...places), end: Math.max(...places) }
  }
}

function findByRule(whole: string, rule: ForbiddenRule, { from, to }: Window): ForbiddenFinding[] {
  const { pattern, beginnings, isForbidden, find } = rule
  const findings: ForbiddenFinding[] = []
  const add = (start: number, end: number) =>
    findings.push({ reason: rule.reason, rule: rule.rule, start: from + start, end: from + end })
  const text = from === 0 && to === whole.length ? whole : whole.slice(from, to)
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (match[0] === "") pattern.lastIndex++
    if (find) {
      for (const place of find(text, match)) add(place.start, place.end)
      continue
    }
    const written = match.slice(1).findLast((group) => group !== undefined) ?? match[0]
    const value = beginnings ? written.replace(/\.{1,3}$/, "") : written // the end of a sentence
    const start = match.index + match[0].lastIndexOf(value)
    const end = start + value.length
    if (beginnings && isGlued(text, match.index) && !isKeyLike(value)) continue
    if (isForbidden === undefined || isForbidden(value, aroundOf(text, start, end))) add(start, end)
  }
  return findings
}

/** The `n` of an escaped `\n`, as in JSON, is not part of the word after it. */
function isGlued(text: string, start: number): boolean {
  return /[A-Za-z0-9]/.test(text.charAt(start - 1)) && !/\\[nrt]/.test(text.slice(start - 2, start))
}

function aroundOf(text: string, start: number, end: number): Surroundings {
  const above = text.slice(Math.max(0, start - 200), start)
  const after = text.slice(end, end + 200)
  return { before: above.slice(above.lastIndexOf("\n") + 1), after: after.split("\n", 1)[0] ?? "", above }
}

/** Merges overlapping findings under the rule that comes first in the list: the rules run from most to least specific. */
function withoutOverlaps(findings: ForbiddenFinding[]): ForbiddenFinding[] {
  const kept: ForbiddenFinding[] = []
  for (const finding of findings.sort((one, other) => one.start - other.start)) {
    const last = kept.at(-1)
    if (last === undefined || finding.start >= last.end) kept.push({ ...finding })
    else last.end = Math.max(last.end, finding.end)
  }
  return kept
}
