import type { TimelineAnswer } from "../../../src/recall/browse/app-api.ts"
import { day } from "../../parts/span/span.ts"
import type { Shown } from "./move-span.ts"

export type SpanCounts = {
  items: number
  /** In the order of the timeline's types. */
  byType: { type: string; count: number }[]
  /** Those that the span touches. */
  weeks: TimelineAnswer["weeks"]
  decisions: number
  decisionsPerWeek: number
}

const week = 7 * day

/** Everything there is, with a little room at both sides; null when nothing is dated. */
export function extentOf({ at }: TimelineAnswer): Shown | null {
  const [first] = at
  const last = at.at(-1)
  if (first === undefined || last === undefined) return null
  const room = Math.max(day, (last - first) * 0.02)
  return { from: first - room, to: last + room }
}

/** How much there is in a span. */
export function countSpan({ types, at, type, weeks }: TimelineAnswer, { from, to }: Shown): SpanCounts {
  const counts = types.map(() => 0)
  let items = 0
  for (let place = firstFrom(at, from); place < at.length && (at[place] ?? to) < to; place++) {
    const kind = type[place] ?? 0
    counts[kind] = (counts[kind] ?? 0) + 1
    items++
  }
  const touched = weeks.filter(({ start }) => start + week > from && start < to)
  const decisions = touched.reduce((sum, each) => sum + each.decisions, 0)
  return {
    items,
    byType: types.map((name, place) => ({ type: name, count: counts[place] ?? 0 })),
    weeks: touched,
    decisions,
    decisionsPerWeek: touched.length === 0 ? 0 : decisions / touched.length,
  }
}

/** The place of the first that is not earlier; times are sorted. */
export function firstFrom(at: readonly number[], from: number): number {
  let [low, high] = [0, at.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((at[middle] ?? 0) < from) low = middle + 1
    else high = middle
  }
  return low
}
