import { comparable, packedOrNull, packVector, type StoreEmbedder } from "./similarity.ts"
import { all, run, type Steps } from "./steps.ts"

const mostAtOnce = 200

/** Adds missing vectors of this model to active memories, in batches: after the model changed or failed. */
export function* refreshVectors(embed: StoreEmbedder): Steps<void> {
  const missing = yield* all<{ id: string; text: string }>(
    `SELECT memory_id AS id, text FROM memories WHERE status <> 'deprecated' AND embedding_model IS DISTINCT FROM ?
     ORDER BY created_at, memory_id LIMIT ?`,
    embed.id,
    mostAtOnce,
  )
  for (const { id, text } of missing) {
    const vector = packVector(comparable(text, embed))
    if (!vector) continue
    yield* run(
      `UPDATE memories SET embedding = :embedding, embedding_model = :embedding_model, embedding_dims = :embedding_dims WHERE memory_id = :id`,
      { ...packedOrNull(vector), id },
    )
  }
}
