import type { UseQueryResult } from "@tanstack/react-query"
import { Link } from "wouter"
import type { Items } from "../../../src/recall/browse/app-api.ts"
import { Answer } from "../../parts/answer.tsx"
import { formatNumber } from "../../parts/format-number.ts"
import { explorerHref } from "../../parts/item-href.ts"
import { ItemRow } from "../../parts/item-row.tsx"
import { Panel } from "../../parts/panel.tsx"
import { spanInQuery } from "../../parts/span/span.ts"

/** The first of what the query finds in the span. */
export function SpanItems({ query, answer }: { query: string; answer: UseQueryResult<Items> }) {
  if (answer.data?.total === 0) return null
  return (
    <Panel
      title={spanInQuery(query) ? "In this span" : "Items"}
      actions={<Link href={explorerHref(query)}>All {formatNumber(answer.data?.total ?? 0)}</Link>}
    >
      <Answer query={answer}>
        {({ rows }) => (
          <ul className="span-items">
            {rows.map((row) => (
              <li key={row.id}>
                <ItemRow row={row} />
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </Panel>
  )
}
