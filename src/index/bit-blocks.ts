import type { Database } from "../disk/sqlite.ts"
import type { Model } from "./index-store.ts"
import { type PackedBits, packedBits } from "./packed-bits.ts"
import { wordsPerVector, writeBits } from "./quantization.ts"

/** How many passages share one block: 32 bytes of bits and 4 of owner each. */
export const blockSize = 1024

type BlockRow = { number: number; owners: Uint8Array; bits: Uint8Array }

/** Keeps the bits in memory and re-reads only blocks written since; `writes` is the snapshot's write counter. */
export function bitReader(database: Database, model: Model): (writes: number) => PackedBits {
  let known = -1
  let packed = packedBits(0)
  return (writes) => {
    if (writes === known) return packed
    const { last } = database
      .prepare<{ last: number }>(`SELECT coalesce(max(number), -1) AS last FROM ${model}_blocks`)
      .get() ?? { last: -1 }
    const count = (last + 1) * blockSize
    if (count < packed.count) known = -1 // rebuilt: nothing of the old can be reused
    if (count !== packed.count) packed = resized(known < 0 ? undefined : packed, count)
    const changed = database.prepare<BlockRow>(`SELECT number, owners, bits FROM ${model}_blocks WHERE version > ?`)
    for (const { number, owners, bits } of changed.all(known)) {
      packed.owners.set(asWords(owners), number * blockSize)
      packed.bits.set(asWords(bits), number * blockSize * wordsPerVector)
    }
    known = writes
    return packed
  }
}

function resized(old: PackedBits | undefined, count: number): PackedBits {
  const packed = packedBits(count)
  if (old) {
    packed.owners.set(old.owners)
    packed.bits.set(old.bits)
  }
  return packed
}

export function asWords(bytes: Uint8Array): Int32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4)
}

type OpenBlock = { used: number; owners: Int32Array; bits: Int32Array }

export type BlockWriter = {
  /** Assigns places to a row's vectors and returns them. */
  put(row: number, vectors: Float32Array[]): Int32Array
  free(places: Int32Array): void
  /** Writes the blocks that changed. */
  flush(version: number): void
}

/**
 * Changes blocks within one transaction: each is read and written once, and free places are reused before a block is
 * added.
 */
export function blockWriter(database: Database, model: Model): BlockWriter {
  const table = `${model}_blocks`
  const opened = new Map<number, OpenBlock>()
  const usedOf = new Map(
    database
      .prepare<{ number: number; used: number }>(`SELECT number, used FROM ${table}`)
      .all()
      .map(({ number, used }) => [number, used]),
  )
  let current = 0

  const open = (number: number): OpenBlock => {
    const known = opened.get(number)
    if (known) return known
    const stored = database
      .prepare<{ used: number; owners: Uint8Array; bits: Uint8Array }>(
        `SELECT used, owners, bits FROM ${table} WHERE number = ?`,
      )
      .get(number)
    const block = stored
      ? { used: stored.used, owners: asWords(stored.owners).slice(), bits: asWords(stored.bits).slice() }
      : { used: 0, owners: new Int32Array(blockSize), bits: new Int32Array(blockSize * wordsPerVector) }
    opened.set(number, block)
    return block
  }

  const takePlace = (): number => {
    while ((usedOf.get(current) ?? 0) >= blockSize) current++
    const block = open(current)
    const index = block.owners[block.used] === 0 ? block.used : block.owners.indexOf(0)
    block.used++
    usedOf.set(current, block.used)
    return current * blockSize + index
  }

  return {
    put: (row, vectors) =>
      Int32Array.from(vectors, (vector) => {
        const place = takePlace()
        const block = open(Math.floor(place / blockSize))
        block.owners[place % blockSize] = row
        writeBits(vector, block.bits, place % blockSize)
        return place
      }),
    free(places) {
      for (const place of places) {
        const number = Math.floor(place / blockSize)
        const block = open(number)
        block.owners[place % blockSize] = 0
        block.bits.fill(0, (place % blockSize) * wordsPerVector, ((place % blockSize) + 1) * wordsPerVector)
        block.used--
        usedOf.set(number, block.used)
        current = Math.min(current, number)
      }
    },
    flush(version) {
      const write = database.prepare(
        `INSERT OR REPLACE INTO ${table} (number, version, used, owners, bits) VALUES (?, ?, ?, ?, ?)`,
      )
      for (const [number, { used, owners, bits }] of opened)
        write.run(number, version, used, asBytes(owners), asBytes(bits))
    },
  }
}

export function asBytes(array: Int32Array | Int8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}
