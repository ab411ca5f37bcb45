/** Whether a value only holds the place of a secret: `<your key>`, `${TOKEN}`, `process.env.X`, `xxxx`, `***`. */
export function isPlaceholder(value: string): boolean {
  return placeholder.test(value) || isOneCharacterRepeated(value) || isCounted(value)
}

/** Whether a placeholder comes shortly before: "[secret: access token]" names a token, but not the value that follows. */
export function isBehindMark(before: string): boolean {
  return /\[secret: [a-z -]{3,40}\][^\n]{0,60}$/.test(before)
}

const placeholder = new RegExp(
  [
    "^<|^\\$[A-Za-z_({]|^%[A-Za-z_]+%|^\\{|^\\[|\\$\\{|\\{\\{|\\$\\(", // <key>, $KEY, %KEY%, {key}, [key], ${KEY}, {{ key }}, $(pass)
    "\\*{3}|\\.{3}|…|x{5}|#{4}|_{4}",
    "example|placeholder|redacted|change[-_]?me|change[-_]?it|to[-_]?be[-_]?(?:set|filled)|not[-_]?set",
    "(?<![a-z0-9])(?:your|insert|replace|enter|put|my)[-_ ]?(?:own[-_ ]?)?(?:real|actual|api|app|client|secret|token|key|password|value|access|bot|auth)",
    "(?<![a-z0-9])your[-_]|[-_]here$",
    "process\\.env|import\\.meta|os\\.environ|getenv|secrets\\.|vars\\.|env\\.|^env:",
  ].join("|"),
  "i",
)

/** `ghp_aaaaaaaaaaaa`: one character makes up most of the value. */
function isOneCharacterRepeated(value: string): boolean {
  const last = value.at(-1) ?? ""
  return value.length >= 6 && value.split(last).length - 1 >= value.length * 0.6
}

/** `sk-1234567890abcdef…`, `abcdefghijklmnop`: what people type when they need an example of a token. */
function isCounted(value: string): boolean {
  const lower = value.toLowerCase()
  let counted = 0
  for (let at = 1; at < lower.length; at++) {
    const step = lower.charCodeAt(at) - lower.charCodeAt(at - 1)
    if (step === 1 || (lower[at - 1] === "9" && /[0a]/.test(lower[at] ?? ""))) counted++
  }
  return value.length >= 16 && value.length <= 32 && counted >= value.length * 0.6 // a whole token is taken for one
}

/** Whether a value looks made by a machine: mixed characters and no words to read. */
export function isRandom(value: string): boolean {
  const leastEntropy = /\d/.test(value) ? 3 : 3.5
  return !isPlaceholder(value) && entropyOf(value) >= leastEntropy && !isReadable(value)
}

/** Whether a value can hardly be anything but a key: both cases and digits without words in it, or a long hexadecimal number. */
export function isKeyLike(value: string): boolean {
  if (!isRandom(value)) return false
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value)
  if (!/\d/.test(value)) return isMixed && value.length >= 24 && changesOfCase(value) >= 6 && !hasWords(value)
  return isMixed ? entropyOf(value) >= 3.5 && !hasWords(value) : /[a-z]/i.test(value) && longestHex(value) >= 32
}

function changesOfCase(value: string): number {
  return (value.match(/[a-z](?=[A-Z])/g) ?? []).length
}

function longestHex(value: string): number {
  return Math.max(0, ...(value.match(/[0-9a-f]+|[0-9A-F]+/g) ?? []).map(({ length }) => length))
}

/** Names in code change case too, but at the borders of words. */
function hasWords(value: string): boolean {
  const words = value.match(/[A-Z]?[a-z]{3,}|[A-Z]{4,}/g) ?? []
  return lengthOf(words.filter(isPronounceable)) >= value.length * 0.6
}

/** Vowels, and no heap of consonants. */
function isPronounceable(word: string): boolean {
  return (
    /[aeiouy]/i.test(word) &&
    !/[^aeiouy]{5}/i.test(word) &&
    (word.length < 6 || (word.match(/[aeiouy]/gi) ?? []).length >= word.length / 5)
  )
}

/**
 * Whether a value consists of words, like `sk-learn-pipeline-v2` and `AuthenticationScheme2`; random letters change case and kind too
 * often.
 */
export function isReadable(value: string): boolean {
  const parts = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []
  const words = parts.filter((part) => part.length >= 3 && isPronounceable(part))
  return lengthOf(parts) >= parts.length * 4 && lengthOf(words) >= value.length * 0.7
}

function lengthOf(parts: string[]): number {
  return parts.reduce((length, part) => length + part.length, 0)
}

/** Shannon entropy in bits per character. */
export function entropyOf(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
