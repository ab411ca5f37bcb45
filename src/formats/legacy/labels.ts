import { findDates, type WrittenDate } from "./find-date.ts"
import { type Authors, parseAuthors, parseNames } from "./parse-author.ts"

/** What a label such as `**By:**` stands for. `text` labels are known words that stay part of the body. */
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
  /** Who an author label names, when its value is names at all. */
  authors: Authors | undefined
  /** The first date in a date label's value. */
  date: WrittenDate | undefined
}

const synonyms: Record<Exclude<LabelField, "text">, string> = {
  author:
    "by, author, authors, author(s), architect/author, decided by, decision by, made by, agent, from, lead, proposed by, raised by, submitted by, filed by, recorded by, written by, prepared by, reported by, implemented by, decision maker, decision makers, decision maker(s), deciders, engineer, analyst, architect, autor, autora, auteur, por",
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
/** What sets several labels on one line apart. */
const severalMark = /[|·•]/
const boldLabelFirst = new RegExp(`^${bold}`)
const lineHead = /^(?:[ \t]*(?:[-*+]|>)[ \t]+)*[ \t]*/
const plainLabel = /^([A-Za-z][A-Za-z()/ ]{1,20}):[ \t]+(\S.*)$/
const tableRow = /^[ \t]*\|[ \t]*(?:\*\*)?([^|*:]{1,40}?):?(?:\*\*)?:?[ \t]*\|[ \t]*([^|]*[^|\s])[ \t]*\|[ \t]*$/

/** The labels a line begins with: several when they are set apart by `|` or `·`. Plain `By: x` counts only at the head of an entry. */
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

/** A quick look: most lines begin with a letter and carry no label. */
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
    if (index > 0 && !/[|·•][ \t]*$/.test(before)) break // bold words inside the value are no label
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

/** An owner has something to do; only a value that is nothing but names may stand in for a missing author. */
function authorsOf(name: string, field: LabelField, value: string): Authors | undefined {
  if (name === "owner") return parseNames(value)
  return field === "author" || field === "weak-author" ? parseAuthors(value) : undefined
}
