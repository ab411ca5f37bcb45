import { writeFileSync } from "node:fs"
import { deflateRawSync } from "node:zlib"
import type { Weights } from "../../../src/learning/words/lasting.ts"
import { labelledSamples, readLabels, trainWeights, writtenSamples } from "./model.ts"
import { labelledReplies, trainReplies, writtenReplies } from "./replies.ts"

/**
 * Trains the models that recognise lasting sentences, corrections and new tasks, and writes their weights into the
 * source: `node bench/run.mjs bench/learning/words/train.ts [<labels> <transcripts>]`. Without labels they learn from
 * the written sentences alone.
 */
const [labels, transcripts] = process.argv.slice(2)
const messages = labels === undefined ? [] : readLabels(labels)
const sentences = { written: writtenSamples(), labelled: labelledSamples(messages) }
write("lasting", sourceOf(trainWeights(sentences)))
const replies = {
  written: writtenReplies(),
  labelled: transcripts === undefined ? [] : await labelledReplies(transcripts, messages),
}
const { correction, task } = trainReplies(replies)
write("reply", replySourceOf(correction, task))
const count = ({ written, labelled }: { written: unknown[]; labelled: unknown[] }) => written.length + labelled.length
console.log(`Trained on ${count(sentences)} sentences and ${count(replies)} replies.`)

function write(name: string, source: string): void {
  writeFileSync(`src/learning/words/${name}-weights.ts`, source)
}

function sourceOf({ bias, features, meaning }: Weights): string {
  return `// Written by bench/learning/words/train.ts; do not edit.
import { unpack, type Weights } from "./lasting.ts"

const bias = ${bias.toFixed(3)}
const features = ${bytesOf(features)}
const meaning = ${bytesOf(meaning)}

let read: Weights | undefined

/** The weights of the shipped model. */
export function lastingWeights(): Weights {
  read ??= { bias, features: unpack(features), meaning: unpack(meaning) }
  return read
}
`
}

function replySourceOf(correction: Weights, task: Weights): string {
  return `// Written by bench/learning/words/train.ts; do not edit.
import { unpack } from "./lasting.ts"
import type { ReplyWeights } from "./reply.ts"

const correction = ${packedOf(correction)}
const task = ${packedOf(task)}

let read: ReplyWeights | undefined

/** The weights of the shipped models. */
export function replyWeights(): ReplyWeights {
  read ??= { correction: unpackAll(correction), task: unpackAll(task) }
  return read
}

function unpackAll({ bias, features, meaning }: typeof correction) {
  return { bias, features: unpack(features), meaning: unpack(meaning) }
}
`
}

function packedOf({ bias, features, meaning }: Weights): string {
  return `{ bias: ${bias.toFixed(3)}, features: ${bytesOf(features)}, meaning: ${bytesOf(meaning)} }`
}

/** Every weight as a byte; most are zero, so they are packed. */
function bytesOf(weights: Float32Array): string {
  const largest = weights.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1
  const bytes = Buffer.from(Int8Array.from(weights, (value) => Math.round((127 * value) / largest)).buffer)
  return `{ largest: ${largest.toFixed(4)}, bytes: "${deflateRawSync(bytes, { level: 9 }).toString("base64")}" }`
}
