import { didYouMean } from "./did-you-mean.ts"
import { entryTypes } from "./entry.ts"
import { queryStatuses } from "./item-status.ts"
import { parseDuration } from "./parse-duration.ts"
import { type QueryToken, tokenizeQuery } from "./query-tokens.ts"
import { isScope } from "./scope.ts"
import { isCalendarDate, parseTimestamp } from "./timestamp.ts"

export const queryKeys = [
  "type",
  "author",
  "tag",
  "scope",
  "source",
  "status",
  "id",
  "after",
  "before",
  "recent",
] as const
export type QueryKey = (typeof queryKeys)[number]

/** What can be remembered: entries, skills, what was learned, what a session noted. */
export const queryTypes = [
  ...entryTypes,
  "skill",
  "preference",
  "invariant",
  "pattern",
  "guard",
  "discovery",
  "attempt",
] as const

/** Those of entries are in `scope.ts`; these are of what was learned. */
const learnedScopes = ["global", "repo_path"]

/** The places that something on record can stand in. */
export const querySources = [
  "decisions",
  "inbox",
  "archive",
  "history",
  "skills",
  "memory",
  "policy",
  "learned",
  "session",
] as const

/** `type:decision`; the value has been checked and is in the spelling that the matcher compares with. */
export type QueryFilter = { key: QueryKey; value: string; negated: boolean }

/** Text an item must contain, or must not: one word, or a quoted phrase. */
export type QueryTerm = {
  text: string
  negated: boolean
  /** It stood in quotes without need: whoever wrote it wants this very word. */
  quoted?: true
}

/** What every face searches with; an empty query matches everything. */
export type Query = { terms: QueryTerm[]; filters: QueryFilter[] }

/** What is wrong with the characters from `start` up to `end` of the query's text. */
export type QueryProblem = { start: number; end: number; message: string }

export type ParsedQuery = { kind: "query"; query: Query } | { kind: "invalid"; problems: QueryProblem[] }

/** Reads `type:decision author:"Jane Doe" tag:v0.3.0 after:2026-02-01 "free text" word -excluded -tag:old`. */
export function parseQuery(text: string): ParsedQuery {
  const query: Query = { terms: [], filters: [] }
  const problems: QueryProblem[] = []
  for (const token of tokenizeQuery(text)) {
    const { negated, value, start, end } = token
    const filter = token.key === undefined ? undefined : readFilter(token, token.key)
    if (!token.closed) problems.push({ start, end, message: "Missing closing quote." })
    else if (typeof filter === "string") problems.push({ start, end, message: filter })
    else if (filter) query.filters.push(filter)
    else if (value.trim() !== "")
      query.terms.push({ text: value, negated, ...(token.quoted && readsAsWord(value) ? { quoted: true } : {}) })
  }
  return problems.length > 0 ? { kind: "invalid", problems } : { kind: "query", query }
}

/** What a person or an agent searches for. What is no query (`http://…`, a stray quote) is searched for as it stands. */
export function queryOf(text: string): Query {
  const parsed = parseQuery(text)
  if (parsed.kind === "query") return parsed.query
  const words = text.split(/\s+/).filter(Boolean)
  return { terms: words.map((word) => ({ text: word, negated: false })), filters: [] }
}

/** Writes a query so that `parseQuery` gives it back: filters first, then the free text. */
export function formatQuery(query: Query): string {
  const filters = query.filters.map(({ key, value, negated }) => `${negated ? "-" : ""}${key}:${quoteValue(value)}`)
  const terms = query.terms.map(
    ({ text, negated, quoted }) => `${negated ? "-" : ""}${readsAsWord(text) && !quoted ? text : quote(text)}`,
  )
  return [...filters, ...terms].join(" ")
}

/** A filter's value as it stands after the colon: in quotes only where it needs them. */
export function quoteValue(value: string): string {
  return /^[^\s"]\S*$/.test(value) ? value : quote(value)
}

/** The filter a token stands for, or what is wrong with it. */
function readFilter(token: QueryToken, typed: string): QueryFilter | string {
  const key = queryKeys.find((known) => known === typed.toLowerCase())
  if (!key) return unknownKey(typed)
  if (token.value.trim() === "") return `"${key}:" needs a value, for example ${key}:${examples[key]}.`
  const value = readValue[key](token.value)
  return value === undefined ? badValue(key, token.value) : { key, value, negated: token.negated }
}

const asWritten = (value: string) => value
const oneOf = (known: readonly string[]) => (value: string) => known.find((one) => one === value.toLowerCase())
const instant = (value: string) => (isCalendarDate(value) ? value : parseTimestamp(value))

const readValue: Record<QueryKey, (value: string) => string | undefined> = {
  type: oneOf(queryTypes),
  author: asWritten,
  tag: asWritten,
  scope: (value) => (isScope(value.toLowerCase()) || learnedScopes.includes(value) ? value : undefined),
  source: oneOf(querySources),
  status: (value) => oneOf(queryStatuses)(value.replace(" ", "-")),
  id: asWritten,
  after: instant,
  before: instant,
  recent: (value) => (parseDuration(value) ? value.trim().toLowerCase() : undefined),
}

const examples: Record<QueryKey, string> = {
  type: "decision",
  author: "Keaton",
  tag: "v0.3.0",
  scope: "agent:kane",
  source: "history",
  status: "active",
  id: "sem-4f2a90c1d3e5",
  after: "2026-02-01",
  before: "2026-02-01",
  recent: "7d",
}

function unknownKey(typed: string): string {
  const meant = didYouMean(typed, queryKeys)
  const hint = meant ? `Did you mean "${meant}:"?` : `The keys are ${queryKeys.join(", ")}.`
  return `"${typed}:" is not a key. ${hint} To search for the text itself, put it in quotes.`
}

function badValue(key: QueryKey, value: string): string {
  if (key === "type" || key === "status" || key === "source") {
    const known: readonly string[] = { type: queryTypes, status: queryStatuses, source: querySources }[key]
    const meant = didYouMean(value, known)
    return `"${value}" is not a ${key}. ${meant ? `Did you mean "${meant}"?` : `Write ${known.join(", ")}.`}`
  }
  if (key === "scope") return `"${value}" is not a scope. Use team, project, agent:<name> or skill:<name>.`
  if (key === "recent") return `"${value}" is not a duration. Use hours, days, weeks or months: 24h, 7d, 2w, 3m.`
  return `"${value}" is not a date. Use 2026-02-01, or a time with an offset: 2026-02-01T09:30:00Z.`
}

function readsAsWord(text: string): boolean {
  return /^[^\s"-]\S*$/.test(text) && !/^[A-Za-z]+:/.test(text)
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`
}
