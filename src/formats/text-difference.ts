/** The same for texts that differ in case, punctuation and white space only. */
export function normalizeText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}+#]+/gu, " ")
    .trim()
}

/** Words without meaning by themselves. */
const fillers = new Set(
  "a an and any are as at be by do does for from have in is it its of on or run so that the their then this to use uses using with you your".split(
    " ",
  ),
)

/** The meaningful words, once each. */
export function significantWords(text: string): Set<string> {
  return new Set(
    normalizeText(text)
      .split(" ")
      .filter((word) => word !== "" && !fillers.has(word)),
  )
}

/** How many of their words two texts share: 1 for the same words, 0 for none in common. */
export function overlapOf(one: string, other: string): number {
  const [words, others] = [significantWords(one), significantWords(other)]
  if (words.size === 0 || others.size === 0) return 0
  let shared = 0
  for (const word of words) shared += Number(others.has(word))
  return shared / Math.sqrt(words.size * others.size)
}

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

/**
 * Whether a text that is said to come from a statement turns it around: it affirms what that denies, or denies what it
 * affirms and affirms nothing of it. "Use pnpm, not npm" does not turn "use pnpm, npm breaks the lockfile" around.
 */
export function turnsAround(statement: string, text: string): boolean {
  const [one, other] = [readSense(statement), readSense(text)]
  if ([...one.denied].some((word) => other.affirmed.has(word))) return true
  return (
    [...other.denied].some((word) => one.affirmed.has(word)) &&
    ![...other.affirmed].some((word) => one.affirmed.has(word))
  )
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
