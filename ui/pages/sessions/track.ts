import type { Attempt } from "../../../src/formats/session/agent-memory.ts"
import type { SessionDetail } from "../../../src/recall/browse/app-api.ts"

/** An attempt of one agent with its place in time, and what it has to do with others; keys are `agent/id`. */
export type TrackedAttempt = {
  key: string
  agent: string
  attempt: Attempt
  from: number
  to: number
  outcome: Outcome
  solvedBy: string | null
  solves: string[]
}

export type Outcome = "success" | "failure" | "solved" | "partial" | "in_progress"

/** In words; `solved` failed, and a later attempt at the same did not. */
export const outcomes: Record<Outcome, string> = {
  success: "worked",
  failure: "failed",
  solved: "failed, later solved",
  partial: "partly worked",
  in_progress: "in progress",
}

/** Every attempt of every agent, in the order in which they began; one in progress lasts until `now`. */
export function trackAttempts({ agents, solvedBy }: SessionDetail, now: number): TrackedAttempt[] {
  const solutions = new Map(solvedBy.map(({ failed, by }) => [failed, by]))
  const tracked = agents.flatMap(({ name, memory }) =>
    memory.attempts.map((attempt): TrackedAttempt => {
      const key = `${name}/${attempt.id}`
      const solution = solutions.get(key) ?? null
      const from = Date.parse(attempt.timestamp)
      return {
        key,
        agent: name,
        attempt,
        from,
        to: Math.max(from, endOf(attempt, from, now)),
        outcome: attempt.result === "failure" && solution !== null ? "solved" : attempt.result,
        solvedBy: solution,
        solves: solvedBy.filter(({ by }) => by === key).map(({ failed }) => failed),
      }
    }),
  )
  return tracked.sort((one, other) => one.from - other.from || one.key.localeCompare(other.key))
}

function endOf({ result, duration_ms: duration, updatedAt }: Attempt, from: number, now: number): number {
  if (result === "in_progress") return now
  if (duration !== undefined) return from + duration
  return updatedAt === undefined ? from : Date.parse(updatedAt)
}
