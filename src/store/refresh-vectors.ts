import type { Database } from "../disk/sqlite.ts"
import { comparable, packedOrNull, packVector, type StoreEmbedder } from "./similarity.ts"

const mostAtOnce = 200

/** Gives live memories that have no vector of this model one, some at a time: after the model was changed, or failed. */
export function refreshVectors(database: Database, embed: StoreEmbedder): void {
  const missing = database
    .prepare<{ id: string; text: string }>(
      `SELECT memory_id AS id, text FROM memories WHERE status <> 'deprecated' AND embedding_model IS NOT ?
       ORDER BY created_at, memory_id LIMIT ?`,
    )
    .all(embed.id, mostAtOnce)
  const put = database.prepare(
    `UPDATE memories SET embedding = :embedding, embedding_model = :embedding_model, embedding_dims = :embedding_dims WHERE memory_id = :id`,
  )
  for (const { id, text } of missing) {
    const vector = packVector(comparable(text, embed))
    if (vector) put.run({ ...packedOrNull(vector), id })
  }
}
