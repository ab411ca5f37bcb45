import type { Candidate } from "../index/index-store.ts"

/** Whether an item answers the request at all, 0 to 1, whatever else was found. Thresholds belong to the model they were measured on. */
export function relevanceOf({ coverage, minilm, static: table }: Candidate): { relevance: number; qualifies: boolean } {
  const { words, meaning, threshold } = minilm !== undefined ? relevance.minilm : table !== undefined ? relevance.static : relevance.none
  const likeness = Math.max(0, minilm ?? table ?? 0)
  const share = Math.min(1, words * coverage + meaning * likeness)
  return { relevance: share, qualifies: share >= threshold }
}

const relevance = {
  minilm: { words: 0.4, meaning: 0.8, threshold: 0.5 },
  static: { words: 0.4, meaning: 0.8, threshold: 0.5 },
  none: { words: 1, meaning: 0, threshold: 0.4 },
}
