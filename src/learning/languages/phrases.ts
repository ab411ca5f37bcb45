import { chinese } from "./chinese.ts"
import { english } from "./english.ts"
import { french } from "./french.ts"
import { german } from "./german.ts"
import { japanese } from "./japanese.ts"
import { portuguese } from "./portuguese.ts"
import { spanish } from "./spanish.ts"

/** One pattern from the lists of all languages, for texts in `lowerCase`; anywhere, or only at the beginning. */
export function phrases(list: (language: Language) => string[], where: "anywhere" | "first" = "anywhere"): RegExp {
  const spaced = allLanguages.filter((language) => language.spaced).flatMap(list)
  const unspaced = allLanguages.filter((language) => !language.spaced).flatMap(list)
  const start = where === "first" ? "^" : ""
  const sources = [
    `${start}${notInWord}(?:${longestFirst(spaced)})${wordEnds}`,
    `${start}(?:${longestFirst(unspaced)})`,
  ]
  const source = sources.join("|").replaceAll("\\p{L}", `[${letters}]`)
  return new RegExp(source, where === "first" ? "" : "g")
}

/** Lower case without typographic apostrophes, keeping offsets: case-sensitive patterns are many times as fast. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  return (lower.length === text.length ? lower : [...text].map(lowerOrSame).join(""))
    .replace(/[’‘ʼ]/g, "'")
    .replace(/[\t\u00a0]/g, " ")
}

function lowerOrSame(character: string): string {
  const lower = character.toLowerCase()
  return lower.length === character.length ? lower : character
}

/** So far, every language with spaces between words uses Latin letters. */
const letters = "a-zß-öø-ɏ"
const notInWord = `(?<![${letters}0-9_'])`
/** A phrase that ends with a space or a symbol needs no word boundary. */
const wordEnds = `(?:(?![${letters}0-9_])|(?<=[\\s,:;.]))`

/** Longest first, so that "good enough" is found before "good". */
function longestFirst(list: string[]): string {
  return [...list].sort((one, other) => other.length - one.length).join("|")
}

/**
 * Phrases of one language as pieces of regular expressions in lower case. The lists of all languages are matched
 * together. Signals without words work in any language.
 */
export type Language = {
  /** Words are separated by spaces, so that a phrase must match whole words. */
  spaced: boolean
  frustration: Record<"severe" | "moderate" | "mild", string[]>
  /** Says that it works, or thanks for it: anywhere, or only at the beginning. */
  accepts: { anywhere: string[]; first: string[] }
  /** Cancel acceptance if shortly before it: "not", "how", "if". */
  hedges: string[]
  /** Words that may precede the one that matters: "ok", "well", "please". */
  fillers: string[]
  /** Beginnings of messages. */
  openers: Record<"correction" | "new task" | "continuation", string[]>
  /** Unambiguous openers of a new task: "different topic". */
  announcements: string[]
  /** A plain "no", which is an answer after a question. */
  refusals: string[]
  /** Beginnings of a request in the form of a question. */
  requests: string[]
  /** Beginnings of a sentence that states a lasting rule. */
  statements: Record<"always" | "never" | "preference" | "fact" | "remember", string[]>
  /** Limits a sentence to the moment, so that it is not a lasting rule. */
  passing: string[]
}

/** The supported languages; to add one, add a file and list it here. */
const allLanguages: readonly Language[] = [english, german, chinese, spanish, french, portuguese, japanese]
