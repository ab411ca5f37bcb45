import type { SqlValue } from "../disk/sqlite.ts"
import { overlapOf } from "../formats/text-difference.ts"
import { all, run, type Steps } from "./steps.ts"

/** Computes vectors of texts; only vectors of one model id are comparable. */
export type StoreEmbedder = { id: string; vector(text: string): Float32Array }

/** A vector as stored: one byte per dimension, with its own scale. */
export type PackedVector = { model: string; bytes: Uint8Array }

/** A text with its vector; without an embedder, or when it fails, words are compared instead. */
export type ComparableText = { text: string; vector: Float32Array | undefined; model: string | undefined }

export function comparable(text: string, embed: StoreEmbedder | undefined): ComparableText {
  try {
    return { text, vector: embed?.vector(text), model: embed?.id }
  } catch {
    return { text, vector: undefined, model: undefined } // the next commit adds the missing vector
  }
}

export function packVector({ vector, model }: ComparableText): PackedVector | undefined {
  if (!vector || model === undefined) return undefined
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  const scale = largest > 0 ? 127 / largest : 0
  const packed = Int8Array.from(vector, (value) => Math.round(value * scale))
  return { model, bytes: new Uint8Array(packed.buffer) }
}

export function packedOrNull(vector: PackedVector | undefined): Record<string, SqlValue> {
  return {
    embedding: vector?.bytes ?? null,
    embedding_model: vector?.model ?? null,
    embedding_dims: vector?.bytes.length ?? null,
  }
}

/** What a row is compared by: its vector, or its text if it has none of this model. */
export type StoredText = { embedding: Uint8Array | null; text: string | null }

/** The columns needed; `:model` is the model of the other side. Reading unneeded columns takes most of the time. */
export const storedText = `CASE WHEN embedding_model IS NOT DISTINCT FROM :model THEN embedding END AS embedding,
  CASE WHEN embedding IS NULL OR embedding_model IS DISTINCT FROM :model THEN text END AS text`

/** Usually between 0 and 1: the cosine if both have a vector of the same model, else the share of common words. */
export function similarity(one: ComparableText, stored: StoredText): number {
  return one.vector && stored.embedding ? cosine(one.vector, stored.embedding) : overlapOf(one.text, stored.text ?? "")
}

/** The exact cosine of vectors of any length. */
export function cosine(one: Float32Array, packed: Uint8Array): number {
  const other = new Int8Array(packed.buffer, packed.byteOffset, packed.length)
  let product = 0
  let square = 0
  let otherSquare = 0
  for (let at = 0; at < other.length; at++) {
    const value = one[at] as number
    const otherValue = other[at] as number
    product += value * otherValue
    square += value * value
    otherSquare += otherValue * otherValue
  }
  return square === 0 || otherSquare === 0 ? 0 : product / Math.sqrt(square * otherSquare)
}

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
