import { Link } from "wouter"
import type { Row } from "../../../src/recall/browse/app-api.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { formatNumber } from "../../parts/format-number.ts"
import { explorerHref } from "../../parts/item-href.ts"
import { ItemRow } from "../../parts/item-row.tsx"

type Properties = { rows: Row[]; of: number; query: string; none: string }

/** The newest of an agent's items, and the way to all of them. */
export function AgentItems({ rows, of, query, none }: Properties) {
  if (rows.length === 0) return <EmptyState title={none} />
  return (
    <>
      <p className="agents-meaning">
        {rows.length < of ? `The newest ${formatNumber(rows.length)} of ${formatNumber(of)}. ` : "Newest first. "}
        <Link href={explorerHref(query)}>Show them in the Explorer</Link>
      </p>
      <ul className="agent-items">
        {rows.map((row) => (
          <li key={row.id}>
            <ItemRow row={row} />
          </li>
        ))}
      </ul>
    </>
  )
}
