import type { Span } from "../../parts/span/span.ts"

/** A span with both ends, as a chart shows it. */
export type Shown = { from: number; to: number }

const shortest = 3_600_000

/** Open ends reach as far as there is something. */
export function closeSpan(span: Span | null, all: Shown): Shown {
  const from = span?.from ?? Math.min(all.from, (span?.to ?? all.to) - shortest)
  return { from, to: Math.max(span?.to ?? all.to, from + shortest) }
}

/** Half or twice of what is shown, around its middle. Null when that is all there is. */
export function zoomSpan(shown: Shown, all: Shown, factor: number): Shown | null {
  const middle = (shown.from + shown.to) / 2
  const length = Math.max(shortest, (shown.to - shown.from) * factor)
  return withinAll({ from: middle - length / 2, to: middle + length / 2 }, all)
}

/** As long as what is shown, a part of its length earlier or later. */
export function shiftSpan(shown: Shown, all: Shown, part: number): Shown | null {
  const step = (shown.to - shown.from) * part
  return withinAll({ from: shown.from + step, to: shown.to + step }, all)
}

/** Moved back in where it reaches out. */
function withinAll(span: Shown, all: Shown): Shown | null {
  const length = span.to - span.from
  if (length >= all.to - all.from) return null
  const from = Math.min(Math.max(span.from, all.from), all.to - length)
  return { from, to: from + length }
}
