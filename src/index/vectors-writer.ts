import type { Database } from "../disk/sqlite.ts"
import { asBytes, asWords, blockWriter } from "./bit-blocks.ts"
import type { Model } from "./index-store.ts"
import { readMeta, writeMeta } from "./meta.ts"
import { quantize } from "./quantize.ts"

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
