import { readFileSync } from "node:fs"
import { join } from "node:path"
import { allClients, recognizeTranscript } from "../../../src/clients/all-clients.ts"
import { cosineSimilarity } from "../../../src/index/embedders/embedder.ts"
import { compressEvent } from "../../../src/learning/episodes/compressed-event.ts"
import { contextOf, isUserMessage, type ReplyWeights, readReply } from "../../../src/learning/words/reply.ts"
import type { EpisodeEvent } from "../../../src/memories/episode.ts"
import { type LabelledMessage, repositoryOf, trainOn } from "./model.ts"

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
export function writtenReplies(path = "bench/learning/words/replies.txt"): Reply[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line, at) => ({
      ...readReply(line.slice(2), [...(usualContexts[at % usualContexts.length] ?? []), ...signalsOf(line.slice(2))]),
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
export async function labelledReplies(folder: string, messages: readonly LabelledMessage[]): Promise<Reply[]> {
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
        ...readReply(event.words ?? event.summary, contextOf(task, at - start)),
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
 * Without those that resemble a message by which the result will be judged: who wrote them had read the labelled
 * messages.
 */
export function unlike(replies: readonly Reply[], judged: readonly Reply[]): Reply[] {
  return replies.filter(({ vector }) => judged.every((other) => cosineSimilarity(vector, other.vector) < mostAlike))
}

const mostAlike = 0.5

const places = 8191

export function trainReplies(replies: readonly Reply[]): ReplyWeights {
  const train = (isPositive: (reply: Reply) => boolean) =>
    trainOn(
      replies.map((reply) => ({ ...reply, isPositive: isPositive(reply) })),
      places,
    )
  return { correction: train(({ isCorrection }) => isCorrection), task: train(({ isTask }) => isTask) }
}
