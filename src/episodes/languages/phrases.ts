import { allLanguages } from "./all-languages.ts"
import type { Language } from "./language.ts"

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
