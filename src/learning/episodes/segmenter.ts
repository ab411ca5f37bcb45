import { sha256 } from "../../disk/hash.ts"
import type { BoundaryWeights, Policy } from "../../formats/policy.ts"
import { tokenize } from "../../index/tokenizer.ts"
import type { Episode, EpisodeEvent, FlushReason } from "../../memories/episode.ts"
import type { OpenTask } from "../../memories/learned-store.ts"
import { newTaskScore, type ReplyWeights } from "../words/reply.ts"
import { attemptOf, isFailure, isSuccess, outcomeOf, statsOf } from "./episode-stats.ts"
import { summarizeEpisode, withoutWords } from "./episode-summary.ts"
import { atLeast } from "./frustration.ts"
import { announcesOther } from "./openers.ts"

/** Splits the events of one session into episodes, one task each. Its only state is the open task. */
export type Segmenter = {
  /** The episode before this event, if the event ends it. */
  take(event: EpisodeEvent): Episode | undefined
  /** Ends the open task; undefined when there is none. */
  close(reason: FlushReason): Episode | undefined
  /** State from which another segmenter can resume. */
  openTask(): OpenTask
}

export type SessionIdentity = Pick<OpenTask, "client" | "session" | "project" | "transcript">

export function openSegmenter(
  settings: Policy["episode"],
  identity: SessionIdentity,
  task?: { events: readonly EpisodeEvent[]; continuationOf?: string | undefined },
  similarity?: Similarity,
  weights?: ReplyWeights,
): Segmenter {
  let events = [...(task?.events ?? [])]
  let continuationOf = task?.continuationOf
  let tokens = events.reduce((sum, event) => sum + tokensOf(event), 0)

  const close = (reason: FlushReason): Episode | undefined => {
    if (events.length === 0) return undefined
    const told = reason !== "explicit" && isResolved(events) ? "resolved" : reason
    const episode = toEpisode(identity, events, told, continuationOf)
    continuationOf = undefined
    events = []
    tokens = 0
    return episode
  }
  const add = (event: EpisodeEvent): void => {
    events.push(event)
    tokens += tokensOf(event)
  }
  const beginsTask = (event: EpisodeEvent): boolean => {
    const isMessage = event.role === "user" && event.kind === "message" && event.incident === undefined
    if (events.at(-1)?.action === "ask") return false // an answer
    return isMessage && boundaryScore(events, event, settings, similarity, weights) >= settings.boundary_score
  }
  const isFull = (event: EpisodeEvent): boolean =>
    events.length >= settings.max_events || tokens + tokensOf(event) > settings.max_tokens
  /** A long task stays one episode as long as leaving out what tells least makes enough room. */
  const isTooLong = (event: EpisodeEvent): boolean => {
    if (!isFull(event)) return false
    const shorter = condense(events, settings.max_events)
    const size = shorter.reduce((sum, each) => sum + tokensOf(each), 0)
    if (shorter.length > enough * settings.max_events || size > enough * settings.max_tokens) return true
    events = shorter
    tokens = size
    return false
  }

  return {
    take(event) {
      if (event.mark !== undefined) return takeMark(event.mark, close)
      const isOther = beginsTask(event)
      const mustEnd = isOther || isResolved(events) || isTooLong(event)
      const episode = mustEnd ? close(isOther ? "task_boundary" : "size") : undefined
      add(event)
      if (!isOther) continuationOf = episode?.id ?? continuationOf
      return episode
    },
    close,
    openTask: () => ({ ...identity, events: [...events], ...(continuationOf !== undefined && { continuationOf }) }),
  }
}

/** Condensing must make this much room, or it would be repeated for every event. */
const enough = 0.8

/** Of the older events: without what was only looked at, and without what the agent said in passing. */
function condense(events: readonly EpisodeEvent[], most: number): EpisodeEvent[] {
  const recent = events.length - Math.ceil(most / 5)
  return events.filter((event, at) => at >= recent || !isPassing(event, events[at + 1]))
}

function isPassing(event: EpisodeEvent, next: EpisodeEvent | undefined): boolean {
  if (event.incident !== undefined || isFailure(event)) return false
  if (event.kind === "message") return event.role === "assistant" && next?.role !== "user"
  return event.action === "read" || event.action === "search"
}

