import { writeFileSync } from "node:fs"
import type { Weights } from "../../../src/learning/words/lasting.ts"
import { labelledSamples, readLabels, trainWeights, writtenSamples } from "./model.ts"

/**
 * Trains the model that recognises lasting sentences and writes its weights into the source:
 * `node bench/run.mjs bench/learning/words/train.ts <folder of labels>`. Without labels it learns from the written
 * sentences alone.
 */
const labels = process.argv[2]
const samples = [...writtenSamples(), ...(labels === undefined ? [] : labelledSamples(readLabels(labels)))]
const weights = trainWeights(samples)
writeFileSync("src/learning/words/lasting-weights.ts", sourceOf(weights))
console.log(`Trained on ${samples.length} sentences.`)

/** Every weight as a byte. */
function sourceOf({ bias, features, meaning }: Weights): string {
  return `// Written by bench/learning/words/train.ts; do not edit.
import type { Weights } from "./lasting.ts"

const bias = ${bias.toFixed(3)}
const features = ${bytesOf(features)}
const meaning = ${bytesOf(meaning)}

let read: Weights | undefined

/** The weights of the shipped model. */
export function lastingWeights(): Weights {
  read ??= { bias, features: unpack(features), meaning: unpack(meaning) }
  return read
}

function unpack({ largest, bytes }: { largest: number; bytes: string }): Float32Array {
  return Float32Array.from(new Int8Array(Buffer.from(bytes, "base64")), (value) => (value * largest) / 127)
}
`
}

function bytesOf(weights: Float32Array): string {
  const largest = weights.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1
  const bytes = Buffer.from(Int8Array.from(weights, (value) => Math.round((127 * value) / largest)).buffer)
  return `{ largest: ${largest.toFixed(4)}, bytes: "${bytes.toString("base64")}" }`
}
