import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { findAssets } from "../embedders/find-assets.ts"

/** The first tokens of the o200k_base vocabulary, looked up by their bytes. */
export type TokenTable = {
  /** The token's rank in the vocabulary, lower is earlier; `noRank` if it is not in the table. */
  rankOf(bytes: Uint8Array, start: number, end: number): number
}

export const noRank = 0x3fffffff // a small integer: arithmetic with infinity is several times slower

export const tokenTableFile = "o200k-beginning.bin"

/** Opens the shipped table; undefined if it is missing. Nothing is built: the file is the hash table. */
export function openTokenTable(): TokenTable | undefined {
  const assets = findAssets()
  const path = assets && join(assets, tokenTableFile)
  return path && existsSync(path) ? readTokenTable(readFileSync(path)) : undefined
}

/**
 * The file: the number of slots, the slots, the tokens' bytes in the order of the vocabulary without anything between.
 * A slot is offset × 256 + length of a token, or 0; all numbers are 32 bits, little endian.
 */
function readTokenTable(file: Uint8Array): TokenTable {
  const slots = new Uint32Array(file.buffer, file.byteOffset + 4, new Uint32Array(file.buffer, file.byteOffset, 1)[0])
  const tokens = file.subarray(4 + slots.byteLength)

  const holds = (offset: number, bytes: Uint8Array, start: number, length: number): boolean => {
    for (let index = 0; index < length; index++) if (tokens[offset + index] !== bytes[start + index]) return false
    return true
  }

  return {
    rankOf(bytes, start, end) {
      const length = end - start
      let slot = slotOf(bytes, start, end, slots.length)
      for (let entry = slots[slot]; entry; entry = slots[slot]) {
        if ((entry & 255) === length && holds(entry >>> 8, bytes, start, length)) return entry >>> 8 // offsets rise with rank
        slot = slot + 1 === slots.length ? 0 : slot + 1
      }
      return noRank
    },
  }
}

/** The first slot to probe for a token; on a collision, the next free one. */
export function slotOf(bytes: Uint8Array, start: number, end: number, slots: number): number {
  let hash = 0x811c9dc5
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193)
  return ((hash ^ (hash >>> 15)) >>> 0) % slots
}
