import { useQuery } from "@tanstack/react-query"
import { useEffect, useMemo, useRef, useState } from "react"
import type uPlot from "uplot"
import { useLocation } from "wouter"
import { quoteValue } from "../../../src/formats/query.ts"
import type { TimelineAnswer } from "../../../src/recall/browse/app-api.ts"
import { itemsQuery } from "../../api/queries.ts"
import { TypeBadge } from "../../parts/badge.tsx"
import { itemHref } from "../../parts/item-href.ts"
import { Time } from "../../parts/time.tsx"
import { useDebounced } from "../../parts/use-debounced.ts"
import { useIsDark } from "../../parts/use-is-dark.ts"
import { Chart } from "./chart.tsx"
import type { SpanChoice } from "./chart-options.ts"
import { drawItems } from "./draw-items.ts"
import type { Shown } from "./move-span.ts"
import { type PointedAt, pointAtDots } from "./point-at-dots.ts"

type Properties = { timeline: TimelineAnswer; shown: Shown; label: string; onSpan: SpanChoice }

/** All items over time; pointing at a dot names it, a click opens it. */
export function ItemsChart({ timeline, shown, label, onSpan }: Properties) {
  const isDark = useIsDark()
  const [, navigate] = useLocation()
  const [pointed, setPointed] = useState<PointedAt | null>(null)
  const chart = useRef<uPlot | null>(null)
  const content = useMemo(() => drawItems(timeline, onSpan), [timeline, onSpan, isDark])
  useEffect(() => {
    if (!chart.current) return
    const onOpen = (id: string) => navigate(itemHref(id))
    return pointAtDots(chart.current, timeline, { onPoint: setPointed, onOpen })
  }, [content, timeline, navigate])
  return (
    <div className="items-chart">
      <Chart label={label} content={content} shown={shown} chartRef={chart} />
      {pointed ? <DotTip dot={pointed} chart={chart.current} /> : null}
    </div>
  )
}

function DotTip({ dot, chart }: { dot: PointedAt; chart: uPlot | null }) {
  const id = useDebounced(dot.id, 80)
  const { data } = useQuery(itemsQuery(`id:${quoteValue(id)}`, 1))
  const row = data?.rows[0]
  if (!chart || row?.id !== dot.id) return null
  const isRight = dot.left > chart.over.clientWidth / 2
  const left = chart.over.offsetLeft + dot.left
  return (
    <div className="dot-tip" data-side={isRight ? "right" : "left"} style={{ left, top: dot.top + 16 }}>
      <span>
        <TypeBadge type={row.type} /> {row.at === null ? null : <Time at={row.at} />}
      </span>
      <span className="dot-tip-title">{row.title}</span>
    </div>
  )
}
