import uPlot from "uplot"
import type { TimelineAnswer } from "../../../src/recall/browse/app-api.ts"
import { resolveColor } from "../../parts/resolve-color.ts"
import { day } from "../../parts/span/span.ts"
import type { ChartContent } from "./chart.tsx"
import { chartOptions, type SpanChoice } from "./chart-options.ts"

const height = 150
const week = 7 * day

/** How many decisions were made in each week. */
export function drawVelocity({ weeks }: TimelineAnswer, choose: SpanChoice): ChartContent {
  const color = resolveColor("--type-decision")
  const bars = uPlot.paths.bars?.({ size: [0.75, 48], align: 0 })
  return {
    options: {
      ...chartOptions(height, choose),
      scales: { y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] } },
      series: [
        {},
        {
          ...(bars ? { paths: bars } : {}),
          stroke: color,
          fill: `${color}99`,
          width: 1,
          points: { show: false },
        },
      ],
    },
    data: [weeks.map(({ start }) => start + week / 2), weeks.map(({ decisions }) => decisions)],
  }
}

/** How many items there were in all at the end of each week. */
export function drawGrowth({ weeks }: TimelineAnswer, choose: SpanChoice): ChartContent {
  const color = resolveColor("--accent")
  const [first] = weeks
  const before = first ? first.total - first.added : 0
  return {
    options: {
      ...chartOptions(height, choose),
      scales: { y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] } },
      series: [{}, { stroke: color, fill: `${color}26`, width: 2, points: { show: weeks.length < 8, size: 5 } }],
    },
    data: [
      [first?.start ?? 0, ...weeks.map(({ start }) => start + week)],
      [before, ...weeks.map(({ total }) => total)],
    ],
  }
}
