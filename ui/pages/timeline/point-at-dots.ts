import type uPlot from "uplot"
import type { TimelineAnswer } from "../../../src/recall/browse/app-api.ts"
import { firstFrom } from "./count-span.ts"
import { heightOf } from "./draw-items.ts"

export type PointedAt = { id: string; left: number; top: number }

const reach = 8

/** Reports the dot under the pointer, and the one clicked; returns a function that stops it. */
export function pointAtDots(
  chart: uPlot,
  timeline: TimelineAnswer,
  { onPoint, onOpen }: { onPoint: (dot: PointedAt | null) => void; onOpen: (id: string) => void },
): () => void {
  const { over } = chart
  let known: PointedAt | null = null
  let pressedAt = 0
  const tell = (dot: PointedAt | null) => {
    if (dot?.id === known?.id) return
    known = dot
    over.style.cursor = dot ? "pointer" : ""
    onPoint(dot)
  }
  const move = ({ offsetX, offsetY }: MouseEvent) => tell(findDot(chart, timeline, offsetX, offsetY))
  const leave = () => tell(null)
  const press = ({ clientX }: MouseEvent) => {
    pressedAt = clientX
  }
  const click = ({ clientX, offsetX, offsetY }: MouseEvent) => {
    if (Math.abs(clientX - pressedAt) > 3) return // the end of a drag
    const dot = findDot(chart, timeline, offsetX, offsetY)
    if (dot) onOpen(dot.id)
  }
  over.addEventListener("mousemove", move)
  over.addEventListener("mouseleave", leave)
  over.addEventListener("mousedown", press)
  over.addEventListener("click", click)
  return () => {
    over.removeEventListener("mousemove", move)
    over.removeEventListener("mouseleave", leave)
    over.removeEventListener("mousedown", press)
    over.removeEventListener("click", click)
  }
}

/** The nearest within reach. */
function findDot(chart: uPlot, { types, at, type, ids }: TimelineAnswer, left: number, top: number): PointedAt | null {
  const end = chart.posToVal(left + reach, "x")
  let nearest: PointedAt | null = null
  let least = reach
  for (let place = firstFrom(at, chart.posToVal(left - reach, "x")); (at[place] ?? end) < end; place++) {
    const x = chart.valToPos(at[place] ?? 0, "x")
    const y = chart.valToPos(heightOf(types, type[place] ?? 0, place), "y")
    const distance = Math.hypot(x - left, y - top)
    if (distance < least) [least, nearest] = [distance, { id: ids[place] ?? "", left: x, top: y }]
  }
  return nearest
}
