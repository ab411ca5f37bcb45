import type { EpisodeEvent, FlushReason, Stats } from "./episode.ts"
import { isFailure } from "./failure.ts"
import { failureChainsOf } from "./retry-loops.ts"
import { atLeast } from "./words/frustration.ts"

/**
 * How a task ended: by passing tests and commands, by the user's words, or because the user moved on and nothing was
 * left broken. The assistant's claims do not count.
 */
export function outcomeOf(events: readonly EpisodeEvent[], reason?: FlushReason): Stats["outcome"] {
  const verdict = lastVerdict(events)
  const isBlocked = hasBlocker(events)
  const worked = verdict === "accepted" || turnedGreen(events) || (reason === "task_boundary" && hasWork(events))
  if (verdict === "complained") return worked && !isBlocked && turnedGreenAfterComplaint(events) ? "partial" : "failure"
  if (worked) return isBlocked ? "partial" : "success"
  return isBlocked ? "failure" : "uncertain"
}

/** The verdict of the user's last significant message. */
function lastVerdict(events: readonly EpisodeEvent[]): "accepted" | "complained" | undefined {
  const message = events.findLast(isVerdict)
  if (message === undefined) return undefined
  return message.accepts === true ? "accepted" : "complained"
}

function isVerdict({ role, kind, accepts, frustration }: EpisodeEvent): boolean {
  return role === "user" && kind === "message" && (accepts === true || atLeast(frustration ?? "none", "moderate"))
}

/** The last tests or command failed, or repeated attempts all failed. */
function hasBlocker(events: readonly EpisodeEvent[]): boolean {
  const tests = events.findLast(({ test }) => test !== undefined)?.test
  if (tests !== undefined) return tests === "failed"
  const run = events.findLast(({ kind, action }) => kind === "tool_result" && action === "run")
  return (run !== undefined && isFailure(run)) || unsolvedLoop(events)
}

function unsolvedLoop(events: readonly EpisodeEvent[]): boolean {
  return failureChainsOf(events).some(({ failures, success }) => failures.length >= 2 && success === undefined)
}

function turnedGreen(events: readonly EpisodeEvent[]): boolean {
  const lastTest = events.findLast(({ test }) => test !== undefined)?.test
  return (
    lastTest === "passed" ||
    failureChainsOf(events).some(({ success, failures }) => success !== undefined && isRun(events[failures[0] ?? 0]))
  )
}

function turnedGreenAfterComplaint(events: readonly EpisodeEvent[]): boolean {
  return turnedGreen(events.slice(events.findLastIndex(isVerdict)))
}

function isRun(event: EpisodeEvent | undefined): boolean {
  return event?.action === "run"
}

function hasWork(events: readonly EpisodeEvent[]): boolean {
  return events.some(({ kind, action }) => kind === "tool_call" && action !== undefined && action !== "ask")
}
