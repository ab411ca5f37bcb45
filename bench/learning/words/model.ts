import { readFileSync } from "node:fs"
import { join } from "node:path"
import { cosineSimilarity } from "../../../src/index/embedders/embedder.ts"
import { featuresOf } from "../../../src/learning/words/features.ts"
import {
  lastingSentences,
  learnedFrom,
  placeOf,
  sentencesIn,
  vectorOf,
  type Weights,
} from "../../../src/learning/words/lasting.ts"
import { ownWords } from "../../../src/learning/words/own-words.ts"

/** A sentence with the verdict of a person who read it. */
export type Sample = {
  text: string
  isLasting: boolean
  repository: string
  /** Whether a memory of this sentence would be judged right: most of a label's words may be in it alone. */
  isRight?: boolean
}

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
          isRight: message.keeps.some((keep) => matches(keep, text)),
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
  const echoes = [...byRepository(held)].map(([name, samples]) => {
    const found = echoesOf.get(name) ?? findEchoes(written, samples)
    echoesOf.set(name, found)
    return found
  })
  return written.filter(({ text }) => !echoes.some((found) => found.has(text)))
}

/** By repository; the written sentences and the labels are the same during one run. */
const echoesOf = new Map<string, Set<string>>()

function findEchoes(written: readonly Sample[], held: readonly Sample[]): Set<string> {
  const vectors = held
    .filter(({ text }) => wordsOf(text).length >= fewestWords && !unspaced.test(text))
    .map((sample) => ({ isLasting: sample.isLasting, vector: rowOf(sample).vector }))
  const echoes = written.filter((sample) => {
    const own = rowOf(sample).vector
    return vectors.some(
      ({ isLasting, vector }) => isLasting === sample.isLasting && cosineSimilarity(own, vector) >= sayingTheSame,
    )
  })
  return new Set(echoes.map(({ text }) => text))
}

const sayingTheSame = 0.7
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u // all are alike to the table of words
const fewestWords = 4 // "commit" is like every sentence about commits

/**
 * A memory is in the third person: it has half of the quote's words, or nearly all of one of its sentences, or most of
 * the words of the memory wanted.
 */
export function matches({ quote, memory }: Keep, text: string): boolean {
  const sentences = sentencesIn(quote).map(({ start, end }) => quote.slice(start, end))
  const hasSentence = sentences.some((one) => one.split(" ").length > 5 && coverage(one, text) >= 0.8)
  return hasSentence || coverage(quote, text) >= 0.5 || coverage(memory, text) >= mostly
}

export function byRepository<T extends { repository: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) groups.set(row.repository, [...(groups.get(row.repository) ?? []), row])
  return groups
}

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

const stepSize = 0.3

/** A sample as the model sees it. */
export type Row = { features: ReadonlySet<string>; vector: Float32Array; isPositive: boolean }

const known = new Map<string, Omit<Row, "isPositive">>()

function rowOf({ text, isLasting }: Sample, vectors = vectorOf): Row {
  const read = known.get(text) ?? { features: featuresOf(text), vector: vectorOf(text) }
  known.set(text, read)
  return { ...read, isPositive: isLasting, ...(vectors !== vectorOf && { vector: vectors(text) }) }
}

/** What a model of lasting sentences is trained on. */
export type Training = { labelled: readonly Sample[]; written: readonly Sample[]; vectorOf?: Weights["vectorOf"] }

/**
 * The threshold is chosen within the training material, on repositories left out in turn, and moved into the bias: a
 * model's scores are read at `learnedFrom`.
 */
export function trainWeights({ labelled, written, vectorOf: vectors }: Training): Weights {
  const train = (inside: readonly Sample[], held: readonly Sample[]) => {
    const rows = [...withoutEchoes(written, held), ...inside].map((sample) => rowOf(sample, vectors))
    return { ...trainOn(rows, lastingModel), ...(vectors && { vectorOf: vectors }) }
  }
  return calibrated(labelled, train, {
    scoreOf: ({ text }, weights) => lastingSentences(text, -99, weights)[0]?.score,
    isPositive: ({ isRight }) => isRight === true,
    least: learnedFrom,
    precision: wantedPrecision,
  })
}

/** Models of the inner folds have seen less, and nothing behind them filters what they find. */
export const wantedPrecision = 0.8

/** Repositories with few labelled messages are left out together. */
export function foldsOf<T extends { repository: string }>(rows: readonly T[]): Set<string>[] {
  const sizes = byRepository(rows)
  const names = [...sizes.keys()]
  const isLarge = (name: string) => (sizes.get(name)?.length ?? 0) >= fewestInFold
  const small = names.filter((name) => !isLarge(name))
  return [...names.filter(isLarge).map((name) => new Set([name])), ...(small.length > 0 ? [new Set(small)] : [])]
}

const fewestInFold = 10

type Judging<T> = {
  scoreOf(row: T, weights: Weights): number | undefined
  isPositive(row: T): boolean
  /** Where scores are read. */
  least: number
  precision: number
}

/** Trained on all rows, with a bias at which rows of a repository left out are right often enough from `least` on. */
export function calibrated<T extends { repository: string }>(
  rows: readonly T[],
  train: (inside: readonly T[], held: readonly T[]) => Weights,
  { scoreOf, isPositive, least, precision }: Judging<T>,
): Weights {
  const judged = foldsOf(rows).flatMap((held) => {
    const inside = rows.filter(({ repository }) => !held.has(repository))
    const outside = rows.filter(({ repository }) => held.has(repository))
    const weights = train(inside, outside)
    return outside.flatMap((row) => {
      const score = scoreOf(row, weights)
      return score === undefined ? [] : { score, isPositive: isPositive(row) }
    })
  })
  const weights = train(rows, [])
  return { ...weights, bias: weights.bias + least - thresholdOf(judged, least, precision) }
}

/** The lowest score from which on enough are right. */
function thresholdOf(judged: { score: number; isPositive: boolean }[], least: number, precision: number): number {
  let right = 0
  let threshold: number | undefined
  for (const [at, { score, isPositive }] of judged.toSorted((one, other) => other.score - one.score).entries()) {
    if (isPositive) right++
    if (right / (at + 1) >= precision) threshold = score
  }
  return Math.max(least - furthest, Math.min(least + furthest, threshold ?? least))
}

/** Few labels choose the threshold: it stays near the usual one. */
const furthest = 0.75

/** How a model is trained: in how many passes over the samples, and into how many weights its features are hashed. */
export type Recipe = { rounds: number; places: number; shrinkage: number; meaningScale: number }

const lastingModel: Recipe = { rounds: 40, places: 65521, shrinkage: 0.003, meaningScale: 2 } // with fewer places, words share a weight too often

/**
 * Logistic regression by AdaGrad, averaged over the passes. The order is fixed, so the same samples give the same
 * weights.
 */
export function trainOn(samples: readonly Row[], { rounds, places, shrinkage, meaningScale }: Recipe): Weights {
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
