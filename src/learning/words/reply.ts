import { tokenize } from "../../index/tokenizer.ts"
import type { EpisodeEvent } from "../../memories/episode.ts"
import { featuresOf } from "./features.ts"
import { scoreFeatures, vectorOf as vectorInTable, type Weights } from "./lasting.ts"
import { replyWeights } from "./reply-weights.ts"

/** What a user's message is to the work before it, as log-odds. */
export type ReplyWeights = { correction: Weights; task: Weights }

/** The least score of a correction. Chosen on labelled messages of repositories left out of training. */
export const correctsFrom = 0
/** The same for a question, an answer, and words after which nothing was done that could be corrected. */
export const correctsSurelyFrom = 0.5

/** How likely the message corrects what the agent did before it. The first message of a task corrects nothing. */
export function correctionScore(events: readonly EpisodeEvent[], index: number, weights = replyWeights()): number {
  return events.slice(0, index).some(isUserMessage) ? scoreReply(events, index, weights.correction) : -10
}

/** How likely the message begins another task than the events before it. */
export function newTaskScore(events: readonly EpisodeEvent[], index: number, weights = replyWeights()): number {
  return scoreReply(events, index, weights.task)
}

function scoreReply(events: readonly EpisodeEvent[], index: number, weights: Weights): number {
  const reply = readReply(textOf(events[index]), contextOf(events, index), weights.vectorOf)
  return scoreFeatures(reply.features, reply.vector, weights)
}

const longest = 500
const ending = 150

/** The features of a message, each also with its context, and its vector. Of a long message its beginning and its end. */
export function readReply(
  message: string,
  context: readonly string[],
  vectorOf = vectorInTable,
): { features: Set<string>; vector: Float32Array; text: string } {
  const isLong = message.length > longest
  const text = isLong ? `${message.slice(0, longest - ending)} ${message.slice(-ending)}` : message
  const features = featuresOf(text)
  const marks = [...features].filter((feature) => /^#[^#]+$/.test(feature))
  for (const [at, one] of context.entries()) {
    features.add(one)
    for (const other of context.slice(at + 1)) features.add(`${one}${other}`)
    if (tellingContext.test(one)) for (const mark of marks) features.add(`${one}${mark}`)
  }
  return { features, vector: vectorOf(text), text }
}

const tellingContext = /^@(?:edited|ran|read|talked|asked|asks|opener.*)$/

/** What came before a message in its task, as names of features: what the agent did, and how its words and work match. */
export function contextOf(events: readonly EpisodeEvent[], index: number): string[] {
  const message = events[index]
  const before = events.slice(0, index)
  const previous = before.findLast(isUserMessage)
  if (message === undefined || previous === undefined) return ["@first"]
  const last = before.findLastIndex((event) => !isUserMessage(event))
  const turn = before.slice(before.slice(0, last + 1).findLastIndex(isUserMessage) + 1)
  const calls = turn.filter(({ kind }) => kind === "tool_call")
  const did = (action: EpisodeEvent["action"]) => calls.some((call) => call.action === action)
  const context = [
    did("edit") ? "@edited" : did("run") || did("other") ? "@ran" : calls.length > 0 ? "@read" : "@talked",
    `@nth ${level(before.filter(isUserMessage).length, [1, 2, 4, 8])}`,
    `@calls ${level(calls.length, [1, 4, 15])}`,
  ]
  if (before.some(({ kind, action }) => kind === "tool_call" && action === "edit")) context.push("@edited before")
  const end = turn.findLast(({ role, kind }) => role === "assistant" || kind === "tool_result")
  if (end?.asks === true || end?.action === "ask") context.push("@asked")
  if (turn.some(({ incident }) => incident !== undefined)) context.push("@stopped")
  const ts = before.findLast((event) => event.ts !== "")?.ts
  if (ts !== undefined && message.ts !== "")
    context.push(`@gap ${level((Date.parse(message.ts) - Date.parse(ts)) / 60_000, [2, 10, 60, 600])}`)
  context.push(...likenessTo(message, { turn, previous, before }))
  if (message.opener !== undefined) context.push(`@opener ${message.opener}`)
  if (message.asks) context.push("@asks")
  if (message.accepts) context.push("@accepts")
  if (message.frustration !== undefined) context.push(`@${message.frustration}`)
  if (message.statement !== undefined) context.push("@statement")
  return context
}

type Before = { turn: EpisodeEvent[]; previous: EpisodeEvent; before: EpisodeEvent[] }

/** Which share of its words was in the agent's closing words, its work, the user's last message, and in the whole task. */
function likenessTo(message: EpisodeEvent, { turn, previous, before }: Before): string[] {
  const terms = new Set(tokenize(textOf(message)))
  if (terms.size < 2) return []
  const closing = turn.filter(({ role, kind }) => role === "assistant" && kind === "message").slice(-2)
  const share = (events: readonly EpisodeEvent[], termsOf: (event: EpisodeEvent) => string[]) => {
    const known = new Set(events.flatMap(termsOf))
    return [...terms].filter((term) => known.has(term)).length / terms.size
  }
  return [
    `@closing ${level(share(closing, termsSaid), [0.15, 0.4])}`,
    `@work ${level(share(turn, termsOfWork), [0.01, 0.3])}`,
    `@task ${level(share(before, termsInBrief), [0.2, 0.5])}`,
    `@before ${level(share([previous], termsSaid), [0.1, 0.3])}`,
  ]
}

function remembered(read: (event: EpisodeEvent) => string): (event: EpisodeEvent) => string[] {
  const known = new WeakMap<EpisodeEvent, string[]>()
  return (event) => {
    const terms = known.get(event) ?? tokenize(read(event))
    known.set(event, terms)
    return terms
  }
}

const workOf = ({ file, command }: EpisodeEvent) => `${file ?? ""} ${command ?? ""}`
/** Every message needs the words of the events before it: each event is tokenized once. */
const termsOfWork = remembered(workOf)
const termsInBrief = remembered((event) => (event.kind === "message" ? event.summary : workOf(event)))
const termsSaid = remembered(
  ({ words, summary, raw_snippet, role }) =>
    words ?? (role === "assistant" && raw_snippet !== undefined ? `${summary} ${raw_snippet}` : summary),
)

function textOf(event: EpisodeEvent | undefined): string {
  return event?.words ?? event?.summary ?? ""
}

export function isUserMessage({ role, kind, incident }: EpisodeEvent): boolean {
  return role === "user" && kind === "message" && incident === undefined
}

/** How many of the steps a number reaches. */
function level(value: number, steps: readonly number[]): number {
  return steps.filter((step) => value >= step).length
}
