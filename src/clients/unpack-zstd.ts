import { Decompress } from "fzstd"
import type { Piece } from "./read-lines.ts"

/** Unpacks Zstandard as its pieces come, without the first `skip` bytes of the text, up to where it is damaged. */
export function* unpackZstd(packed: Iterable<Piece>, skip: number): Generator<Piece> {
  let unpacked: Uint8Array[] = []
  let left = skip
  const stream = new Decompress((chunk) => {
    if (chunk.length > left) unpacked.push(chunk.subarray(left))
    left = Math.max(0, left - chunk.length)
  })
  for (const { bytes, fileBytes } of packed) {
    const isDamaged = !unpacks(stream, Buffer.from(bytes)) // a copy: the stream keeps what it cannot use yet
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
    return false // whatever the bytes were: what came out before them is read, and the damage is counted
  }
}
