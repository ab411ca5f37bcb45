import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query"
import { useCallback, useState } from "react"
import type { Items, Row } from "../../../src/recall/browse/app-api.ts"
import { itemsQuery } from "../../api/queries.ts"

const pageSize = 40

/** What a query finds, fetched page by page as the list comes to show it. */
export type Results = {
  /** Other for every query that was asked. */
  query: string
  total: number
  problems: Items["problems"]
  isLoading: boolean
  error: Error | null
  /** Undefined while the page that it is on is fetched. */
  rowAt: (index: number) => Row | undefined
  /** Where an item is among the rows that were fetched; -1 if it is not. */
  indexOf: (id: string | null) => number
  /** Called with the visible rows. */
  show: (first: number, last: number) => void
  retry: () => void
}

export function useResults(query: string): Results {
  const [shown, setShown] = useState({ first: 0, last: 0 })
  // what was found before stays in sight until there is something else
  const first = useQuery({ ...itemsQuery(query, pageSize), placeholderData: keepPreviousData })
  const pages = useQueries({
    queries: laterPages(shown).map((page) => itemsQuery(query, pageSize, page * pageSize)),
    combine: (answers) => answers.map(({ data }) => data?.rows),
  })
  const show = useCallback((from: number, to: number) => {
    const next = { first: Math.floor(from / pageSize), last: Math.floor(to / pageSize) }
    setShown((known) => (known.first === next.first && known.last === next.last ? known : next))
  }, [])

  const fetched = new Map([[0, first.data?.rows], ...laterPages(shown).map((page, at) => [page, pages[at]] as const)])
  const rowAt = (index: number) => fetched.get(Math.floor(index / pageSize))?.[index % pageSize]
  const indexOf = (id: string | null) => {
    for (const [page, rows = []] of fetched) {
      const at = rows.findIndex((row) => row.id === id)
      if (at >= 0) return page * pageSize + at
    }
    return -1
  }
  return {
    query,
    total: first.data?.total ?? 0,
    problems: first.data?.problems ?? [],
    isLoading: first.isLoading,
    error: first.data ? null : first.error,
    rowAt,
    indexOf,
    show,
    retry: () => first.refetch(),
  }
}

function laterPages({ first, last }: { first: number; last: number }): number[] {
  return Array.from({ length: last - first + 1 }, (_, step) => first + step).filter((page) => page > 0)
}
