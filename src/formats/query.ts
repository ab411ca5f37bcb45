import { clientIds } from "./client-events.ts"
import { entryTypes, isScope } from "./entry.ts"
import { queryStatuses } from "./query-match.ts"
import { didYouMean } from "./text.ts"
import { isCalendarDate, parseDuration, parseTimestamp } from "./timestamp.ts"

export const queryKeys = [
  "type",
  "author",
  "tag",
  "scope",
  "source",
  "status",
  "related",
  "file",
  "session",
  "client",
  "id",
  "after",
  "before",
  "recent",
] as const
export type QueryKey = (typeof queryKeys)[number]

/** Kinds of items: entries, skills, learned memories, session notes. */
export const queryTypes = [
  ...entryTypes,
  "skill",
  "preference",
  "invariant",
  "pattern",
  "guard",
  "discovery",
  "attempt",
  "conversation",
  "commit",
  "merge",
] as const

/** Those of entries are in `entry.ts` (`isScope`); these are of learned memories. */
const learnedScopes = ["global", "repo_path"]

/** What was said and done, which is searched beside what is remembered. */
export const pastSources = ["conversation", "commit"] as const

/** The sources of items. */
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
  "docs",
  ...pastSources,
] as const

/** `type:decision`; the value has been checked and is in the spelling that the matcher compares with. */
export type QueryFilter = { key: QueryKey; value: string; negated: boolean }

/** Text an item must contain, or must not: one word, or a quoted phrase. */
export type SearchTerm = {
  text: string
  negated: boolean
  /** It was quoted although it need not be: the user wants exactly this word. */
  quoted?: true
}

/** What every face searches with; an empty query matches everything. */
export type Query = { terms: SearchTerm[]; filters: QueryFilter[] }

/** The problem with the characters from `start` up to `end` of the query's text. */
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

/** A user's or agent's query. Text that is not a query (`http://…`, a stray quote) is searched for verbatim. */
export function queryOf(text: string): Query {
  const parsed = parseQuery(text)
  if (parsed.kind === "query") return parsed.query
  const words = text.split(/\s+/).filter(Boolean)
  return { terms: words.map((word) => ({ text: word, negated: false })), filters: [] }
}

/** Writes a query so that `parseQuery` returns the same: filters first, then the free text. */
export function formatQuery(query: Query): string {
  const filters = query.filters.map(({ key, value, negated }) => `${negated ? "-" : ""}${key}:${quoteValue(value)}`)
  const terms = query.terms.map(
    ({ text, negated, quoted }) => `${negated ? "-" : ""}${readsAsWord(text) && !quoted ? text : quote(text)}`,
  )
  return [...filters, ...terms].join(" ")
}

/** A filter's value as written after the colon: in quotes only if needed. */
export function quoteValue(value: string): string {
  return /^[^\s"]\S*$/.test(value) ? value : quote(value)
}

/** The filter of a token, or the problem with it. */
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
  type: (value) => oneOf(queryTypes)(value.toLowerCase() === "rule" ? "directive" : value),
  author: asWritten,
  tag: asWritten,
  scope: (value) => (isScope(value.toLowerCase()) || learnedScopes.includes(value) ? value : undefined),
  source: oneOf(querySources),
  status: (value) => oneOf(queryStatuses)(value.replace(" ", "-")),
  related: asWritten,
  file: asWritten,
  session: asWritten,
  client: oneOf(clientIds),
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
  related: "#18",
  file: "src/login.ts",
  session: "0f3c81d2",
  client: "codex",
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
  if (key === "type" || key === "status" || key === "source" || key === "client") {
    const known: readonly string[] = {
      type: queryTypes,
      status: queryStatuses,
      source: querySources,
      client: clientIds,
    }[key]
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

/** One piece of a query's text: `-key:"value"` with every part but the value optional. */
export type QueryToken = {
  start: number
  end: number
  negated: boolean
  key?: string
  /** Without its quotes and escapes. */
  value: string
  valueStart: number
  quoted: boolean
  /** False for a value whose quote is never closed. */
  closed: boolean
}

/** `--force` is an option that is searched for, and not an exclusion. */
const piece = /((?:-(?!-))?)(?:([A-Za-z]+):)?(?:"([^"\\]*(?:\\.[^"\\]*)*)("?)|(\S*))/sy

/** Splits a query's text at white space outside quotes; inside, `\"` and `\\` are escapes. */
export function tokenizeQuery(text: string): QueryToken[] {
  const tokens: QueryToken[] = []
  let at = skipWhiteSpace(text, 0)
  while (at < text.length) {
    piece.lastIndex = at
    const [, minus = "", key, quoted, closing, bare = ""] = piece.exec(text) ?? []
    const closed = quoted === undefined || closing === '"'
    const end = closed ? piece.lastIndex : text.length
    const value = quoted === undefined ? bare : quoted.replace(/\\(["\\])/g, "$1")
    const valueStart = at + minus.length + (key === undefined ? 0 : key.length + 1)
    tokens.push({
      start: at,
      end,
      negated: minus !== "",
      ...(key === undefined ? {} : { key }),
      value,
      valueStart,
      quoted: quoted !== undefined,
      closed,
    })
    at = skipWhiteSpace(text, end)
  }
  return tokens
}

function skipWhiteSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text.charAt(at))) at++
  return at
}

/** Replace the characters from `start` up to `end` with `insert`. */
export type QueryCompletion = { start: number; end: number; insert: string }

/** Values that occur, for the keys whose values only the team knows: its authors, tags, scopes, sources. */
export type QueryValues = Partial<Record<QueryKey, readonly string[]>>

const fixedValues: QueryValues = {
  type: queryTypes,
  source: querySources,
  scope: ["team", "project"],
  status: queryStatuses,
  client: clientIds,
  recent: ["24h", "7d", "2w", "3m"],
}

/** What can be completed at the cursor: a key, or a value after the key and its colon. */
export function completeQuery(text: string, cursor: number, values: QueryValues = {}): QueryCompletion[] {
  const token = tokenizeQuery(text).find(({ start, end }) => start < cursor && cursor <= end)
  if (!token) return startingWith("", cursor, cursor, keysToInsert)
  const { start, valueStart, end, negated } = token
  if (token.key === undefined || cursor < valueStart) {
    const keyStart = negated ? start + 1 : start
    return startingWith(
      text.slice(keyStart, cursor),
      keyStart,
      token.key === undefined ? end : valueStart,
      keysToInsert,
    )
  }
  const key = queryKeys.find((known) => known === token.key?.toLowerCase())
  const known = key ? [...(fixedValues[key] ?? []), ...(values[key] ?? [])] : []
  return startingWith(text.slice(valueStart, cursor).replace(/^"/, ""), valueStart, end, known)
}

const keysToInsert = queryKeys.map((key) => `${key}:`)

function startingWith(typed: string, start: number, end: number, candidates: readonly string[]): QueryCompletion[] {
  const fitting = [...new Set(candidates)].filter((one) => one.toLowerCase().startsWith(typed.toLowerCase()))
  return fitting.map((one) => ({ start, end, insert: quoteValue(one) }))
}
