import type { Attempt } from "../formats/session/agent-memory.ts"
import { tokenize } from "../index/tokenize.ts"

const longestRead = 4000

/**
 * The words that two approaches are compared by. A path counts as the name at its end and an identifier as one word: a file in common is
 * not yet an approach in common.
 */
export function approachWords(text: string): Set<string> {
  return new Set(tokenize(flatten(text.slice(0, longestRead))))
}

/** What an attempt is compared by. */
export function attemptText({ description, approach }: Attempt): string {
  return `${description}\n${approach ?? ""}`.trim()
}

export function attemptWords(attempt: Attempt): ReadonlySet<string> {
  return keptWords(attempt, wordsOfAll, attemptText(attempt))
}

/** The words of what it is for, without how it goes about it. */
export function aimWords(attempt: Attempt): ReadonlySet<string> {
  return keptWords(attempt, wordsOfAim, attempt.description)
}

/** The same attempts are compared again and again. */
type KnownWords = WeakMap<Attempt, { text: string; words: ReadonlySet<string> }>
const wordsOfAll: KnownWords = new WeakMap()
const wordsOfAim: KnownWords = new WeakMap()

function keptWords(attempt: Attempt, known: KnownWords, text: string): ReadonlySet<string> {
  const before = known.get(attempt)
  if (before?.text === text) return before.words
  const words = approachWords(text)
  known.set(attempt, { text, words })
  return words
}

const leastOverlap = 0.6
const leastShared = 3

/** Which part of the smaller set the larger one has, from 0 to 1; undefined when that is too little to call them similar. */
export function similarityOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number | undefined {
  const [smaller, larger] = one.size <= other.size ? [one, other] : [other, one]
  let shared = 0
  for (const word of smaller) if (larger.has(word)) shared++
  const isEnough = shared >= leastShared || (shared > 0 && shared === larger.size) // two words, and the same two
  return isEnough && shared / smaller.size >= leastOverlap ? shared / smaller.size : undefined
}

function flatten(text: string): string {
  return text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.split(/[/\\]/).findLast((name) => name !== "") ?? "")
    .join(" ")
    .replace(/(?<=\w)\.[a-z]{2,5}(?![a-z0-9.])/g, "") // the end of a file's name
    .replace(/_|(?<=[a-z])\.(?=[a-z])/g, "")
    .replace(/[-:@]/g, " ")
}
