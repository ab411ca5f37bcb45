import type { TrackedAttempt } from "./track.ts"

/** Where a bar is drawn: in percent of the whole time, and on which line of the whole drawing. */
export type Bar = { tracked: TrackedAttempt; left: number; width: number; line: number }

export type TrackLayout = {
  from: number
  to: number
  lanes: { agent: string; firstLine: number; lines: number }[]
  bars: Bar[]
  lines: number
}

/** In percent: enough to be seen and pointed at. */
const leastWidth = 2.5

/** A lane for each agent; attempts that would cover one another get a line each. */
export function layOutTrack(attempts: readonly TrackedAttempt[]): TrackLayout {
  const from = Math.min(...attempts.map((each) => each.from))
  const to = Math.max(...attempts.map((each) => each.to), from + 1)
  const layout: TrackLayout = { from, to, lanes: [], bars: [], lines: 0 }
  for (const agent of new Set(attempts.map((each) => each.agent))) {
    const firstLine = layout.lines
    const ends: number[] = [] // of the last bar on each line
    for (const tracked of attempts.filter((each) => each.agent === agent)) {
      const width = Math.max(leastWidth, ((tracked.to - tracked.from) / (to - from)) * 100)
      const left = Math.min(((tracked.from - from) / (to - from)) * 100, 100 - width)
      const free = ends.findIndex((end) => end <= left)
      const line = free < 0 ? ends.length : free
      ends[line] = left + width
      layout.bars.push({ tracked, left, width, line: firstLine + line })
    }
    layout.lanes.push({ agent, firstLine, lines: ends.length })
    layout.lines += ends.length
  }
  return layout
}
