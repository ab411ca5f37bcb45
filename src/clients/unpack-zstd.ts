import { Decompress } from "fzstd"
import type { Piece } from "./read-lines.ts"

/** Decompresses Zstandard as a stream, without the first `skip` bytes of the text, up to any damage. */
export function* unpackZstd(packed: Iterable<Piece>, skip: number): Generator<Piece> {
  let unpacked: Uint8Array[] = []
  let left = skip
  const stream = new Decompress((chunk) => {
    if (chunk.length > left) unpacked.push(chunk.subarray(left))
    left = Math.max(0, left - chunk.length)
  })
  for (const { bytes, fileBytes } of packed) {
    const isDamaged = !unpacks(stream, Buffer.from(bytes)) // a copy: the stream keeps bytes that it cannot use yet
    yield { bytes: Buffer.concat(unpacked), fileBytes, isDamaged }
    if (isDamaged) return
    unpacked = []
  }
}

function unpacks(stream: Decompress, bytes: Buffer): boolean {
  try {
    stream.push(bytes)
    return true
  } catch {
    return false // damaged: the text before it is read, and the damage is counted
  }
}
