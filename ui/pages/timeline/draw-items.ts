import type uPlot from "uplot"
import type { TimelineAnswer } from "../../../src/recall/browse/app-api.ts"
import { resolveColor } from "../../parts/resolve-color.ts"
import type { ChartContent } from "./chart.tsx"
import { chartOptions, type SpanChoice } from "./chart-options.ts"

const laneHeight = 30
const axisHeight = 40
const dotRadius = 2.5

/** Every item as a dot, in the lane and the colour of its type. */
export function drawItems({ types, at, type }: TimelineAnswer, choose: SpanChoice): ChartContent {
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
  return { paths: pathOfDots, fill: `${resolveColor(`--type-${type}`)}b0`, width: 0, points: { show: false } }
}

/** One dot for all that lie on the same pixel: the browser takes a second for ten thousand on top of one another. */
function pathOfDots(chart: uPlot, lane: number, first: number, last: number): uPlot.Series.Paths {
  const [moments, heights = []] = [chart.data[0], chart.data[lane]]
  const radius = dotRadius * devicePixelRatio
  const fill = new Path2D()
  const drawn = new Set<string>()
  for (let place = first; place <= last; place++) {
    const height = heights[place]
    if (height === null || height === undefined) continue
    const x = Math.round(chart.valToPos(moments[place] ?? 0, "x", true))
    const y = Math.round(chart.valToPos(height, "y", true))
    if (drawn.has(`${x} ${y}`)) continue
    drawn.add(`${x} ${y}`)
    fill.moveTo(x + radius, y)
    fill.arc(x, y, radius, 0, 2 * Math.PI)
  }
  return { fill, flags: 0 }
}
