import { lazy, Suspense } from "react"
import { Link, useLocation } from "wouter"
import type { Graph } from "../../../src/recall/browse/app-api.ts"
import { TypeBadge } from "../../parts/badge.tsx"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"
import { describeTies } from "./describe-ties.ts"

const RelatedGraph = lazy(async () => ({ default: (await import("./related-graph.tsx")).RelatedGraph }))

type Properties = { id: string; graph: Graph; hrefOf: (id: string) => string }

/** What an item has to do with: a picture, and the same as a list. */
export function Related({ id, graph, hrefOf }: Properties) {
  const [, navigate] = useLocation()
  const others = graph.nodes.filter((node) => node.id !== id)
  if (others.length === 0) return <EmptyState title="No related items." />
  return (
    <div className="related">
      <Suspense fallback={<Skeleton lines={5} />}>
        <RelatedGraph id={id} graph={graph} onOpen={(other) => navigate(hrefOf(other))} />
      </Suspense>
      <ul className="related-list" aria-label="Related items">
        {others.map((node) => (
          <li key={node.id}>
            <TypeBadge type={node.type} /> <Link href={hrefOf(node.id)}>{node.title}</Link>
            <span className="related-ties">{describeTies(graph, id, node.id)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
