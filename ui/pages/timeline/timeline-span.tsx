import { lazy, Suspense, useMemo } from "react"
import type { TimelineAnswer } from "../../../src/recall/browse/app-api.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"
import type { Span } from "../../parts/span/span.ts"
import { SpanChip } from "../../parts/span/span-chip.tsx"
import { countSpan, extentOf } from "./count-span.ts"
import { closeSpan } from "./move-span.ts"
import { SpanSummary } from "./span-summary.tsx"
import { SpanToolbar } from "./span-toolbar.tsx"
import { TimelineTable } from "./timeline-table.tsx"

const TimelineCharts = lazy(async () => ({ default: (await import("./timeline-charts.tsx")).TimelineCharts }))

type Properties = {
  timeline: TimelineAnswer
  span: Span | null
  query: string
  /** How many the query finds that have no place in time. */
  undated: number
  onQuery: (query: string) => void
  onSpan: (span: Span | null) => void
}

/** One span of the timeline: its charts, and the way to another. */
export function TimelineSpan({ timeline, span, query, undated, onQuery, onSpan }: Properties) {
  const all = useMemo(() => extentOf(timeline), [timeline])
  const shown = useMemo(() => all && closeSpan(span, all), [all, span])
  const counts = useMemo(() => shown && countSpan(timeline, shown), [timeline, shown])
  if (!all || !shown || !counts)
    return (
      <EmptyState
        title={query.trim() === "" ? "No dated items yet." : "No dated items found."}
        hint="An entry has the date of its heading, a memory that of the day it was learned. Skills have none."
      />
    )
  return (
    <>
      <SpanToolbar shown={shown} all={all} span={span} onSpan={onSpan} />
      <div className="span-state">
        <SpanChip query={query} onChange={onQuery} />
        <SpanSummary counts={counts} span={span} undated={undated} />
      </div>
      <Suspense fallback={<Skeleton lines={12} />}>
        <TimelineCharts
          timeline={timeline}
          shown={shown}
          counts={counts}
          query={query}
          onQuery={onQuery}
          onSpan={onSpan}
        />
      </Suspense>
      <TimelineTable counts={counts} />
    </>
  )
}
