import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import type { Checkout } from "./read-checkout.ts"

/** Which of the wanted words occur in source files, and which only in prose. */
export type WordsFound = { code: Set<string>; prose: Set<string> }

/** A larger file is a dump or generated. */
const mostBytes = 8 * 1024 * 1024
const filesAtOnce = 50

/** Searches for all words in one pass over the files, without the team folder's own texts. */
export async function scanFiles(checkout: Checkout, wanted: ReadonlySet<string>): Promise<WordsFound> {
  const found: WordsFound = { code: new Set(), prose: new Set() }
  const finder = wordFinder(wanted)
  const buffer = { bytes: Buffer.allocUnsafe(64 * 1024) }
  let looked = 0
  for (const [path, name] of checkout.files) {
    if (found.code.size === wanted.size) break
    if (isMemory(path)) continue
    if (++looked % filesAtOnce === 0) await setImmediate() // yields to other work in this process
    const bytes = readBytes(join(checkout.root, name), buffer)
    if (!bytes || isBinary(bytes)) continue
    finder(bytes, isProse(path) ? found.prose : found.code)
  }
  return found
}

export function isMemory(path: string): boolean {
  return /(?:^|\/)\.(?:squad|ai-team|rawko)\//.test(path)
}

export function isProse(path: string): boolean {
  return /\.(?:md|mdx|txt|rst|adoc|log)$/i.test(path)
}

export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0)
}

/** Synchronous: for thousands of small files, Node's thread pool takes longer than the reading. */
function readBytes(path: string, buffer: { bytes: Buffer }): Buffer | undefined {
  let file: number | undefined
  try {
    file = openSync(path, "r")
    const status = fstatSync(file)
    if (!status.isFile() || status.size > mostBytes) return undefined
    if (status.size > buffer.bytes.length) buffer.bytes = Buffer.allocUnsafe(status.size * 2)
    return buffer.bytes.subarray(0, readSync(file, buffer.bytes, 0, status.size, 0))
  } catch {
    return undefined // deleted since it was listed, or unreadable
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

const isWord = 1
const isDash = 2
const kinds = new Uint8Array(256).map((_, byte) => {
  if (byte === 0x2d) return isDash
  return byte >= 0x80 || byte === 0x5f || /[A-Za-z0-9]/.test(String.fromCharCode(byte)) ? isWord : 0
})

/** Finds words in bytes without decoding them: a hash rules out nearly all that are not wanted. */
export function wordFinder(wanted: ReadonlySet<string>): (bytes: Buffer, found: Set<string>) => void {
  const filter = new Uint8Array(1 << 16)
  for (const word of wanted) filter[hashOf(Buffer.from(word)) & 0xffff] = 1
  return (bytes, found) => {
    const check = (start: number, end: number) => {
      const word = bytes.toString("utf8", start, end)
      if (wanted.has(word)) found.add(word)
    }
    let at = 0
    const { length } = bytes
    while (at < length) {
      while (at < length && kinds[bytes[at] as number] === 0) at++
      const start = at
      let bare = at
      let wordStart = at
      let hash = 0
      let bareHash = 0
      let wordHash = 0
      for (; at < length; at++) {
        const byte = bytes[at] as number
        const kind = kinds[byte]
        if (kind === 0) break
        hash = (Math.imul(hash, 31) + byte) | 0
        if (kind === isDash && bare === at) bare++
        else bareHash = (Math.imul(bareHash, 31) + byte) | 0
        if (kind === isWord) wordHash = (Math.imul(wordHash, 31) + byte) | 0
        else {
          if (filter[wordHash & 0xffff] === 1) check(wordStart, at)
          wordStart = at + 1
          wordHash = 0
        }
      }
      if (filter[wordHash & 0xffff] === 1) check(wordStart, at)
      if (bare < wordStart && filter[bareHash & 0xffff] === 1) check(bare, at) // dry-run
      if (start < bare && filter[hash & 0xffff] === 1) check(start, at) // --force
    }
  }
}

function hashOf(bytes: Uint8Array): number {
  return bytes.reduce((hash, byte) => (Math.imul(hash, 31) + byte) | 0, 0)
}
