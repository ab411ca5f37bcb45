import type { Filter, Model } from "../index/index-store.ts"
import { type Ranked, rank } from "./rank.ts"
import type { RecallParts } from "./recall-parts.ts"

/** How many items each signal may propose, where nobody asks for more: twice as many change no figure of the benchmark. */
export const fewProposals = 100

/** What a text is about, best first: found by words and, where there are vectors, by meaning. */
export async function findRanked(
  parts: RecallParts,
  text: string,
  filter: Filter,
  { proposals = fewProposals, complete = false }: { proposals?: number; complete?: boolean } = {},
): Promise<Ranked[]> {
  const vectors = await vectorsOf(parts, text)
  const now = parts.now().getTime()
  return rank(await parts.index.find({ text, vectors, filter, limit: proposals, neighbours: 20, complete, now }))
}

/** A text's vector by every model that this process has. */
export async function vectorsOf(parts: RecallParts, text: string): Promise<{ model: Model; vector: Float32Array }[]> {
  const vectors: { model: Model; vector: Float32Array }[] = []
  if (parts.embedNow) vectors.push({ model: "static", vector: parts.embedNow(text) })
  if (parts.embedDeep) vectors.push({ model: "minilm", vector: await parts.embedDeep(text) })
  return vectors
}
