import type { SqlValue } from "../disk/sqlite.ts"
import { overlapOf } from "../formats/normalize-text.ts"

/** What makes vectors of texts; those of one id may be compared with one another. */
export type StoreEmbedder = { id: string; vector(text: string): Float32Array }

/** A vector as a row keeps it: one byte a dimension, by its own scale. */
export type PackedVector = { model: string; bytes: Uint8Array }

/** A text with its vector, ready to be compared; undefined without an embedder, or when it fails: words must do then. */
export type Comparable = { text: string; vector: Float32Array | undefined; model: string | undefined }

export function comparable(text: string, embed: StoreEmbedder | undefined): Comparable {
  try {
    return { text, vector: embed?.vector(text), model: embed?.id }
  } catch {
    return { text, vector: undefined, model: undefined } // the row goes without a vector until the next commit makes up for it
  }
}

export function packVector({ vector, model }: Comparable): PackedVector | undefined {
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

/** What a row is compared by: its vector, or where it has none of this model, its text. */
export type StoredText = { embedding: Uint8Array | null; text: string | null }

/** The columns of it; `:model` is the model of what it is compared with. Columns that are not needed take most of the time. */
export const storedText = `CASE WHEN embedding_model IS NOT DISTINCT FROM :model THEN embedding END AS embedding,
  CASE WHEN embedding IS NULL OR embedding_model IS DISTINCT FROM :model THEN text END AS text`

/** Between 0 and 1 as a rule: the cosine where both have a vector of the same model, else the share of words that both have. */
export function similarity(one: Comparable, stored: StoredText): number {
  return one.vector && stored.embedding ? cosine(one.vector, stored.embedding) : overlapOf(one.text, stored.text ?? "")
}

/** The exact cosine, whatever the lengths of the two. */
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
