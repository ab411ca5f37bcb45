import type { Evidence, EvidenceSource, Memory } from "../store/memory.ts"
import { recordOf, timesOf } from "./use-record.ts"

const mostEpisodes = 5

/** Summarizes the evidence for readers without access to the transcripts: counts, days and episodes, no quotes. */
export function describeEvidence(memory: Memory, evidence: readonly Evidence[]): string {
  return [
    `Learned from work, then tried: ${recordOf(memory)}.`,
    ...(evidence.length === 0 ? [] : [`Seen ${sourcesOf(evidence)}, ${episodesOf(evidence)}.`]),
  ].join("\n\n")
}

const wordsFor: Record<EvidenceSource, string> = {
  failure_then_success: "as an error that was then solved",
  user_correction: "in a user's correction",
  explicit_statement: "in a rule stated by a user",
  pattern_observed: "by an agent in its own work",
  guard_triggered: "as a warning that proved right",
}

function sourcesOf(evidence: readonly Evidence[]): string {
  const counts = new Map<EvidenceSource, number>()
  for (const { source } of evidence) counts.set(source, (counts.get(source) ?? 0) + 1)
  return [...counts].map(([source, count]) => `${timesOf(count)} ${wordsFor[source]}`).join(", ")
}

function episodesOf(evidence: readonly Evidence[]): string {
  const days = evidence.map(({ created }) => created.slice(0, 10)).sort()
  const episodes = [...new Set(evidence.map(({ episode }) => episode))]
  const [first, last] = [days[0], days.at(-1)]
  const when = first === last ? `on ${first}` : `between ${first} and ${last}`
  const shown = episodes.slice(0, mostEpisodes).join(", ")
  const more = episodes.length > mostEpisodes ? ` and ${episodes.length - mostEpisodes} more` : ""
  return `${when} (${shown}${more})`
}
