import type { AgentMemory, Discovery } from "../formats/session/agent-memory.ts"
import { tokenize } from "../index/tokenize.ts"
import { discoveriesOf, newestFirst } from "./entries-of.ts"

export type FoundDiscovery = {
  agent: string
  discovery: Discovery
  /** Which part of the topic's words it has, from 0 to 1. */
  similarity: number
}

const leastSimilarity = 0.6

/** What the session's agents found out about a topic: the best match first, of equal ones the newest. */
export function findDiscovery(topic: string, memories: ReadonlyMap<string, AgentMemory>): FoundDiscovery[] {
  const words = [...new Set(tokenize(topic))]
  if (words.length === 0) return []
  const discoveries = [...memories].flatMap(([agent, memory]) =>
    discoveriesOf(memory).map((discovery) => {
      const known = discoveryWords(discovery)
      return { agent, discovery, similarity: words.filter((word) => known.has(word)).length / words.length }
    }),
  )
  return newestFirst(
    discoveries.filter(({ similarity }) => similarity >= leastSimilarity),
    ({ discovery }) => discovery,
  ).sort((one, other) => other.similarity - one.similarity)
}

function discoveryWords({ type, summary, content, relatedFiles, actionItems }: Discovery): Set<string> {
  const texts = [type, summary ?? "", content, ...(relatedFiles ?? []), ...(actionItems ?? [])]
  return new Set(texts.flatMap((text) => tokenize(text)))
}
