import type { Extension } from "../entry.ts"
import { trimEndOf } from "../source-text.ts"
import { findDates, type WrittenDate } from "./dates.ts"

/** What a label such as `**By:**` means. `text` labels are known words that stay part of the body. */
export type LabelField =
  | "author"
  | "weak-author"
  | "date"
  | "weak-date"
  | "details"
  | "rationale"
  | "scope"
  | "tags"
  | "related"
  | "status"
  | "type"
  | "text"

/** One label found on a line: its value runs from the label to the next one, or to the end of the line. */
export type Label = {
  name: string
  field: LabelField
  value: string
  /** The names in an author label, if its value consists of names. */
  authors: Authors | undefined
  /** The first date in a date label's value. */
  date: WrittenDate | undefined
}

const synonyms: Record<Exclude<LabelField, "text">, string> = {
  author:
    "by, author, authors, author(s), architect/author, decided by, decision by, made by, agent, from, lead, proposed by, raised by, submitted by, filed by, recorded by, written by, prepared by, reported by, implemented by, decision maker, decision makers, decision maker(s), decision made by, decision owner, decider, deciders, authored by, executed by, engineer, analyst, architect, autor, autora, auteur, por",
  "weak-author":
    "owner, requested by, approved by, reviewer, reviewed by, assignee, participants, audited by, auditor, revisor, revisado por",
  date: "date, timestamp, when, decided, decision date, date decided, created, recorded, date/time, datetime, time, fecha, datum, data",
  "weak-date": "merged, updated, last updated",
  details:
    "what, decision, the decision, details, description, directive, change, what changed, outcome, solution, implementation, resolution, action, summary, decisión, qué",
  rationale:
    "why, rationale, reason, reasoning, motivation, context, background, problem, root cause, why it matters, por qué, motivo, contexto",
  scope: "scope",
  tags: "tags, category, area",
  related: "issue, issues, issue(s), pr, prs, pr(s), branch, related, reference, references, prd, proposal, work item",
  status: "status, estado",
  type: "type",
}

const fieldByName = new Map<string, LabelField>()
for (const [field, names] of Object.entries(synonyms))
  for (const name of names.split(", ")) fieldByName.set(name, field as LabelField)

const bold = "(?:\\*\\*|__)([^*_:|\\n]{1,40})(?::(?:\\*\\*|__)|(?:\\*\\*|__)[ \\t]?:)"
const boldLabels = new RegExp(bold, "g")
/** What separates several labels on one line. */
const severalMark = /[|·•]/
const boldLabelFirst = new RegExp(`^${bold}`)
const lineHead = /^(?:[ \t]*(?:[-*+]|>)[ \t]+)*[ \t]*/
const plainLabel = /^([A-Za-z][A-Za-z()/ ]{1,20}):[ \t]+(\S.*)$/
const tableRow = /^[ \t]*\|[ \t]*(?:\*\*)?([^|*:]{1,40}?):?(?:\*\*)?:?[ \t]*\|[ \t]*([^|]*[^|\s])[ \t]*\|[ \t]*$/

/** The labels at the start of a line: several if separated by `|` or `·`. Plain `By: x` counts only at the top of an entry. */
export function parseLabels(line: string, atHead: boolean): Label[] {
  if (!atHead && !mayBeginWithLabel(line)) return []
  const head = lineHead.exec(line)?.[0].length ?? 0
  const text = line.slice(head)
  if (text.startsWith("**") || text.startsWith("__")) return parseBoldLabels(text)
  if (text.startsWith("|")) return parseTableRow(text)
  if (!atHead || head > 0) return []
  const match = plainLabel.exec(text)
  if (!match) return []
  const label = toLabel(match[1] ?? "", match[2] ?? "")
  return label.field === "text" || label.field === "details" || label.field === "rationale" ? [] : [label]
}

/** Fast path: most lines begin with a letter and have no label. */
function mayBeginWithLabel(line: string): boolean {
  let at = 0
  while (line.charCodeAt(at) === 0x20 || line.charCodeAt(at) === 0x09) at++
  const first = line.charAt(at)
  return first === "*" || first === "_" || first === "|" || first === "-" || first === ">" || first === "+"
}

/** True for a line that opens with any bold label, known or not: what ends the text of the label before it. */
export function startsWithBoldLabel(line: string): boolean {
  const text = line.slice(lineHead.exec(line)?.[0].length ?? 0)
  return boldLabelFirst.test(text)
}

