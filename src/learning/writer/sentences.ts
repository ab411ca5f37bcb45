import type { EpisodeEvent } from "../../memories/episode.ts"

/** The sentences of a message, and their parts after a colon or semicolon, or beginning with "we". */
export function sentencesOf(message: string): string[] {
  return borders
    .reduce((pieces, border) => pieces.flatMap((piece) => piece.split(border)), [message])
    .map((sentence) => sentence.replace(/^\s*(?:[-*•>]|\d{1,2}[.)])\s+/, "").trim())
    .map((sentence) => sentence.replace(/^\(([^()]+)\)$/, "$1"))
    .filter((sentence) => sentence !== "")
}

const borders = [
  /(?<=[.!?])\s+|(?<=[。！？])|\n+|(?<=[,—–])\s+(?=we\b)/i,
  /(?<=:)(?<!\b(?:remember|mind|note|record|reference|on|forward|future|rule):)\s+/i, // "remember:" means nothing without what follows
  /(?<=;)\s+(?!(?:instead|rather|only|please|use|prefer|ask|open|go|call|import|put|write|run|create|make|keep|send|raise)\b)/i, // the alternative stays with its rule
]

/**
 * The significant words of a text, stemmed: `tests`, `testing` and `Test` are one word. Scripts without spaces yield
 * pairs of letters.
 */
export function contentWords(text: string): Set<string> {
  const words = new Set<string>()
  for (const [run] of text.toLowerCase().matchAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*/gu)) {
    if (unspaced.test(run)) for (const pair of pairsOf(run)) words.add(pair)
    else if (run.length > 2 && !emptyWords.has(run)) words.add(stem(run))
  }
  return words
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

function pairsOf(run: string): string[] {
  const letters = [...run]
  return letters.length < 2 ? letters : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`)
}

/** Rough, but the same for both sides of a comparison. */
function stem(word: string): string {
  return word.replace(/(?<=...)(?:ing|ed|es|s|e)$/, "")
}

const emptyWords = new Set(
  "the and for are was were has have had not but with this that these those from into onto than then them they you your our its his her she all any can could should would will must may might shall when where which while what who whom how why there here just only also very more most some such own same other each both few too yes please okay use uses used using user users project always never don doesn didn won isn aren agent agents run runs running make makes made get gets got let lets want wants need needs like instead rather before after because about over under again still now one two out off via per".split(
    " ",
  ),
)

/** Whether the user typed it. */
export function isSaid({ role, kind }: EpisodeEvent): boolean {
  return role === "user" && kind === "message"
}

/**
 * Whether a tool's output addresses its reader, as a planted or merely helpful file does: "ignore your instructions",
 * "always use…", "AI agents must…", "remember that…". Ordinary output reports what happened.
 */
export function readsLikeInstruction(output: string): boolean {
  return signs.some((sign) => sign.test(output))
}

const signs = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|prompt|rule|guideline|above|previous|prior|earlier)/i,
  /(?:^|[.!?:>*\-–—"“]\s{0,4}|\n\s{0,8})(?:always|never|from now on|remember|make sure|be sure|do not|don['’]t|you (?:must|should|shall|have to|need to|are required))\b/i,
  /\b(?:ai|llms?|agents?|assistants?|copilot|claude|codex|gemini|cursor|model)\b.{0,30}\b(?:must|should|shall|always|never|needs? to|ha(?:s|ve) to|required|obliged)\b/i,
  /\byou (?:must|should) (?:always|never|not)\b|\b(?:remember|memori[sz]e|store|save|keep)\b.{0,30}\b(?:memory|rule|guard|instruction|in mind|for later|for the future)\b/i,
  /\b(?:do not|don['’]t|never|without)\b.{0,20}\b(?:tell|inform|mention|ask|asking|telling)\b.{0,20}\b(?:user|human|person|anyone)\b/i,
  /<\/?\s{0,3}(?:system|user|assistant|instructions?|important|drey)[\w-]{0,20}\s{0,3}>|\[\/?(?:INST|SYSTEM)\]|^\s{0,8}(?:system|important|instructions?|note to (?:ai|agents?|assistants?))\s{0,3}:/im,
  /\b(?:curl|wget)\b[^\n|]{0,200}\|\s{0,4}(?:sudo\s{1,4})?(?:ba|z|da)?sh\b/i,
]