/** Start, end or clear of a session ends the task; compaction does not. The mark itself is not stored. */
function takeMark(mark: EpisodeEvent["mark"], close: Segmenter["close"]): Episode | undefined {
  if (mark === "clear") return close("task_boundary")
  return mark === "compacted" ? undefined : close("session_end")
}

/**
 * The last event is the first success after severe frustration: this lesson is wanted at once. The next event ends the
 * episode, so that the open task is the only state.
 */
function isResolved(events: readonly EpisodeEvent[]): boolean {
  const last = events.at(-1)
  if (last === undefined || !maySucceed(last) || !events.some(complains)) return false
  const before = events.slice(0, -1)
  return succeeds(before, last) && statsOf(before).user_frustration === "severe"
}

/** Checked first because it is cheap: without a complaint nothing is severe, and this runs for every event. */
function complains({ frustration }: EpisodeEvent): boolean {
  return atLeast(frustration ?? "none", "moderate")
}

function maySucceed(event: EpisodeEvent): boolean {
  return event.role === "user" ? event.accepts === true && event.frustration === undefined : isSuccess(event)
}

function succeeds(before: readonly EpisodeEvent[], event: EpisodeEvent): boolean {
  if (event.role === "user") return true
  const attempt = attemptOf(event)
  if (event.test === "passed") return before.some(({ test }) => test === "failed") || failed(before, attempt)
  return event.action === "run" && failed(before, attempt)
}

/** The latest result of the attempt was a failure. */
function failed(events: readonly EpisodeEvent[], attempt: string | undefined): boolean {
  const last = events.findLast((event) => event.kind === "tool_result" && attemptOf(event) === attempt)
  return attempt !== undefined && last !== undefined && isFailure(last)
}

function toEpisode(
  identity: SessionIdentity,
  events: EpisodeEvent[],
  flushReason: FlushReason,
  continuationOf: string | undefined,
): Episode {
  const start = events.find(({ ts }) => ts !== "")?.ts ?? ""
  return {
    ...identity,
    id: episodeId(identity, start, events[0]?.id ?? ""),
    start,
    end: events.findLast(({ ts }) => ts !== "")?.ts ?? "",
    events: withoutWords(events),
    stats: statsOf(events, flushReason),
    flushReason,
    summary: summarizeEpisode(events),
    ...(continuationOf !== undefined && { continuationOf }),
  }
}

/** The same transcript yields the same id, whenever and wherever it is read. */
function episodeId({ client, session }: SessionIdentity, start: string, firstEvent: string): string {
  const day = start === "" ? "0000-00-00" : start.slice(0, 10)
  return `ep-${day}-${sha256(`${client}\n${session}\n${firstEvent}`).slice(0, 12)}`
}

/** The tokens of an event in a writer's prompt, at four characters each; a call's summary is its command. */
function tokensOf({ kind, summary, raw_snippet, command, file }: EpisodeEvent): number {
  const characters = summary.length + (raw_snippet?.length ?? 0) + (file?.length ?? 0)
  return Math.ceil((characters + (kind === "tool_call" ? 0 : (command?.length ?? 0))) / 4) + 4
}

/** The semantic similarity of two texts, 0…1. */
export type Similarity = (one: string, other: string) => number

const fewestEvents = 3

/** How likely a user's message begins another task; a task with hardly any events always continues. */
export function boundaryScore(
  events: readonly EpisodeEvent[],
  message: EpisodeEvent,
  settings: Policy["episode"],
  similarity?: Similarity,
  trained?: ReplyWeights,
): number {
  if (events.length < fewestEvents) return 0
  const weights = settings.boundary_weights
  return (
    scoreGap(events, message, settings) +
    scoreOpener(message, weights) +
    scoreOverlap(events, message, weights, similarity) +
    scoreFiles(events, message, weights) +
    scoreOutcome(events, weights) +
    scoreBranch(events, message, weights) +
    weights.model * scoreModel(events, message, trained)
  )
}

/** The log-odds at which the trained model says neither, chosen on repositories left out of its training. */
const undecided = -1.3

/** In favour of another task, or against it. */
function scoreModel(events: readonly EpisodeEvent[], message: EpisodeEvent, trained: ReplyWeights | undefined): number {
  return Math.tanh(newTaskScore([...events, message], events.length, trained) - undecided)
}

