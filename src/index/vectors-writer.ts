import type { Database } from "../disk/sqlite.ts"
import { readMeta, writeMeta } from "./index-file.ts"
import { dimensions, type MissingVectors, type Model, type PassageVectors } from "./index-store.ts"
import { asBytes, asWords, blockWriter } from "./packed-bits.ts"
import { cutPassages } from "./passages.ts"
import { quantize } from "./quantization.ts"

export type VectorsWriter = {
  /** For a row without vectors. */
  add(row: number, vectors: Float32Array[]): void
  put(row: number, vectors: Float32Array[]): void
  remove(row: number): void
  flush(version: number): void
}

/** Changes the vectors of items within one transaction; nothing is read before the first change. */
export function vectorsWriter(database: Database, model: Model): VectorsWriter {
  let opened: ReturnType<typeof blockWriter> | undefined
  const blocks = () => {
    opened ??= blockWriter(database, model)
    return opened
  }
  const remove = (row: number) => {
    const stored = database.prepare<{ slots: Uint8Array }>(`SELECT slots FROM ${model}_vectors WHERE row = ?`).get(row)
    if (!stored) return
    blocks().free(asWords(stored.slots))
    database.prepare(`DELETE FROM ${model}_vectors WHERE row = ?`).run(row)
  }
  const add = (row: number, vectors: Float32Array[]) => {
    const slots = blocks().put(row, vectors)
    database
      .prepare(`INSERT INTO ${model}_vectors (row, slots, vectors) VALUES (?, ?, ?)`)
      .run(row, asBytes(slots), asBytes(quantize(vectors)))
  }
  return {
    add,
    put(row, vectors) {
      remove(row)
      add(row, vectors)
    },
    remove,
    flush: (version) => opened?.flush(version),
  }
}

/** Vectors of two models are not comparable: when the model changes, all vectors of the old one are dropped. */
export function claimModel(database: Database, model: Model, id: string): void {
  if (readMeta(database, `model.${model}`) === id) return
  database.exec(`DELETE FROM ${model}_vectors; DELETE FROM ${model}_blocks`)
  writeMeta(database, `model.${model}`, id)
}

/** Items without a vector of the model, the newest rows first: recent items are searched first. */
export function listMissingVectors(
  database: Database,
  model: Model,
  id: string | undefined,
  limit: number,
): MissingVectors[] {
  const isOther = readMeta(database, `model.${model}`) !== id // then no existing vector counts
  const missing = database.prepare<{ row: number; hash: string; title: string; text: string }>(
    `SELECT items.row, words_hash AS hash, title, text FROM items JOIN contents USING (row)
     WHERE ? OR NOT EXISTS (SELECT 1 FROM ${model}_vectors WHERE ${model}_vectors.row = items.row) ORDER BY items.row DESC LIMIT ?`,
  )
  return missing
    .all(Number(isOther), limit)
    .map(({ row, hash, title, text }) => ({ row, hash, passages: cutPassages(title, text) }))
}

/** Stores the vectors of items whose text has not changed since. */
export function writePassageVectors(
  database: Database,
  model: Model,
  id: string | undefined,
  given: PassageVectors[],
): number {
  if (id === undefined) throw new Error(`the index was opened without a model for ${model} vectors`)
  claimModel(database, model, id)
  const writer = vectorsWriter(database, model)
  const current = database.prepare("SELECT 1 FROM items WHERE row = ? AND words_hash = ?")
  const kept = given.filter(({ row, hash }) => current.get(row, hash))
  for (const { row, vectors } of kept) writer.put(row, vectors)
  const writes = Number(readMeta(database, "writes") ?? 0) + 1
  writer.flush(writes)
  writeMeta(database, "writes", writes)
  return kept.length
}

/** A model's vectors by the hash of the text they were made from. */
export type VectorsByWords = Map<string, Float32Array[]>

export function takeVectors(database: Database, model: Model, id: string | undefined): VectorsByWords {
  if (id === undefined || readMeta(database, `model.${model}`) !== id) return new Map()
  const rows = database
    .prepare<{ hash: string; vectors: Uint8Array }>(
      `SELECT words_hash AS hash, vectors FROM ${model}_vectors JOIN items USING (row)`,
    )
    .all()
  return new Map(rows.map(({ hash, vectors }) => [hash, toVectors(vectors)]))
}

/** Restores the vectors from `takeVectors` to items with the same text: computing them again would take minutes. */
export function putBackVectors(database: Database, model: Model, id: string | undefined, taken: VectorsByWords): void {
  if (taken.size === 0) return
  const items = database.prepare<{ row: number; hash: string }>("SELECT row, words_hash AS hash FROM items").all()
  const given = items.flatMap(({ row, hash }) => {
    const vectors = taken.get(hash)
    return vectors ? [{ row, hash, vectors }] : []
  })
  writePassageVectors(database, model, id, given)
}

/** Not normalized, so that writing them again gives the same bytes. */
function toVectors(bytes: Uint8Array): Float32Array[] {
  const values = Float32Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length))
  return Array.from({ length: values.length / dimensions }, (_, number) =>
    values.subarray(number * dimensions, (number + 1) * dimensions),
  )
}
