import { seededRandom } from "../recall/seeded-random.ts"
import { makeVocabulary, type Vocabulary } from "./made-vocabulary.ts"

/** A synthetic decision, with the length and the words of real ones. */
export type MadeEntry = { title: string; text: string; tags: string[]; author: string; at: number }

export type EntryMaker = {
  entry(): MadeEntry
  /** A question of 6 to 10 words. */
  question(): string
  /** A task of 40 to 80 words. */
  task(): string
}

/** Written in them are only words that every text has; all others are drawn. */
const sentences = [
  "We {verb} the {noun} {name} before the {noun} is {quality}.",
  "The {quality} {noun} must {other} {verb} the {other} {noun} of {name}.",
  "Because {name} had a {quality} {noun}, we {other} {verb} {noun} and {other} it.",
  "It was {other} to {verb} the {noun} than to {verb} {name}.",
  "{name} {other} as it is: a {noun} that they {verb} would be {quality}.",
  "If this {noun} is {quality}, {verb} it with {name} and {other} {noun}.",
  "{other} {noun} in {name} {other} its {other} {noun}, so we can {verb} it.",
  "{name} {other}: {noun} {other} the {other} {noun} and was not {quality}.",
  "{verb} {quality} {noun} for {other} {noun}; {other} {name} {other}.",
  "Do not {verb} {name} when {noun} and {noun} are {other} {quality}.",
]
const questions = [
  "How do we {verb} the {noun} in {name}?",
  "Why is the {noun} of {name} so {quality}?",
  "What did we decide about the {quality} {noun}?",
  "Should {name} {verb} the {noun} or the {noun}?",
  "Where does {name} {other} {noun} that are {quality}?",
]
const authors = ["Ines", "Kane", "Mira", "Otto", "Rhea", "Sven", "Tess", "Yara"]
const day = 86_400_000

/** Makes entries and questions about the same few hundred subjects; the same ones for the same seed. */
export function entryMaker(seed: number): EntryMaker {
  const random = seededRandom(seed)
  const vocabulary = makeVocabulary(seededRandom(1))
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
  const subjectOf = (): Vocabulary => {
    const some = (words: string[], count: number) => Array.from({ length: count }, () => drawn(words, random))
    const { nouns, verbs, qualities, others, names } = vocabulary
    return {
      nouns: some(nouns, 6),
      verbs: some(verbs, 3),
      qualities: some(qualities, 3),
      others: some(others, 8),
      names: some(names, 3),
    }
  }
  const write = (patterns: readonly string[], subject: Vocabulary, least: number): string => {
    const written: string[] = []
    for (let words = 0; words < least; ) {
      const sentence = fill(patterns[between(0, patterns.length - 1)] ?? "", subject, vocabulary, random)
      written.push(written.length > 0 && written.length % 5 === 0 ? `\n\n${sentence}` : sentence)
      words += sentence.split(" ").length
    }
    return written.join(" ").replaceAll(" \n", "\n")
  }
  return {
    entry() {
      const subject = subjectOf()
      const length = Math.round(50 * 8 ** (random() ** 1.6)) // most are short, some reach 400 words
      const title = fill("{verb} {quality} {noun} in {name}", subject, vocabulary, random)
      return {
        title: title.charAt(0).toUpperCase() + title.slice(1),
        text: write(sentences, subject, Math.max(30, length - 10)),
        tags: subject.nouns.slice(0, 2).map((word) => word.toLowerCase()),
        author: authors[between(0, authors.length - 1)] ?? "",
        at: Date.UTC(2024, 0, 1) + between(0, 700) * day + between(0, 86_399) * 1000,
      }
    },
    question: () => write(questions, subjectOf(), 1),
    task: () => write(sentences, subjectOf(), between(32, 64)),
  }
}

/** Puts words into a sentence: two of three from its subject, the others from everywhere. */
function fill(pattern: string, subject: Vocabulary, all: Vocabulary, random: () => number): string {
  return pattern.replace(/\{(\w+)\}/g, (_, kind: string) => {
    const key = `${kind.replace(/y$/, "ie")}s` as keyof Vocabulary
    return random() < 0.67 ? (subject[key][Math.floor(random() * subject[key].length)] ?? "") : drawn(all[key], random)
  })
}

/** By the law of Zipf and Mandelbrot: the word at rank r is drawn about 1 / (r + 12) as often as all together. */
function drawn(words: readonly string[], random: () => number): string {
  const rank = flatTop * ((words.length / flatTop + 1) ** random() - 1)
  return words[Math.floor(rank)] ?? words[0] ?? ""
}

const flatTop = 12
