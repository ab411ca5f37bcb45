import { queryStatuses } from "./item-status.ts"
import { type QueryKey, queryKeys, querySources, queryTypes, quoteValue } from "./query.ts"
import { tokenizeQuery } from "./query-tokens.ts"

/** Put `insert` in place of the characters from `start` up to `end`. */
export type Completion = { start: number; end: number; insert: string }

/** Values that occur, for the keys whose values only the team knows: its authors, tags, scopes, sources. */
export type QueryValues = Partial<Record<QueryKey, readonly string[]>>

const fixedValues: QueryValues = {
  type: queryTypes,
  source: querySources,
  scope: ["team", "project"],
  status: queryStatuses,
  recent: ["24h", "7d", "2w", "3m"],
}

/** What may stand where the cursor is: a key, or a value once the key and its colon are there. */
export function completeQuery(text: string, cursor: number, values: QueryValues = {}): Completion[] {
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

function startingWith(typed: string, start: number, end: number, candidates: readonly string[]): Completion[] {
  const fitting = [...new Set(candidates)].filter((one) => one.toLowerCase().startsWith(typed.toLowerCase()))
  return fitting.map((one) => ({ start, end, insert: quoteValue(one) }))
}
