import type { Arm, Hit } from "./arm.ts"
import { wholeText } from "./data.ts"
import type { Vectors } from "./vectors.ts"

/** Meaning alone: one MiniLM vector a document, of as much of it as the model reads, by cosine. */
export function minilm(vectors: Vectors): Arm {
  return {
    name: "MiniLM",
    kind: "simple",
    async open(store) {
      const embedded = await vectors.of(store.documents.map(wholeText))
      return {
        async search(query, limit) {
          const [wanted] = await vectors.of([query])
          const hits = store.documents.map(({ id }, index) => ({ id, score: dotProduct(wanted, embedded[index]) }))
          return best(hits, limit)
        },
        async close() {},
      }
    },
  }
}

/** The hits with the highest scores; equal ones stay in their order. */
export function best(hits: Hit[], limit: number): Hit[] {
  return hits.sort((a, b) => b.score - a.score).slice(0, limit)
}

function dotProduct(a: Float32Array | undefined, b: Float32Array | undefined): number {
  let total = 0
  for (let index = 0; index < (a?.length ?? 0); index++) total += (a?.[index] ?? 0) * (b?.[index] ?? 0)
  return total
}
