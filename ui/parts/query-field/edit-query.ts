import { type QueryKey, type QueryToken, quoteValue, tokenizeQuery } from "../../../src/formats/query.ts"

/** The values that a query asks for by this key. */
export function valuesInQuery(text: string, key: QueryKey): string[] {
  return filtersOf(text, key).map(({ value }) => value)
}

/** The query with this filter added, or without it where it is there; the rest stays as it was typed. */
export function toggleInQuery(text: string, key: QueryKey, value: string): string {
  const present = filtersOf(text, key).filter((token) => sameValue(token.value, value))
  if (present.length > 0) return without(text, present)
  return [text.trim(), `${key}:${quoteValue(value)}`].filter((part) => part !== "").join(" ")
}

/** The query without any filter by this key. */
export function withoutKey(text: string, key: QueryKey): string {
  return without(text, filtersOf(text, key))
}

/** Whether two spellings of a value ask for the same. */
export function sameValue(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function filtersOf(text: string, key: QueryKey): QueryToken[] {
  return tokenizeQuery(text).filter((token) => token.key?.toLowerCase() === key && !token.negated)
}

function without(text: string, tokens: QueryToken[]): string {
  const kept = tokenizeQuery(text).filter(({ start }) => !tokens.some((token) => token.start === start))
  return kept.map(({ start, end }) => text.slice(start, end)).join(" ")
}
