import { measureGrowth, measureThirds } from "./measure-soak.ts"
import type { SoakLog } from "./soak-log.ts"

export type Judgement = { verdict: "kept" | "broken" | "too short to tell"; limit: string; seen: string }

/** Wide enough for a machine that does other things as well; what leaks or slows down for good goes past them in half an hour. */
const limits = {
  megabytesAMinute: 3,
  /** Of one process while it was warm: over less, one collection of garbage tilts the line. */
  leastWarmMinutes: 8,
  timesSlower: 3,
  leastContexts: 60,
  leastDoneAMinute: 1,
  /** A process that waits too long for a lock is asked to retry: with ten writers on a slow machine, that happens. */
  mostFailedShare: 0.1,
}

/** Holds what was noted against the limits; `busy` are those that must get their work done all the time. */
export function judgeSoak(log: SoakLog, minutes: number, busy: readonly string[]): Judgement[] {
  return [
    ...measureGrowth(log.memory).map(judgeGrowth),
    judgeLatency(log.contexts),
    judgeDone(log.runs, minutes, busy),
    judgeFailed(log.runs),
    judgeFaults(log.faults),
  ]
}

function judgeGrowth({ name, minutes, slope }: ReturnType<typeof measureGrowth>[number]): Judgement {
  const isShort = minutes < limits.leastWarmMinutes
  return {
    verdict: isShort ? "too short to tell" : verdictOf(slope <= limits.megabytesAMinute),
    limit: `${name} grows by at most ${limits.megabytesAMinute} MB a minute, over ${limits.leastWarmMinutes} warm minutes`,
    seen: `${slope.toFixed(2)} over ${minutes.toFixed(1)}`,
  }
}

function judgeLatency(contexts: SoakLog["contexts"]): Judgement {
  const { first, last } = measureThirds(contexts)
  const isShort = contexts.length < limits.leastContexts
  return {
    verdict: isShort ? "too short to tell" : verdictOf(last.p95 <= limits.timesSlower * first.p95),
    limit: `contexts of the last third take at most ${limits.timesSlower} times as long as those of the first (p95), of ${limits.leastContexts}`,
    seen: `${Math.round(last.p95)} ms after ${Math.round(first.p95)} ms, of ${contexts.length}`,
  }
}

function judgeDone(runs: SoakLog["runs"], minutes: number, busy: readonly string[]): Judgement {
  const least = Math.max(1, Math.floor(limits.leastDoneAMinute * minutes))
  const done = busy.map((name) => [name, runs.get(name)?.done ?? 0] as const)
  const few = done.filter(([, times]) => times < least)
  return {
    verdict: verdictOf(few.length === 0),
    limit: `each of ${busy.length} gets its work done at least ${least} times`,
    seen: few.map(([name, times]) => `${name} ${times}`).join(", ") || `${Math.min(...done.map(([, times]) => times))}`,
  }
}

/** One failure is forgiven: the share of a few runs says nothing. */
function judgeFailed(runs: SoakLog["runs"]): Judgement {
  const many = [...runs].filter(
    ([, { done, failed }]) => failed > Math.max(1, limits.mostFailedShare * (done + failed)),
  )
  const failed = [...runs.values()].reduce((sum, counts) => sum + counts.failed, 0)
  return {
    verdict: verdictOf(many.length === 0),
    limit: `of what was not killed at most ${limits.mostFailedShare * 100} % fail, by name, or one`,
    seen: many.map(([name, counts]) => `${name} ${counts.failed}`).join(", ") || `${failed} in all`,
  }
}

function judgeFaults(faults: SoakLog["faults"]): Judgement {
  return {
    verdict: verdictOf(faults.size === 0),
    limit: "no process that stays ends by itself or answers with an error",
    seen: [...faults].map(([words, times]) => `${times} times ${words}`).join("; ") || "none",
  }
}

function verdictOf(isKept: boolean): Judgement["verdict"] {
  return isKept ? "kept" : "broken"
}