function parseBoldLabels(text: string): Label[] {
  const first = boldLabelFirst.exec(text)
  if (!first) return []
  if (!severalMark.test(text)) return [toLabel(first[1] ?? "", text.slice(first[0].length))]
  const matches = [...text.slice(0, 400).matchAll(boldLabels)]
  if (matches[0]?.index !== 0) return []
  const labels: Label[] = []
  for (const [index, match] of matches.entries()) {
    const before = text.slice(0, match.index)
    if (index > 0 && !/[|·•][ \t]*$/.test(before)) break // bold words inside the value are not a label
    const next = matches[index + 1]
    const nextCounts = next !== undefined && /[|·•][ \t]*$/.test(text.slice(0, next.index))
    const value = text.slice(match.index + match[0].length, nextCounts ? next.index : undefined)
    labels.push(toLabel(match[1] ?? "", nextCounts ? value.replace(/[|·•][ \t]*$/, "") : value))
  }
  return labels
}

function parseTableRow(text: string): Label[] {
  if (text.length > 300 || text.split("|", 5).length !== 4) return [] // metadata is a short row of two cells
  const match = tableRow.exec(text)
  if (!match) return []
  const label = toLabel(match[1] ?? "", match[2] ?? "")
  return label.field === "author" || label.field === "date" ? [label] : []
}

function toLabel(name: string, text: string): Label {
  const clean = name.trim().toLowerCase().replace(/\s+/g, " ")
  const value = text.trim()
  const isPerson = clean === "directive" && /^[^.!?]{2,60} \(via [^)]+\)$/.test(value)
  const field = isPerson ? "author" : (fieldByName.get(clean) ?? "text")
  return {
    name: name.trim(),
    field,
    value,
    authors: authorsOf(clean, field, value),
    date: field === "date" || field === "weak-date" ? findDates(value)[0] : undefined,
  }
}

/** An owner is not an author; only a value that consists of names can replace a missing author. */
function authorsOf(name: string, field: LabelField, value: string): Authors | undefined {
  if (name === "owner") return parseNames(value)
  return field === "author" || field === "weak-author" ? parseAuthors(value) : undefined
}

/** The names in a label's value: the first is the author, the rest contributed. */
export type Authors = { author: string; contributors: string[]; extensions: Extension[] }

const nameLimit = 48

/** Reads `Name (Role)`, `Name (via Copilot)`, `A, B and C`, `@name`; undefined if the value is not a name. */
export function parseAuthors(value: string): Authors | undefined {
  return (
    parseNames(value) ??
    parseNames(value.split(/\s+[—–-]\s+|[,;]?\s+(?:requested|approved|reviewed|on behalf of)\b/i)[0] ?? "")
  )
}

/** The same if the whole value must be names, their roles and the tools they used. */
function parseNames(value: string): Authors | undefined {
  if (/^[A-Za-z][A-Za-z0-9_-]{1,40}$/.test(value) && !nobody.test(value))
    return { author: value, contributors: [], extensions: [] }
  const extensions: Extension[] = []
  const plain = stripMarkup(value).replace(/[,;]?\s+via\s+([\w .-]{2,40})$/i, (_, via: string) => {
    extensions.push({ name: "via", value: via.trim() })
    return ""
  })
  const withoutBrackets = plain.replace(/\s*\(([^()]{1,80})\)/g, (_, inside: string) => {
    const via = /^via\s+(.+)$/i.exec(inside.trim())
    extensions.push(via ? { name: "via", value: via[1] ?? "" } : { name: "role", value: inside.trim() })
    return ""
  })
  const names = withoutBrackets
    .split(/\s*(?:[,;&+/]|\band\b)\s*/i)
    .map(cleanName)
    .filter(Boolean)
  const author = names[0]
  if (author === undefined || !names.every(isName)) return undefined
  return { author, contributors: names.slice(1), extensions: mergeRoles(extensions) }
}

