import type uPlot from "uplot"
import type { Timeline } from "../../../src/web/api.ts"
import { resolveColor } from "../../parts/resolve-color.ts"
import type { ChartContent } from "./chart.tsx"
import { chartOptions, type SpanChoice } from "./chart-options.ts"

const laneHeight = 30
const axisHeight = 40

/** Every item as a dot, in the lane and the colour of its type. */
export function drawItems({ types, at, type }: Timeline, choose: SpanChoice): ChartContent {
  const lanes = types.map((_, lane) =>
    at.map((__, place) => (type[place] === lane ? heightOf(types, lane, place) : null)),
  )
  const { axes = [], ...options } = chartOptions(axisHeight + laneHeight * Math.max(2, types.length), choose)
  const [times = {}, side = {}] = axes
  return {
    options: {
      ...options,
      scales: { y: { range: [-0.6, types.length - 0.4] } },
      axes: [
        times,
        {
          ...side,
          splits: types.map((_, lane) => lane),
          values: () => types.toReversed(),
        },
      ],
      series: [{}, ...types.map(dots)],
    },
    data: [at, ...lanes],
  }
}

/** The first type is the uppermost; within a lane dots lie beside one another, each always in the same place. */
export function heightOf(types: readonly string[], lane: number, place: number): number {
  return types.length - 1 - lane + (((place * 0.618_034) % 1) - 0.5) * 0.62
}

function dots(type: string): uPlot.Series {
  const color = resolveColor(`--type-${type}`)
  return { paths: () => null, points: { show: true, size: 5, width: 0, fill: `${color}b0`, space: 0 } }
}
