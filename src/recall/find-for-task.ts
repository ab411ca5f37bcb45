import type { Filter } from "../index/index-store.ts"
import { tokenize } from "../index/tokenize.ts"
import { findRanked } from "./find-ranked.ts"
import type { Ranked } from "./rank.ts"
import { rankWeights } from "./rank-weights.ts"
import type { RecallParts } from "./recall-parts.ts"

const mostSentences = 4
const fewestWords = 3

/**
 * Ranks items for a task. A task may be a whole paragraph of which one sentence matters: if the whole text finds
 * nothing relevant, its first sentences are queried one by one, and the best answer counts if it passes a higher
 * threshold.
 */
export async function findForTask(parts: RecallParts, text: string, filter: Filter): Promise<Ranked[]> {
  const whole = await findRanked(parts, text, filter)
  if (whole.some(({ qualifies }) => qualifies)) return whole
  let best: Ranked[] = []
  for (const sentence of sentencesOf(text)) {
    const ranked = await findRanked(parts, sentence, filter)
    if (surenessOf(ranked) > surenessOf(best)) best = ranked
  }
  return surenessOf(best) >= rankWeights.relevance.sentence ? best : whole
}

function surenessOf(ranked: readonly Ranked[]): number {
  return ranked[0]?.relevance ?? 0
}

/** The first meaningful sentences; none if the text is a single sentence. */
function sentencesOf(text: string): string[] {
  const sentences = text.split(/(?<=[.!?…:;])\s+|\n+/).filter((part) => tokenize(part).length >= fewestWords)
  return sentences.length < 2 ? [] : sentences.slice(0, mostSentences)
}
