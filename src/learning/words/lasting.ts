import { inflateRawSync } from "node:zlib"
import { openStaticEmbedder, type StaticEmbedder } from "../../index/embedders/static-embedder.ts"
import { lowerCase, phrases } from "../languages/phrases.ts"
import { featuresOf } from "./features.ts"
import { lastingWeights } from "./lasting-weights.ts"
import { marks } from "./marks.ts"
import { ownWords } from "./own-words.ts"

/** A sentence of the user that is worth knowing in a month: a rule, a preference or a fact. */
export type LastingSentence = {
  /** As written. */
  words: string
  /** Its offsets in the message. */
  start: number
  end: number
  /** The sentence before it, if the user wrote one in the same paragraph. */
  before: string | undefined
  /** How sure the classifier is, as log-odds. */
  score: number
}

/** A logistic regression over a sentence's features, each hashed to one of the weights, and over its vector. */
export type Weights = {
  bias: number
  features: Float32Array
  meaning: Float32Array
  /** Where the vectors come from that it was trained on; the shipped table by default. */
  vectorOf?: (text: string) => Float32Array
}

/** The least score at which a sentence is learned. Chosen on labelled messages of repositories left out of training. */
export const learnedFrom = 0.25

const mostSentences = 200

/**
 * The lasting sentences in the user's own words. A model trained on labelled messages (`bench/learning/words/train.ts`)
 * judges each sentence; words that tie it to the moment, questions and announcements rule it out.
 */
export function lastingSentences(message: string, least = learnedFrom, weights = lastingWeights()): LastingSentence[] {
  const own = ownWords(message)
  const found: LastingSentence[] = []
  let before: { words: string; end: number } | undefined
  for (const { start, end } of sentencesIn(own).slice(0, mostSentences)) {
    const words = message.slice(start, end)
    const gap = before && message.slice(before.end, start)
    const near = gap !== undefined && !/\n[ \t]*\n/.test(gap) ? before?.words : undefined
    before = { words, end }
    if (!mayLast(own.slice(start, end))) continue
    const isAnswer = near !== undefined && /[?？]\s*$/.test(near) && gap?.includes("\n") === true
    if (isAnswer && !isExplicit(words)) continue // one of the options that an agent offered
    const score = scoreOf(words.replace(/[;,]+$/, ""), weights) + (isExplicit(words) ? explicitly : 0)
    if (score >= least) found.push({ words, start, end, before: near, score })
  }
  return found
}

/** Begins with "always", "never", "from now on", "remember": doubtful only if it is about what a screen shows. */
function isExplicit(sentence: string): boolean {
  const plain = lowerCase(sentence)
    .trim()
    .replace(/^(?:(?:no|ok|okay|and|please|bitte|also|remember|new rule|rule)[,:;.!]? )+/, "")
  return (
    plain.search(explicit) === 0 &&
    !/\b(?:show|display|render|hide|open|return|visible|buttons?|pages?|icons?)\b/.test(plain)
  )
}

const explicit = phrases(
  ({ statements }) => [...statements.always, ...statements.never, ...statements.remember],
  "first",
)
const explicitly = 0.7

/** The log-odds that a sentence is lasting. */
export function scoreOf(sentence: string, weights: Weights): number {
  return scoreFeatures(featuresOf(sentence), (weights.vectorOf ?? vectorOf)(sentence), weights)
}

export function scoreFeatures(found: ReadonlySet<string>, vector: Float32Array, weights: Weights): number {
  const { bias, features, meaning } = weights
  const scale = 1 / Math.sqrt(found.size + 1)
  let score = bias
  for (const feature of found) score += (features[placeOf(feature, features.length)] ?? 0) * scale
  return vector.reduce((sum, value, at) => sum + value * (meaning[at] ?? 0), score)
}

/** Weights as they are shipped, a byte for each, most of them zero. */
export function unpack({ largest, bytes }: { largest: number; bytes: string }): Float32Array {
  const unpacked = inflateRawSync(Buffer.from(bytes, "base64"))
  return Float32Array.from(new Int8Array(unpacked), (value) => (value * largest) / 127)
}

/** FNV-1a. */
export function placeOf(feature: string, places: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < feature.length; at++) hash = Math.imul(hash ^ feature.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % places
}

let embedder: StaticEmbedder | "missing" | undefined

/** One handle per process: rows are read from the file one by one. */
export function vectorOf(sentence: string): Float32Array {
  if (embedder === undefined) {
    const opened = openStaticEmbedder()
    embedder = opened.kind === "ready" ? opened.embedder : "missing"
  }
  return embedder === "missing" ? new Float32Array() : embedder.embedNow(sentence)
}

const longest = 300

