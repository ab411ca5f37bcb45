import { queryOptions } from "@tanstack/react-query"
import { getJson } from "./fetch-json.ts"

/** What is asked at an address; the first part of the key is what live events name. */
export function ask<Answer>(key: readonly unknown[], path: string) {
  return queryOptions({ queryKey: key, queryFn: ({ signal }) => getJson<Answer>(path, signal) })
}

/** An address with the values that are given. */
export function withSearch(path: string, values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== "")
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
