import { readFileSync } from "node:fs"
import { join } from "node:path"
import { allClients, recognizeTranscript } from "../../../src/clients/all-clients.ts"
import { cosineSimilarity } from "../../../src/index/embedders/embedder.ts"
import { compressEvent } from "../../../src/learning/episodes/compressed-event.ts"
import { scoreFeatures, vectorOf, type Weights } from "../../../src/learning/words/lasting.ts"
import {
  contextOf,
  correctsFrom,
  isUserMessage,
  type ReplyWeights,
  readReply,
} from "../../../src/learning/words/reply.ts"
import type { EpisodeEvent } from "../../../src/memories/episode.ts"
import {
  byRepository,
  calibrated,
  type LabelledMessage,
  type Recipe,
  repositoryOf,
  trainOn,
  wantedPrecision,
} from "./model.ts"

/** A user's message with what came before it, and the verdict of a person who read both. */
export type Reply = ReturnType<typeof readReply> & { isCorrection: boolean; isTask: boolean; repository: string }

/** What the agent may have done before a written reply; taken in turn, so that no class is tied to one of them. */
const usualContexts = [
  ["@edited", "@nth 1", "@calls 1", "@edited before"],
  ["@edited", "@nth 2", "@calls 2", "@edited before"],
  ["@edited", "@nth 3", "@calls 2", "@edited before"],
  ["@ran", "@nth 2", "@calls 1", "@edited before"],
]

/** The replies that we wrote ourselves: "+" corrects, "-" continues in another way, "n" begins another task. */
export function writtenReplies(vectorOf?: Weights["vectorOf"], path = "bench/learning/words/replies.txt"): Reply[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line, at) => ({
      ...readReply(
        line.slice(2),
        [...(usualContexts[at % usualContexts.length] ?? []), ...signalsOf(line.slice(2))],
        vectorOf,
      ),
      isCorrection: line.startsWith("+"),
      isTask: line.startsWith("n"),
      repository: "written",
    }))
}

/** Of the words alone: how they begin, whether they ask. */
function signalsOf(text: string): string[] {
  const message = { id: "m", ts: "", line: 1, session: "s", role: "user" as const, kind: "message" as const, text }
  const event = compressEvent(message, undefined)
  const previous = { ...event, id: "p" }
  return contextOf([previous, event], 1).filter((each) =>
    /^@(?:opener|asks|accepts|statement|mild|moderate|severe)/.test(each),
  )
}

/** The labelled messages in their transcripts. The context of each is the task that it continues or ends. */
export async function labelledReplies(
  folder: string,
  messages: readonly LabelledMessage[],
  vectorOf?: Weights["vectorOf"],
): Promise<Reply[]> {
  const replies: Reply[] = []
  for (const file of new Set(messages.map((message) => message.file))) {
    const waiting = messages.filter((message) => message.file === file)
    const events = await eventsIn(join(folder, file))
    let start = 0
    for (const [at, event] of events.entries()) {
      if (!isUserMessage(event)) continue
      const place = waiting.findIndex(({ text }) => sameMessage(text, event.words ?? event.summary))
      const [label] = place === -1 ? [] : waiting.splice(place, 1)
      if (!label?.person) continue
      const task = events.slice(start, at + 1)
      replies.push({
        ...readReply(event.words ?? event.summary, contextOf(task, at - start), vectorOf),
        isCorrection: label.acts.includes("correction"),
        isTask: label.new_task,
        repository: repositoryOf(label),
      })
      if (label.new_task) start = at
    }
  }
  return replies
}

export async function eventsIn(path: string): Promise<EpisodeEvent[]> {
  const transcript = recognizeTranscript(path)
  const client = allClients.find(({ id }) => id === transcript?.client)
  if (!transcript || !client) return []
  const events: EpisodeEvent[] = []
  let root: string | undefined
  for await (const batch of client.read(transcript)) {
    root ??= batch.events[0]?.cwd
    events.push(...batch.events.map((event) => compressEvent(event, root)))
  }
  return events
}

/** Labels are cut in the middle, events are redacted and without pastes: a common beginning or ending identifies them. */
export function sameMessage(label: string, said: string): boolean {
  const [one, other] = [plain(label), plain(said)]
  if (one === "" || other === "") return one === other
  const beginning = other.slice(0, 40)
  return one.startsWith(beginning) || one.includes(other) || (other.length > 40 && one.endsWith(other.slice(-40)))
}

function plain(text: string): string {
  return text
    .replace(/\[…\]|\[redacted\]/gi, " ")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase()
}

/**
 * Without those that resemble a message by which the result will be judged: who wrote some of them had read labelled
 * messages.
 */
export function unlike(replies: readonly Reply[], judged: readonly Reply[]): Reply[] {
  const alike = [...byRepository(judged)].map(([name, held]) => {
    const found = alikeTo.get(name) ?? findAlike(replies, held)
    alikeTo.set(name, found)
    return found
  })
  return replies.filter(({ text }) => !alike.some((found) => found.has(text)))
}

/** By repository; the written replies and the labels are the same during one run. */
const alikeTo = new Map<string, Set<string>>()

function findAlike(replies: readonly Reply[], judged: readonly Reply[]): Set<string> {
  const alike = replies.filter(({ text }) =>
    judged.some((other) => cosineSimilarity(vectorOf(text), vectorOf(other.text)) >= mostAlike),
  )
  return new Set(alike.map(({ text }) => text))
}

const mostAlike = 0.5

const recipe: Recipe = { rounds: 15, places: 16381, shrinkage: 0.01, meaningScale: 1 }

/** A labelled message counts more: it has a context. */
const weightOfLabelled = 2

export type Training = { labelled: readonly Reply[]; written: readonly Reply[]; vectorOf?: Weights["vectorOf"] }

/** The threshold of corrections is chosen as `trainWeights` does it. That of tasks is one of several signals. */
export function trainReplies({ labelled, written, vectorOf: vectors }: Training): ReplyWeights {
  const train =
    (isPositive: (reply: Reply) => boolean) =>
    (inside: readonly Reply[], held: readonly Reply[]): Weights => {
      const rows = [...unlike(written, held), ...Array.from({ length: weightOfLabelled }, () => inside).flat()]
      const trained = trainOn(
        rows.map((row) => ({ ...row, isPositive: isPositive(row) })),
        recipe,
      )
      return { ...trained, ...(vectors && { vectorOf: vectors }) }
    }
  const isCorrection = (reply: Reply) => reply.isCorrection
  const correction = calibrated(labelled, train(isCorrection), {
    scoreOf: ({ features, vector }, weights) =>
      features.has("@first") ? undefined : scoreFeatures(features, vector, weights),
    isPositive: isCorrection,
    least: correctsFrom,
    precision: wantedPrecision,
  })
  return { correction, task: train(({ isTask }) => isTask)(labelled, []) }
}
