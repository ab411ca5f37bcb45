import uPlot from "uplot"
import { formatNumber } from "../../parts/format-number.ts"
import { resolveColor } from "../../parts/resolve-color.ts"
import { day } from "../../parts/span/span.ts"
import type { Shown } from "./move-span.ts"

export type SpanChoice = (span: Shown | null) => void

/** As wide as the names of the types, so that the charts' time axes line up. */
const sideWidth = 84
const tooShort = 6

/** What the charts of the timeline have in common: the same times, and dragging chooses a span. */
export function chartOptions(height: number, choose: SpanChoice): Omit<uPlot.Options, "width" | "series"> {
  const [text, line] = [resolveColor("--text-soft"), resolveColor("--line")]
  const look = {
    stroke: text,
    font: "12px system-ui, sans-serif",
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 4 },
  }
  return {
    height,
    ms: 1,
    tzDate: (moment) => uPlot.tzDate(new Date(moment), "Etc/UTC"), // a query's days are those of UTC
    legend: { show: false },
    padding: [8, 28, 0, 0],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false },
      sync: { key: "timeline", setSeries: false },
      bind: {
        dblclick: () => () => {
          choose(null)
          return null
        },
      },
    },
    axes: [
      {
        ...look,
        size: 28,
        space: 80,
        values: (_, moments, __, ___, step) => moments.map((moment) => nameMoment(moment, step)),
      },
      {
        ...look,
        size: sideWidth,
        space: 24,
        values: (_, values) => values.map(formatNumber),
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000],
      },
    ],
    hooks: {
      setSelect: [
        (chart) => {
          const { left, width } = chart.select
          if (width >= tooShort) choose({ from: chart.posToVal(left, "x"), to: chart.posToVal(left + width, "x") })
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
        },
      ],
    },
  }
}

function nameMoment(moment: number, step: number): string {
  if (step >= 28 * day) return month.format(moment)
  return step >= day ? dayOfMonth.format(moment) : time.format(moment)
}

const month = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", timeZone: "UTC" })
const dayOfMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" })
const time = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
})