function stripMarkup(value: string): string {
  return value
    .replace(/<[^<>\s]+@[^<>\s]+>|[\w.+-]+@[\w-]+\.[\w.]+/g, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`]|__/g, "")
    .replace(/^[^\p{L}\p{N}(]+/u, "")
    .trim()
}

function cleanName(name: string): string {
  return trimEndOf(name.replace(/^[@_]+/, ""), /[.,:;\s–—_-]/).trim()
}

function isName(name: string): boolean {
  if (name.length > nameLimit || !/\p{L}/u.test(name) || nobody.test(name)) return false
  const words = name.split(/\s+/)
  // Names are letters, and in names of several words all but particles begin with a capital: "Ana de Souza", not "pushed and merged".
  return (
    words.length <= 4 &&
    /^[\p{L}\p{N}\p{M} .'’_[\]-]+$/u.test(name) &&
    (words.length === 1 || words.every((word) => !/^\p{Ll}/u.test(word) || particles.test(word)))
  )
}

const nobody =
  /^(?:(?:user |team )?(?:directive|decision)s?|tbd|tba|n\/?a|none|unknown|various|multiple|everyone|all|(?:the |all |whole )*(?:team|agents?|members)|pending|unassigned|(?:self|pr|ci|done|complete|completed))$/i
const particles = /^(?:de|da|del|der|den|di|do|dos|du|la|le|van|von|zu|bin|ibn|al|el|the)$/

/** Several roles in one value become one field, so that nothing is lost and the field occurs once. */
function mergeRoles(extensions: Extension[]): Extension[] {
  const merged = new Map<string, string>()
  for (const { name, value } of extensions) merged.set(name, merged.has(name) ? `${merged.get(name)}, ${value}` : value)
  return [...merged].map(([name, value]) => ({ name, value }))
}

/** Headings that group or structure and never start an entry by themselves. */
const sections = new Set(
  `active decisions|current decisions|pending decisions|recent decisions|merged decisions|archived decisions|team decisions|squad decisions|decisions|decision log
  |governance|archive|archived|index|table of contents|contents|overview|format|template|how to use|learnings|project context|core context|team updates|patterns|issues`
    .split("|")
    .map((name) => name.trim()),
)

/** The headings that SquadUI skips, because people use them inside a decision. */
export const squadUiStopList: ReadonlySet<string> = new Set(
  `context|decision|decisions|rationale|impact|alternatives considered|implementation details|implementation|members|alumni|@copilot|location
  |action required|open questions|open questions / risks|related issues|success metrics|scope decision|directive|problem statement|data flow analysis
  |root cause|the design gap|what should happen|recommended fix|test cases to add|files to modify|for linus|implementation phases|sprint goal
  |context & opportunity|work items|risks & open questions|next steps|outcome|success criteria|vision|core features|overview|goals|non-goals|assumptions
  |constraints|background|summary|appendix|references|changelog|history|todo|notes`
    .split("|")
    .map((name) => name.trim()),
)

const profileSections = new Set(["project context", "core context"])
const historySections = new Set(
  "learnings|project context|core context|decisions|context|patterns|issues|references|team updates|summary of archived entries".split(
    "|",
  ),
)

export function isSectionName(title: string): boolean {
  return sections.has(plain(title))
}

/** `P1`, `Phase 2: House`, `WI-5`, `Option B`, `Decision Rationale`: parts of the entry above. */
const partOfPlan =
  /^(?:P\d\b|(?:WI|work item|task)[- ]#?\d|decision (?:rationale|drivers?|context|criteria|matrix|summary|outcome|details)[\s:]*$|(?:phase|step|stage|part|option|alternative|milestone|appendix|wave)\s+(?:\d|[A-Z]\b|one\b|two\b))/i

/** "Squad Decisions", "Decision Log — Acme", "Team decisions (updated …)": the title of a file, dated or not. */
export function isFileTitle(title: string): boolean {
  return /^[^\p{L}]*(?:(?:squad|team|project|active|merged|architecture|architectural|shared)\s+)*(?:decisions|decision (?:log|register|history|archive))(?:\s*(?:log|archive|\(.*\)|[—–|].*))?$/iu.test(
    title.slice(0, 100),
  )
}

export function isSubSectionName(title: string): boolean {
  return squadUiStopList.has(plain(title)) || partOfPlan.test(title.trim())
}

/** The agent's profile and area of work: indexed, never converted, never archived. */
export function isProfileSection(title: string): boolean {
  return title.length < 80 && profileSections.has(plain(title.split(/\(| [—–-] /, 1)[0] ?? ""))
}

/** "Archived Decisions — Before 2026-06-02": the date refers to the file's content. */
export function isArchiveTitle(title: string): boolean {
  if (!/archive|decisions?\b/i.test(title)) return false
  if (/^(?:scribe |decisions? )?archived?(?: decisions)?\b[^a-z]*$/i.test(title)) return true
  return /\bdecisions?\b.*\b(?:before|through|until|up to|older than|prior to)\b[^a-z]*$/i.test(title)
}

/** The parts of a history file; one of them ends the entry above it. */
export function isHistorySection(title: string): boolean {
  return historySections.has(plain(title))
}

/** All the names are short, and most headings are not. */
const longestName = 48

function plain(title: string): string {
  if (title.length > longestName) return ""
  return title
    .toLowerCase()
    .replace(/^[^\p{L}\p{N}@]+|(?<![:*_\s])[:*_\s]+$/gu, "")
    .trim()
}
