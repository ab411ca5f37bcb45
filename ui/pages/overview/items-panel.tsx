import { Link } from "wouter"
import type { Row } from "../../../src/recall/browse/app-api.ts"
import { explorerHref } from "../../parts/item-href.ts"
import { ItemRow } from "../../parts/item-row.tsx"
import { Panel } from "../../parts/panel.tsx"

type Properties = { title: string; rows: Row[]; all: { name: string; query: string }; none: string }

/** A few items, and the way to all of their kind. */
export function ItemsPanel({ title, rows, all, none }: Properties) {
  return (
    <Panel title={title} actions={<Link href={explorerHref(all.query)}>{all.name}</Link>}>
      {rows.length === 0 ? (
        <p className="overview-none">{none}</p>
      ) : (
        <ul className="overview-items">
          {rows.map((row) => (
            <li key={row.id}>
              <ItemRow row={row} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
