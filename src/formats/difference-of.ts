import { fillers } from "./normalize-text.ts"

/** What vectors do not see: "npm, not pnpm" has the same words as "pnpm, not npm", and 18 is near to 20. */
export type Difference = {
  /** One of them affirms what the other denies. */
  contradicts: boolean
  /** Names, paths, numbers and versions of the first that the second lacks, and the other way round. */
  lost: boolean
  added: boolean
}

export function differenceOf(before: string, after: string): Difference {
  const [one, other] = [readSense(before), readSense(after)]
  const isIn = (words: ReadonlySet<string>) => (word: string) => words.has(word)
  return {
    contradicts: [...one.denied].some(isIn(other.affirmed)) || [...other.denied].some(isIn(one.affirmed)),
    lost: ![...one.particulars].every(isIn(other.particulars)),
    added: ![...other.particulars].every(isIn(one.particulars)),
  }
}

/** Without one, no text contradicts another: a quick test before a slow one. */
export function hasNegation(text: string): boolean {
  return text
    .toLowerCase()
    .split(/[^\p{L}'’ʼ]+/u)
    .some((word) => negations.has(word.replace(/[’ʼ]/g, "'")))
}

const negations = new Set(
  "not never no don't doesn't didn't isn't aren't cannot can't won't without avoid instead rather nicht kein keine keinen nie niemals statt ohne nunca jamás sin evita pas jamais sans évite não sem".split(
    " ",
  ),
)
/** "instead of the", "rather than to use", "never run" */
const betweens = new Set([
  ...fillers,
  "than",
  "ever",
  "call",
  "calling",
  "running",
  "zu",
  "de",
  "del",
  "la",
  "el",
  "le",
  "les",
  "um",
  "uma",
])

type Sense = { affirmed: Set<string>; denied: Set<string>; particulars: Set<string> }

function readSense(text: string): Sense {
  const sense: Sense = { affirmed: new Set(), denied: new Set(), particulars: new Set() }
  let isDenied = false
  for (const [token] of text
    .normalize("NFKC")
    .replace(/[’ʼ]/g, "'")
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}+#@_./:='-]+|[,;()—]/gu)) {
    const word = token.replace(/^[',;()—./:=-]+|['./:=-]+$/g, "")
    if (word === "")
      isDenied = false // a new clause
    else if (negations.has(word)) isDenied = true
    else if (!betweens.has(word)) {
      if (/[\d@_./:=#+-]/.test(word)) sense.particulars.add(word)
      sense[isDenied ? "denied" : "affirmed"].add(word)
      isDenied = false
    }
  }
  for (const word of sense.affirmed) sense.denied.delete(word)
  return sense
}
