import type { Filter } from "../index/index-store.ts"
import { tokenize } from "../index/tokenize.ts"
import { findRanked } from "./find-ranked.ts"
import type { Ranked } from "./rank.ts"
import { rankWeights } from "./rank-weights.ts"
import type { RecallParts } from "./recall-parts.ts"

const mostSentences = 4
const fewestWords = 3

/**
 * What a task is about. A task may come as a whole paragraph, of which one sentence says what it is about; where the whole finds
 * nothing that bears on it, its first sentences are asked one by one, and the surest answer counts if it is surer than usual.
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

/** The first sentences that say anything; none when the text is only one. */
function sentencesOf(text: string): string[] {
  const sentences = text.split(/(?<=[.!?…:;])\s+|\n+/).filter((part) => tokenize(part).length >= fewestWords)
  return sentences.length < 2 ? [] : sentences.slice(0, mostSentences)
}
