import type { EpisodeEvent, FlushReason, Frustration, Stats } from "./episode.ts"
import { isFailure } from "./failure.ts"
import { outcomeOf } from "./outcome.ts"
import { retryLoopsOf } from "./retry-loops.ts"
import { atLeast, worse } from "./words/frustration.ts"

/** Summarizes the events of a task. A following task suggests success, so the flush reason counts. */
export function statsOf(events: readonly EpisodeEvent[], reason?: FlushReason): Stats {
  const loops = retryLoopsOf(events)
  const interrupts = events.filter(({ incident }) => incident === "interrupted").length
  const rejections = events.filter(({ incident }) => incident === "refused").length
  return {
    error_count: events.filter(isFailure).length,
    retry_loops: loops.length,
    retry_attempts: loops.reduce((sum, loop) => sum + loop.length - 1, 0),
    tests_final_status: events.findLast(({ test }) => test !== undefined)?.test ?? "not_run",
    user_frustration: frustrationOf(events, loops.length, interrupts + rejections),
    interrupts,
    rejections,
    outcome: outcomeOf(events, reason),
  }
}

/** The worst of the messages; two moderate ones, or one amid two loops, are severe; an interruption also counts. */
function frustrationOf(events: readonly EpisodeEvent[], loops: number, stops: number): Frustration {
  const said = events.flatMap(({ frustration }) => frustration ?? [])
  const moderate = said.filter((level) => atLeast(level, "moderate")).length
  const worst = said.reduce(worse, "none")
  const inWords = moderate >= 2 || (moderate === 1 && loops >= 2) ? "severe" : worst
  return worse(inWords, stops >= 3 ? "moderate" : stops >= 1 ? "mild" : "none")
}
