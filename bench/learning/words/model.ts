import { readFileSync } from "node:fs"
import { join } from "node:path"
import { cosineSimilarity } from "../../../src/index/embedders/embedder.ts"
import { featuresOf } from "../../../src/learning/words/features.ts"
import { placeOf, sentencesIn, vectorOf, type Weights } from "../../../src/learning/words/lasting.ts"
import { ownWords } from "../../../src/learning/words/own-words.ts"

/** A sentence with the verdict of a person who read it. */
export type Sample = { text: string; isLasting: boolean; repository: string }

export type Keep = { quote: string; memory: string; kind: string; strength: "must" | "nice" }
export type LabelledMessage = {
  file: string
  record: number | string
  text: string
  person: boolean
  acts: string[]
  new_task: boolean
  keeps: Keep[]
  tempting?: string[]
  /** Other places of the same message. */
  also?: unknown[]
  copies?: unknown[]
}

/** The sentences that we wrote ourselves, of both classes, in the languages that people use. */
export function writtenSamples(folder = "bench/learning/words"): Sample[] {
  return ["sentences-english.txt", "sentences-other.txt"].flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => ({ text: line.slice(2), isLasting: line.startsWith("+"), repository: "written" })),
  )
}

export function readLabels(folder: string): LabelledMessage[] {
  return readFileSync(join(folder, "messages.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
}

/** Messages of one repository; all scripted stories count as one. */
export function repositoryOf({ file }: Pick<LabelledMessage, "file">): string {
  const name = file.split("/")[1] ?? file
  return name.startsWith("scripted") ? "scripted" : name
}

/** The sentences of labelled messages: those that a label wants kept, and all others. */
export function labelledSamples(messages: readonly LabelledMessage[]): Sample[] {
  return messages
    .filter(({ person }) => person)
    .flatMap((message) =>
      sentencesIn(ownWords(message.text)).map(({ start, end }) => {
        const text = message.text.slice(start, end)
        return {
          text,
          isLasting: message.keeps.some(({ quote }) => coverage(quote, text) >= mostly),
          repository: repositoryOf(message),
        }
      }),
    )
    .filter(({ text }) => /\p{L}/u.test(text))
}

/**
 * The written sentences without those that say nearly the same as a sentence of the repository that is left out. Their
 * author had read the labels, so a model trained on them would be measured on what it had already seen.
 */
export function withoutEchoes(written: readonly Sample[], held: readonly Sample[]): Sample[] {
  const vectors = held
    .filter(({ text }) => wordsOf(text).length >= fewestWords && !unspaced.test(text))
    .map((sample) => ({ isLasting: sample.isLasting, vector: rowOf(sample).vector }))
  return written.filter((sample) => {
    const own = rowOf(sample).vector
    return !vectors.some(
      ({ isLasting, vector }) => isLasting === sample.isLasting && cosineSimilarity(own, vector) >= sayingTheSame,
    )
  })
}

const sayingTheSame = 0.7
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u // all are alike to the table of words
const fewestWords = 4 // "commit" is like every sentence about commits

export const mostly = 0.6

/** The share of a quote's words that a text contains. */
export function coverage(quote: string, text: string): number {
  const words = wordsOf(quote)
  const present = new Set(wordsOf(text))
  return words.filter((word) => present.has(word)).length / Math.max(1, words.length)
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((word) =>
    /\p{Script=Han}/u.test(word) ? [...word] : [word],
  )
}

/** Passes over the samples. */
const rounds = 40
const shrinkage = 0.003
const stepSize = 0.3
const meaningScale = 2
const places = 65521 // fewer make different words share a weight too often

/** A sample as the model sees it. */
export type Row = { features: ReadonlySet<string>; vector: Float32Array; isPositive: boolean }

const known = new Map<string, Omit<Row, "isPositive">>()

function rowOf({ text, isLasting }: Sample): Row {
  const read = known.get(text) ?? { features: featuresOf(text), vector: vectorOf(text) }
  known.set(text, read)
  return { ...read, isPositive: isLasting }
}

export function trainWeights(samples: readonly Sample[]): Weights {
  return trainOn(samples.map(rowOf), places)
}

/**
 * Logistic regression by AdaGrad, averaged over the passes. The order is fixed, so the same samples give the same
 * weights.
 */
export function trainOn(samples: readonly Row[], places: number): Weights {
  const rows = samples.map(({ features, vector, isPositive }) => ({
    inputs: [...features].map((feature) => placeOf(feature, places)),
    scale: 1 / Math.sqrt(features.size + 1),
    vector,
    target: isPositive ? 1 : 0,
  }))
  const dimensions = rows[0]?.vector.length ?? 0
  const bias = places + dimensions
  const weights = new Float64Array(bias + 1)
  const squares = new Float64Array(bias + 1).fill(1e-8)
  const average = new Float64Array(bias + 1)
  const next = generator(7)
  let averaged = 0
  for (let step = 1; step <= rounds * rows.length; step++) {
    const at = Math.floor(next() * rows.length)
    const { inputs, scale, vector, target } = rows[at] as (typeof rows)[number]
    let score = weights[bias] as number
    for (const place of inputs) score += (weights[place] as number) * scale
    for (let d = 0; d < dimensions; d++) score += (weights[places + d] as number) * (vector[d] as number) * meaningScale
    const error = 1 / (1 + Math.exp(-score)) - target
    const adjust = (place: number, slope: number) => {
      squares[place] = (squares[place] as number) + slope * slope
      weights[place] = (weights[place] as number) - (stepSize / Math.sqrt(squares[place] as number)) * slope
    }
    for (const place of inputs) adjust(place, error * scale + shrinkage * (weights[place] as number))
    for (let d = 0; d < dimensions; d++) {
      const place = places + d
      adjust(place, error * (vector[d] as number) * meaningScale + shrinkage * (weights[place] as number))
    }
    adjust(bias, error)
    if (step % rows.length !== 0 || step < (rounds * rows.length) / 4) continue
    averaged++
    for (let place = 0; place < average.length; place++)
      average[place] = (average[place] as number) + (weights[place] as number)
  }
  const final = Float32Array.from(average, (sum) => sum / averaged)
  return {
    bias: final[bias] as number,
    features: final.slice(0, places),
    meaning: final.slice(places, bias).map((weight) => weight * meaningScale),
  }
}

/** Repeatable pseudo-random numbers from 0 to 1. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state / 0x7fffffff
  }
}
