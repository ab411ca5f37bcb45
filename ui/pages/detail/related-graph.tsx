import { useEffect, useRef } from "react"
import type { Graph } from "../../../src/recall/browse/app-api.ts"
import { useIsDark } from "../../parts/use-is-dark.ts"
import { drawGraph } from "./draw-graph.ts"

type Properties = { id: string; graph: Graph; onOpen: (id: string) => void }

/** A graph of related items; hidden from screen readers, since the list beside it has the same content. */
export function RelatedGraph({ id, graph, onOpen }: Properties) {
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(onOpen)
  const isDark = useIsDark()
  useEffect(() => {
    latest.current = onOpen
  })
  useEffect(() => {
    if (place.current) return drawGraph(place.current, graph, id, (other) => latest.current(other))
  }, [graph, id, isDark])
  return <div ref={place} className="related-graph" aria-hidden />
}