function mayLast(own: string): boolean {
  const plain = lowerCase(own).trim()
  if (plain.length > longest || /[?？][\s"')]*$|[:：…]$|\.\.\.$/.test(plain)) return false
  if (!/\p{L}{2}/u.test(plain.replace(/_+/g, "")) || isSpecimen(plain) || isPiece(own.trim())) return false
  if (asks.test(plain) || (isTask(plain) && place.test(plain)) || isChange(plain)) return false
  return plain.search(passing) === -1
}

/** Not a whole sentence: an example, a heading, a wrapped line, words around a command that was run. */
function isPiece(own: string): boolean {
  if (example.test(own) || documented.test(own) || breaksOff.test(own) || /[,(]$|\s\.?[>$❯] \w|^[^(（]*[)）]/.test(own))
    return true
  const words = own.match(/(?<![\p{L}\p{N}])\p{L}{4,}/gu) ?? []
  return words.length >= 3 && words.every((word) => /^\p{Lu}\p{Ll}/u.test(word)) && !/[.!]$/.test(own)
}

const example =
  /^(?:this error originated|(?:for|as an) (?:example|instance)|e\.g\.?|such as|like|zum beispiel|z\.\s?b\.|par exemple|por ejemplo|por exemplo|例如|比如|たとえば|例えば)(?![\p{L}])/iu

/** No sentence ends with such a word, unless it is another one in its language: "let no worker die." */
const breaksOff =
  /(?<![\p{L}\p{N}_-])(?:an|the|any|every|of|with|and|or|under|my|your|their|(?:must|should) (?:be|always|never)|der|die|das|und|oder|mit|les?|des|et|avec)[^\p{L}\p{N}.!]*$/iu

/** What a document of the project says needs no memory. */
const documented = /\bas (?:it is |is )?(?:documented|described|explained|specified|stated) in\b/i

/** Letters of many scripts at once show what a program can print. */
function isSpecimen(plain: string): boolean {
  return scripts.filter((script) => script.test(plain)).length >= 3
}

const scripts = [
  /\p{Script=Latin}/u,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /\p{Script=Hangul}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Devanagari}/u,
  /\p{Script=Thai}/u,
]

/** A question without its mark. */
const asks =
  /^(?:and |but |so |ok,? )?(?:(?:are|is|does|did|why|what|what's|how|where|who|has|was|were|am|would|could) |(?:do|have) (?:i|you|we|they|the|these|those|this|that|any)\b)/

/** Work on a certain file; what should hold in it says so with "must" or "never". */
const place = /\]\(|[\w-]+\/[\w.-]+\.\w{1,5}\b/

function isTask(plain: string): boolean {
  return marks.task?.some((pattern) => pattern.test(plain)) === true && !obliges.test(plain)
}

/** Orders a change that is made once, unless it says for which cases it holds. */
function isChange(plain: string): boolean {
  return change.test(plain) && !obliges.test(plain) && !/\b(?:every|each|all|any|whenever)\b/.test(plain)
}

const change =
  /^(?:(?:please|pls|ok|and|also|then|now|next),? )*(?:create|delete|remove|rename|move|fix|show|implement|wrap|reduce|increase|resize|investigate|explain|refactor|extract|get rid of)\b(?!.*\b(?:before|after|when|if|unless|instead of|not)\b)/

const obliges = /\b(?:must|always|never|should|only)\b/

const passing = phrases(({ passing }) => passing)

/** The sentences of a text, without bullets. A clause after a semicolon stays with its sentence. */
export function sentencesIn(text: string): { start: number; end: number }[] {
  const sentences: { start: number; end: number }[] = []
  const add = (from: number, to: number) => {
    const piece = text.slice(from, to)
    const start = from + (leading.exec(piece)?.[0].length ?? 0)
    const end = from + piece.trimEnd().length
    if (end > start) sentences.push({ start, end })
  }
  let at = 0
  for (const match of text.matchAll(sentenceEnd)) {
    const end = match.index + match[0].length
    add(at, end)
    at = end
  }
  add(at, text.length)
  return sentences
}

const leading = /^\s*(?:(?:[-*•]|\d{1,2}[.)])\s+)?/

/** A dot inside a name such as `claude.md`, or after a list number, does not end a sentence; an aside in brackets is one of its own. */
const sentenceEnd =
  /(?<!^[ \t]{0,8}\d{1,2}|\b(?:e\.g|i\.e|etc|vs|z\.B|bzw))[.!?]{1,3}(?=\s)|[。！？]|\n|(?<=\S{3}) (?=\((?:[^\s()]+ ){4,40}[^\s()]+\)[.!]?\s*$)|(?<=\p{Script=Han}) (?=\p{Script=Han})/gmu
