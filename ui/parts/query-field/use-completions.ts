import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { completeQuery, type QueryCompletion } from "../../../src/formats/query.ts"
import { itemsQuery } from "../../api/queries.ts"

const most = 12

/** The completions at the cursor; the team's names and tags are included once they are loaded. */
export function useCompletions(text: string, cursor: number): QueryCompletion[] {
  const { data } = useQuery(itemsQuery("", 0))
  return useMemo(() => {
    const facets = data?.facets
    const values = facets
      ? { author: valuesOf(facets.author), tag: valuesOf(facets.tag), scope: valuesOf(facets.scope) }
      : {}
    return completeQuery(text, cursor, values)
      .filter(({ start, end, insert }) => isBegun(text, start, cursor) && text.slice(start, end) !== insert)
      .slice(0, most)
  }, [text, cursor, data])
}

function valuesOf(facet: { value: string }[]): string[] {
  return facet.map(({ value }) => value).filter((value) => value !== "")
}

/** Between words nothing is offered: it would cover the results. */
function isBegun(text: string, start: number, cursor: number): boolean {
  return start < cursor || text[cursor - 1] === ":"
}
