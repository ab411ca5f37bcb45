import type { Episode, EpisodeEvent, EpisodeFinding } from "../../memories/episode.ts"
import { correctionScore, correctsFrom, correctsSurelyFrom, isUserMessage, type ReplyWeights } from "../words/reply.ts"
import { type FailureChain, failureChainsOf, isFailure } from "./episode-stats.ts"
import { atLeast } from "./frustration.ts"
import { correctsBeyondRefusal, redirects } from "./openers.ts"

/**
 * Possible sources of memories: solved failures, corrections and explicit rules, in order of events. In a continuation,
 * the first message may correct earlier work.
 */
export function findingsOf(
  events: readonly EpisodeEvent[],
  isContinued = false,
  weights?: ReplyWeights,
): EpisodeFinding[] {
  const findings = [
    ...failureChainsOf(events).flatMap((chain) => overcome(events, chain)),
    ...events.flatMap((_, index) => correctionAt(events, index, { isContinued, weights })),
    ...events.flatMap((_, index) => statementAt(events, index)),
  ]
  return findings.sort((one, other) => placeOf(one) - placeOf(other))
}

function placeOf(finding: EpisodeFinding): number {
  return finding.kind === "failure_then_success" ? finding.success : finding.event
}

/** A chain of failures of a command, or of a tool that neither edits nor reads, which ended with a lasting success. */
function overcome(
  events: readonly EpisodeEvent[],
  { failures, fingerprints, success }: FailureChain,
): EpisodeFinding[] {
  const first = events[failures[0] ?? -1]
  const ended = success === undefined ? undefined : events[success]
  const head = ended?.head ?? (ended?.action === "other" ? ended.tool_name : undefined)
  if (first === undefined || success === undefined || head === undefined) return []
  const recurs = events.slice(success).some((event) => isFailure(event) && fingerprints.has(event.fingerprint ?? ""))
  if (recurs) return []
  const edits = editsBetween(events, failures.at(-1) ?? success, success)
  return [{ kind: "failure_then_success", head, fingerprint: first.fingerprint, failures, success, edits }]
}

/** Successful edits; for clients without results, requested edits. */
function editsBetween(events: readonly EpisodeEvent[], start: number, end: number): number[] {
  const edits = (kind: EpisodeEvent["kind"]) =>
    events.flatMap((event, index) =>
      index > start &&
      index < end &&
      event.kind === kind &&
      event.action === "edit" &&
      !isFailure(event) &&
      event.incident === undefined
        ? [index]
        : [],
    )
  const done = edits("tool_result")
  return done.length > 0 ? done : edits("tool_call")
}

type Judging = { isContinued: boolean; weights: ReplyWeights | undefined }

/**
 * A message that corrects the assistant's work, by its beginning or by the trained model. A "no" to the assistant's
 * question is an answer, and the model has to be surer of what follows a question.
 */
function correctionAt(
  events: readonly EpisodeEvent[],
  index: number,
  { isContinued, weights }: Judging,
): EpisodeFinding[] {
  const message = events[index]
  if (message === undefined || !isUserMessage(message)) return []
  if (isSentAgain(message, events.slice(index + 1).find(isUserMessage))) return []
  const turn = turnBefore(events, index)
  const isFirst = isContinued && !events.slice(0, index).some(isUserMessage)
  const action = turn.findLast(({ event }) => isAction(event))?.index ?? (isFirst ? index : undefined)
  if (action !== undefined && beginsAsCorrection(events, index, turn))
    return [{ kind: "user_correction", event: index, after: action }]
  const after = action ?? turn.at(-1)?.index
  const said = events.slice(0, index).findLast(isUserMessage)
  if (after === undefined || isSentAgain(said, message)) return []
  const isAnswer = endsWithQuestion(turn) && !correctsBeyondRefusal(message.summary)
  if (isAnswer && message.opener === "correction") return []
  const isDoubtful = action === undefined || message.asks === true || isAnswer
  const least = isDoubtful ? correctsSurelyFrom : correctsFrom
  return correctionScore(events, index, weights) < least ? [] : [{ kind: "user_correction", event: index, after }]
}

