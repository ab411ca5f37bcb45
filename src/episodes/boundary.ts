import type { BoundaryWeights, Policy } from "../formats/policy.ts"
import { tokenize } from "../index/tokenize.ts"
import type { EpisodeEvent } from "./episode.ts"
import { outcomeOf } from "./outcome.ts"
import { announcesOther } from "./words/openers.ts"

/** The semantic similarity of two texts, 0…1. */
export type Similarity = (one: string, other: string) => number

const fewestEvents = 3

/** How likely a user's message begins another task; a task with hardly any events always continues. */
export function boundaryScore(
  events: readonly EpisodeEvent[],
  message: EpisodeEvent,
  settings: Policy["episode"],
  similarity?: Similarity,
): number {
  if (events.length < fewestEvents) return 0
  const weights = settings.boundary_weights
  return (
    scoreGap(events, message, settings) +
    scoreOpener(message, weights) +
    scoreOverlap(events, message, weights, similarity) +
    scoreFiles(events, message, weights) +
    scoreOutcome(events, weights) +
    scoreBranch(events, message, weights)
  )
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
