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