function beginsAsCorrection(events: readonly EpisodeEvent[], index: number, turn: readonly Placed[]): boolean {
  const message = events[index] as EpisodeEvent
  const said = events.slice(0, index).findLast(isUserMessage)
  const wasStopped = turn.some(({ event }) => event.incident !== undefined) && !isSentAgain(said, message)
  const begins =
    message.opener === "correction" ||
    (wasStopped && message.opener !== "new task" && redirects(message.summary)) ||
    (message.opener === undefined && atLeast(message.frustration ?? "none", "moderate"))
  if (!begins || message.asks === true) return false
  return wasStopped || !endsWithQuestion(turn) || correctsBeyondRefusal(message.summary)
}

/** An explicit rule; repeating the same message states nothing new. */
function statementAt(events: readonly EpisodeEvent[], index: number): EpisodeFinding[] {
  const message = events[index]
  if (message?.statement === undefined) return []
  const isRepeated = events
    .slice(0, index)
    .some((event) => event.statement !== undefined && ruleOf(event) === ruleOf(message))
  return isRepeated ? [] : [{ kind: "explicit_statement", event: index }]
}

function ruleOf({ raw_snippet, summary }: EpisodeEvent): string {
  return raw_snippet ?? summary
}

/** Users resend a message with an addition, usually after interrupting the agent: it has the same beginning. */
function isSentAgain(message: EpisodeEvent | undefined, again: EpisodeEvent | undefined): boolean {
  const beginning = message?.summary.slice(0, 30) ?? ""
  return beginning.length >= 8 && again?.summary.startsWith(beginning) === true
}

type Placed = { event: EpisodeEvent; index: number }

/** Events since the user's previous message. */
function turnBefore(events: readonly EpisodeEvent[], index: number): Placed[] {
  const last = events.slice(0, index).findLastIndex((event) => !isUserMessage(event)) // consecutive messages answer one turn
  const start = events.slice(0, last + 1).findLastIndex(isUserMessage)
  return events.slice(start + 1, index).map((event, offset) => ({ event, index: start + 1 + offset }))
}

/** Actions that change something, or would have. */
function isAction({ kind, action, incident }: EpisodeEvent): boolean {
  return (
    incident !== undefined || (kind === "tool_call" && (action === "run" || action === "edit" || action === "other"))
  )
}

function endsWithQuestion(turn: readonly Placed[]): boolean {
  const last = turn.findLast(({ event }) => event.role === "assistant" || event.kind === "tool_result")?.event
  return last?.asks === true || last?.action === "ask"
}

/** Whether a writer should see an episode, with the reason for the log. */
export type Prefiltering = { kind: "keep" | "skip"; reason: string }

const fewestEvents = 3

/** Skips episodes with nothing to learn. Keeps those in doubt, and all with a failure or a statement. */
export function prefilter(episode: Episode, findings: readonly EpisodeFinding[], isOn: boolean): Prefiltering {
  if (!isOn) return { kind: "keep", reason: "the pre-filter is off" }
  const telling = whatTells(episode, findings)
  if (telling !== undefined) return { kind: "keep", reason: telling }
  if (episode.events.length < fewestEvents) return { kind: "skip", reason: `fewer than ${fewestEvents} events` }
  if (onlyReads(episode)) return { kind: "skip", reason: "nothing but reading" }
  return { kind: "keep", reason: "work was done" }
}

function whatTells({ events, stats, flushReason }: Episode, findings: readonly EpisodeFinding[]): string | undefined {
  if (flushReason === "explicit") return "asked for"
  if (findings.some(({ kind }) => kind === "user_correction")) return "a correction"
  if (findings.some(({ kind }) => kind === "explicit_statement")) return "a rule in so many words"
  if (events.some(isFailure)) return "an error or a failed test"
  if (atLeast(stats.user_frustration, "mild")) return "frustration"
  return undefined
}

/** Tools were called, and all of them only read. */
function onlyReads({ events }: Episode): boolean {
  const calls = events.filter(({ kind }) => kind === "tool_call")
  return calls.length > 0 && calls.every(({ action }) => action === "read" || action === "search")
}
