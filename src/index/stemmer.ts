/**
 * The stem of a lower-case English word: Porter's algorithm, so that "decided", "deciding" and "decides" are one word.
 */
export function stem(word: string): string {
  if (word.length < 3) return word
  // A leading y is a consonant; as a capital it stays out of every vowel class below.
  const leadingY = word.startsWith("y")
  let stemmed = leadingY ? `Y${word.slice(1)}` : word
  stemmed = dropPlural(stemmed)
  stemmed = dropPastAndGerund(stemmed)
  stemmed = stemmed.replace(/y$/, (y, at: number) => (hasVowel.test(stemmed.slice(0, at)) ? "i" : y))
  stemmed = replaceSuffix(stemmed, doubleSuffix, doubleSuffixes)
  stemmed = replaceSuffix(stemmed, singleSuffix, singleSuffixes)
  stemmed = dropLastSuffix(stemmed)
  stemmed = dropFinalE(stemmed)
  return leadingY ? `y${stemmed.slice(1)}` : stemmed
}

const consonants = "[^aeiou][^aeiouy]*"
const vowels = "[aeiouy][aeiou]*"
/** Porter's measure m counts vowel-consonant sequences; these test m > 0, m = 1 and m > 1. */
const someMeasure = new RegExp(`^(?:${consonants})?${vowels}${consonants}`)
const oneMeasure = new RegExp(`^(?:${consonants})?${vowels}${consonants}(?:${vowels})?$`)
const moreMeasure = new RegExp(`^(?:${consonants})?${vowels}${consonants}${vowels}${consonants}`)
const hasVowel = new RegExp(`^(?:${consonants})?[aeiouy]`)
const shortEnd = new RegExp(`^${consonants}[aeiouy][^aeiouwxy]$`)

function dropPlural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2)
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word
}

function dropPastAndGerund(word: string): string {
  if (word.endsWith("eed")) return someMeasure.test(word.slice(0, -3)) ? word.slice(0, -1) : word
  const base = /^(.+?)(?:ed|ing)$/.exec(word)?.[1]
  if (base === undefined || !hasVowel.test(base)) return word
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`
  if (/([^aeiouylsz])\1$/.test(base)) return base.slice(0, -1)
  return shortEnd.test(base) ? `${base}e` : base
}

const doubleSuffix =
  /^(.+?)(ational|tional|enci|anci|izer|bli|alli|entli|eli|ousli|ization|ation|ator|alism|iveness|fulness|ousness|aliti|iviti|biliti|logi)$/
const doubleSuffixes: Record<string, string> = {
  ational: "ate",
  tional: "tion",
  enci: "ence",
  anci: "ance",
  izer: "ize",
  bli: "ble",
  alli: "al",
  entli: "ent",
  eli: "e",
  ousli: "ous",
  ization: "ize",
  ation: "ate",
  ator: "ate",
  alism: "al",
  iveness: "ive",
  fulness: "ful",
  ousness: "ous",
  aliti: "al",
  iviti: "ive",
  biliti: "ble",
  logi: "log",
}
const singleSuffix = /^(.+?)(icate|ative|alize|iciti|ical|ful|ness)$/
const singleSuffixes: Record<string, string> = {
  icate: "ic",
  ative: "",
  alize: "al",
  iciti: "ic",
  ical: "ic",
  ful: "",
  ness: "",
}

function replaceSuffix(word: string, suffix: RegExp, replacements: Record<string, string>): string {
  const [, base = "", found = ""] = suffix.exec(word) ?? []
  return found !== "" && someMeasure.test(base) ? base + replacements[found] : word
}

function dropLastSuffix(word: string): string {
  const base =
    /^(.+?)(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$/.exec(word)?.[1] ??
    /^(.+?[st])ion$/.exec(word)?.[1]
  return base !== undefined && moreMeasure.test(base) ? base : word
}

function dropFinalE(word: string): string {
  let result = word
  const base = /^(.+?)e$/.exec(word)?.[1]
  if (base !== undefined && (moreMeasure.test(base) || (oneMeasure.test(base) && !shortEnd.test(base)))) result = base
  return result.endsWith("ll") && moreMeasure.test(result) ? result.slice(0, -1) : result
}
