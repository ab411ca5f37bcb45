import type { StoredEpisode } from "../memories/learned-store.ts"
import type { WriterAnswer } from "../memories/writer.ts"
import { findingsOf } from "./episodes/findings.ts"
import { writerInput } from "./learner.ts"
import type { LearningParts, LearningProject } from "./learning-parts.ts"
import { type WriterPrompt, writerPrompt } from "./writer/prompt.ts"

/** One real episode, what the writer is sent for it, what it printed, and what would be kept of that. */
export type WriterTrial = {
  writer: string
  episode: Pick<StoredEpisode, "id" | "client" | "start">
  prompt: WriterPrompt
  printed: string[]
  answer: WriterAnswer
}

const mostSessions = 20

/** Asks the writer about the latest episode with most to learn from; stores nothing. Undefined before the first episode. */
export async function tryWriter(parts: LearningParts, project: LearningProject): Promise<WriterTrial | undefined> {
  const sessions = await parts.store.clientSessions(project.id, { limit: mostSessions })
  const [best] = sessions
    .flatMap(({ episodes }) => episodes)
    .map((episode) => ({ episode, findings: findingsOf(episode.events, episode.continuationOf !== undefined) }))
    .sort((one, other) => other.findings.length - one.findings.length || (one.episode.end < other.episode.end ? 1 : -1))
  if (best === undefined) return undefined
  const { episode, findings } = best
  const writer = await parts.writer()
  const input = await writerInput(parts, project, { episode, findings })
  const printed: string[] = []
  const answer = await writer.write(input, undefined, (text) => printed.push(text))
  const { id, client, start } = episode
  return { writer: writer.id, episode: { id, client, start }, prompt: writerPrompt(input), printed, answer }
}
