import type { EpisodeEvent, EpisodeStats, FlushReason, Frustration } from "../../memories/episode.ts"
import { atLeast, worse } from "./frustration.ts"

/** Summarizes the events of a task. A following task suggests success, so the flush reason counts. */
export function statsOf(events: readonly EpisodeEvent[], reason?: FlushReason): EpisodeStats {
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

/**
 * How a task ended: by passing tests and commands, by the user's words, or because the user moved on and nothing was
 * left broken. The assistant's claims do not count.
 */
export function outcomeOf(events: readonly EpisodeEvent[], reason?: FlushReason): EpisodeStats["outcome"] {
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

/** Related failures by index, and the success of the same attempt that ended them. */
export type FailureChain = {
  attempts: Set<string>
  fingerprints: Set<string>
  failures: number[]
  success: number | undefined
}

/** Two or more failures of the same attempt or with the same fingerprint, without a success of that attempt between them; edits do not break a loop. */
export function retryLoopsOf(events: readonly EpisodeEvent[]): number[][] {
  return failureChainsOf(events)
    .map(({ failures }) => failures)
    .filter((failures) => failures.length >= 2)
}

/** Every failure of an episode in its chain, including single ones, in order. */
export function failureChainsOf(events: readonly EpisodeEvent[]): FailureChain[] {
  const chains: FailureChain[] = []
  for (const [index, event] of events.entries()) {
    if (isFailure(event)) addFailure(chains, event, index)
    else if (isSuccess(event)) closeChains(chains, event, index)
  }
  return chains
}

function addFailure(chains: FailureChain[], event: EpisodeEvent, index: number): void {
  const attempt = attemptOf(event)
  const open = chains.filter(({ success }) => success === undefined)
  const chain =
    open.find(({ fingerprints }) => !looks(event) && fingerprints.has(event.fingerprint ?? "")) ??
    open.find(({ attempts }) => attempt !== undefined && attempts.has(attempt)) ??
    begin(chains)
  chain.failures.push(index)
  if (attempt !== undefined) chain.attempts.add(attempt)
  if (event.fingerprint !== undefined) chain.fingerprints.add(event.fingerprint)
}

/** "File not found" for two files is the same message without being related. */
function looks({ action }: EpisodeEvent): boolean {
  return action === "read" || action === "search"
}

function begin(chains: FailureChain[]): FailureChain {
  const chain: FailureChain = { attempts: new Set(), fingerprints: new Set(), failures: [], success: undefined }
  chains.push(chain)
  return chain
}

function closeChains(chains: FailureChain[], event: EpisodeEvent, index: number): void {
  const attempt = attemptOf(event)
  if (attempt === undefined) return
  for (const chain of chains) if (chain.success === undefined && chain.attempts.has(attempt)) chain.success = index
}

/** A failed result: an error, or a failed test run even if its pipe succeeded. */
export function isFailure(event: EpisodeEvent): boolean {
  return event.kind === "tool_result" && (event.is_error === true || event.test === "failed")
}

/** A successful result of something that can fail. */
export function isSuccess(event: EpisodeEvent): boolean {
  return event.kind === "tool_result" && !isFailure(event) && event.incident === undefined
}

/** Identifies repeated attempts: the command's head, else the tool and its file. */
export function attemptOf(event: EpisodeEvent): string | undefined {
  if (event.head !== undefined) return event.head
  if (event.tool_name === undefined) return undefined
  return event.file === undefined ? event.tool_name : `${event.tool_name} ${event.file}`
}
