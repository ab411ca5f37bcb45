import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Problem } from "./problem.tsx"
import { Skeleton } from "./skeleton.tsx"

type Properties<Data> = { query: UseQueryResult<Data>; lines?: number; children: (data: Data) => ReactNode }

/** The result of a query, its loading state, or its error. */
export function Answer<Data>({ query, lines = 6, children }: Properties<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <Problem error={query.error} onRetry={() => query.refetch()} />
  return <Skeleton lines={lines} />
}
