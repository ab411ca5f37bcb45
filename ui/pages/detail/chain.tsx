import { Link } from "wouter"
import type { Row } from "../../../src/recall/browse/app-api.ts"
import { StatusBadge } from "../../parts/badge.tsx"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Time } from "../../parts/time.tsx"

type Properties = { row: Row; older: Row[]; newer: Row[]; hrefOf: (id: string) => string }

/** What it replaced, and what has replaced it, newest first. */
export function Chain({ row, older, newer, hrefOf }: Properties) {
  if (older.length + newer.length === 0)
    return <EmptyState title="It has not replaced anything and has not been replaced." />
  const links = [...older, row, ...newer].reverse()
  return (
    <ol className="chain">
      {links.map((link) => (
        <li key={link.id} className="chain-link" aria-current={link.id === row.id ? "true" : undefined}>
          {link.id === row.id ? <strong>{link.title}</strong> : <Link href={hrefOf(link.id)}>{link.title}</Link>}
          <span className="chain-facts">
            <StatusBadge status={link.status} />
            {link.author}
            {link.at === null ? null : <Time at={link.at} />}
          </span>
        </li>
      ))}
    </ol>
  )
}