function scoreGap(events: readonly EpisodeEvent[], message: EpisodeEvent, settings: Policy["episode"]): number {
  const before = events.findLast(({ ts }) => ts !== "")?.ts ?? ""
  if (before === "" || message.ts === "") return 0
  const minutes = (Date.parse(message.ts) - Date.parse(before)) / 60_000
  if (minutes >= settings.gap_minutes) return settings.boundary_weights.gap_long
  return minutes >= settings.idle_minutes ? settings.boundary_weights.gap_short : 0
}

/** Thanks, complaints and anything that begins like an answer refer to the current task. */
function scoreOpener({ opener, accepts, frustration }: EpisodeEvent, weights: BoundaryWeights): number {
  if (opener === "new task") return weights.opener
  return opener !== undefined || accepts === true || frustration !== undefined ? weights.continuation : 0
}

/** Too few words do not show a topic. */
const fewestTerms = 3
const byWords = { low: 0.1, high: 0.35 }
const byMeaning = { low: 0.25, high: 0.55 }

function scoreOverlap(
  events: readonly EpisodeEvent[],
  message: EpisodeEvent,
  weights: BoundaryWeights,
  similarity?: Similarity,
): number {
  if (message.opener === "new task" && announcesOther(message.summary)) return weights.low_overlap
  const terms = new Set(tokenize(message.summary))
  if (terms.size < fewestTerms) return 0
  const near = similarity?.(message.summary, textOf(events)) ?? overlap(terms, events)
  const { low, high } = similarity === undefined ? byWords : byMeaning
  if (near < low) return message.statement !== undefined || pointsBack(message.summary) ? 0 : weights.low_overlap
  return near > high ? weights.high_overlap : 0
}

/**
 * A rule has its own vocabulary, and a short message with "this" refers to the current task; new words in them prove
 * nothing.
 */
function pointsBack(text: string): boolean {
  return (
    text.length <= 60 && /(?<![\p{L}_])(?:this|these|above|diese[mnrs]?|esto|isto|cela)(?![\p{L}_])|这|這/iu.test(text)
  )
}

function overlap(terms: ReadonlySet<string>, events: readonly EpisodeEvent[]): number {
  const missing = new Set(terms)
  for (const event of events) {
    if (missing.size === 0) break
    for (const term of termsOf(event)) missing.delete(term)
  }
  return 1 - missing.size / terms.size
}

/** Every message needs the words of all earlier events: each event is tokenized once. */
const knownTerms = new WeakMap<EpisodeEvent, string[]>()

function termsOf(event: EpisodeEvent): string[] {
  const known = knownTerms.get(event) ?? tokenize(wordsOf(event))
  knownTerms.set(event, known)
  return known
}

function textOf(events: readonly EpisodeEvent[]): string {
  return events.map(wordsOf).join("\n")
}

function wordsOf({ kind, summary, file, command }: EpisodeEvent): string {
  return kind === "message" ? summary : `${file ?? ""} ${command ?? ""}`
}

function scoreFiles(events: readonly EpisodeEvent[], message: EpisodeEvent, weights: BoundaryWeights): number {
  const named = filesIn(message.summary)
  if (named.length === 0) return 0
  const known = textOf(events).toLowerCase()
  return named.some((name) => known.includes(name)) ? weights.known_files : weights.new_files
}

/** Base names of the files in a text. */
function filesIn(text: string): string[] {
  return [...text.matchAll(fileName)].map((match) => (match[1] ?? "").toLowerCase())
}

const fileName =
  /(?<![\w@])(?:[\w.@~-]{1,60}[/\\]){0,20}([\w@-][\w.@-]{0,60}\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|cs|cpp|cc|c|h|hpp|swift|php|ex|exs|scala|vue|svelte|html?|s?css|less|json|ya?ml|toml|md|mdx|sql|sh|ps1|xml|proto|lock|txt|ini|cfg|env|tf))(?!\w)/gi

function scoreOutcome(events: readonly EpisodeEvent[], weights: BoundaryWeights): number {
  const outcome = outcomeOf(events)
  if (outcome === "success") return weights.success
  return outcome === "failure" ? weights.failure : 0
}

function scoreBranch(events: readonly EpisodeEvent[], { branch }: EpisodeEvent, weights: BoundaryWeights): number {
  const before = events.findLast((event) => event.branch !== undefined)?.branch
  return branch !== undefined && before !== undefined && branch !== before ? weights.branch : 0
}
