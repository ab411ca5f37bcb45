import { useMemo } from "react"
import type { TimelineAnswer } from "../../../src/recall/browse/app-api.ts"
import { formatNumber } from "../../parts/format-number.ts"
import { Panel } from "../../parts/panel.tsx"
import { useIsDark } from "../../parts/use-is-dark.ts"
import { Chart } from "./chart.tsx"
import type { SpanChoice } from "./chart-options.ts"
import type { SpanCounts } from "./count-span.ts"
import { drawGrowth, drawVelocity } from "./draw-weeks.ts"
import { ItemsChart } from "./items-chart.tsx"
import type { Shown } from "./move-span.ts"
import { TypeLegend } from "./type-legend.tsx"

type Properties = {
  timeline: TimelineAnswer
  shown: Shown
  counts: SpanCounts
  query: string
  onQuery: (query: string) => void
  onSpan: SpanChoice
}

/** The charts of the timeline, below one another, all of the same span. */
export function TimelineCharts({ timeline, shown, counts, query, onQuery, onSpan }: Properties) {
  const isDark = useIsDark()
  const velocity = useMemo(() => drawVelocity(timeline, onSpan), [timeline, onSpan, isDark])
  const growth = useMemo(() => drawGrowth(timeline, onSpan), [timeline, onSpan, isDark])
  const { items, decisions, decisionsPerWeek, weeks } = counts
  const total = weeks.at(-1)?.total ?? 0
  return (
    <>
      <Panel title="Items by type">
        <TypeLegend byType={counts.byType} query={query} onQuery={onQuery} />
        <ItemsChart
          timeline={timeline}
          shown={shown}
          onSpan={onSpan}
          label={`${formatNumber(items)} items as dots over time, in a lane for each type.`}
        />
      </Panel>
      <Panel title="Decision velocity">
        <p className="chart-meaning">
          Decisions made in each week: {formatNumber(decisions)} in the weeks of this span,{" "}
          {formatNumber(decisionsPerWeek)} a week on average.
        </p>
        <Chart
          label={`${formatNumber(decisions)} decisions, as a bar for each week.`}
          content={velocity}
          shown={shown}
        />
      </Panel>
      <Panel title="Growth">
        <p className="chart-meaning">
          How many items there were in all at the end of each week: {formatNumber(total)} at the end of this span.
        </p>
        <Chart label={`Growth to ${formatNumber(total)} items, as a line.`} content={growth} shown={shown} />
      </Panel>
    </>
  )
}
