import { Link } from "wouter"
import { quoteValue } from "../../../src/formats/query.ts"
import type { AgentDetail } from "../../../src/recall/browse/app-api.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { quantity } from "../../parts/format-number.ts"
import { explorerHref } from "../../parts/item-href.ts"
import { ShareBar } from "../../parts/share-bar.tsx"

/** What an agent's entries are about, by their tags. */
export function Knows({ knows, by }: { knows: AgentDetail["knows"]; by: string }) {
  if (knows.length === 0)
    return <EmptyState title="None of its entries has a tag." hint="Add tags to its entries: **Tags:** storage, api." />
  const most = knows[0]?.count ?? 1
  return (
    <ul className="knows">
      {knows.map(({ tag, count }) => (
        <li key={tag} className="known">
          <Link href={explorerHref(`${by} tag:${quoteValue(tag)}`)}>{tag}</Link>
          <ShareBar share={count / most} />
          <span className="known-count">{quantity(count, "entry", "entries")}</span>
        </li>
      ))}
    </ul>
  )
}
