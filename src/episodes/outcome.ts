import type { EpisodeEvent, FlushReason, Stats } from "./episode.ts"
import { isFailure } from "./failure.ts"
import { failureChainsOf } from "./retry-loops.ts"
import { atLeast } from "./words/frustration.ts"

/**
 * How a task ended: by tests and commands that turned green, by what the person said, or because they went on to something else and
 * nothing was left broken. What the assistant claims counts for nothing.
 */
export function outcomeOf(events: readonly EpisodeEvent[], reason?: FlushReason): Stats["outcome"] {
  const verdict = lastVerdict(events)
  const isBlocked = hasBlocker(events)
  const worked = verdict === "accepted" || turnedGreen(events) || (reason === "task_boundary" && hasWork(events))
  if (verdict === "complained") return worked && !isBlocked && turnedGreenAfterComplaint(events) ? "partial" : "failure"
  if (worked) return isBlocked ? "partial" : "success"
  return isBlocked ? "failure" : "uncertain"
}

/** What the person's last telling message says. */
function lastVerdict(events: readonly EpisodeEvent[]): "accepted" | "complained" | undefined {
  const message = events.findLast(isVerdict)
  if (message === undefined) return undefined
  return message.accepts === true ? "accepted" : "complained"
}

function isVerdict({ role, kind, accepts, frustration }: EpisodeEvent): boolean {
  return role === "user" && kind === "message" && (accepts === true || atLeast(frustration ?? "none", "moderate"))
}

/** The last tests are red, the last command failed, or something was tried again and again in vain. */
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
