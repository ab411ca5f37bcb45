/** The result of one pass over a text. */
export type PrefilterMatch = {
  /** The lists of words of which the text has one or more, by number. */
  lists: number[]
  /** Behind the words of a list, in the order of the text; of those within 64 characters only the first is sure to be there. */
  placesOf: (list: number) => number[]
  kinds: number
  /** Runs of 24 or more token characters: start and end, alternating. */
  runs: number[]
}

/** Kinds of characters that decide which other rules are worth trying; one bit each. */
export const kind = {
  percent: 1,
  backslash: 2,
  ampersand: 4,
  quote: 8,
  lineFeed: 16,
  masked: 32,
  letters: 64, // beyond ASCII: accented ones, and those of Chinese and Japanese
  spaced: 256,
} as const

const shortestRun = 24

/**
 * Looks for any number of words, of three characters or more and in any case, in one pass: by the three characters of each that
 * are rarest in a text. Most texts contain no word of any list, so that nothing else has to be tried on them. Words beyond ASCII are looked up only in
 * texts that have such characters.
 */
export function makePrefilter(lists: readonly (readonly string[])[]): (text: string) => PrefilterMatch {
  const numbers = new Map<string, Set<number>>()
  for (const [nth, list] of lists.entries())
    for (const word of list.map((each) => each.toLowerCase()))
      numbers.set(word, (numbers.get(word) ?? new Set()).add(nth))
  const words = [...numbers.keys()]
  const listsOf = [...numbers.values()].map((each) => [...each])
  const { slotOf, slots } = packed(words)
  const beyondAscii = [...words.entries()].filter(([, word]) => !isAscii.test(word))

  return (text) => {
    const { hits, kinds, runs } = scan(text, words, slotOf, slots)
    if ((kinds & kind.letters) !== 0)
      for (const [nth, word] of beyondAscii)
        for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) hits.push(nth, at + word.length)
    const places = new Map<number, number[]>() // of each list
    for (let at = 0; at < hits.length; at += 2)
      for (const list of listsOf[hits[at] as number] as number[]) {
        const known = places.get(list)
        if (known) known.push(hits[at + 1] as number)
        else places.set(list, [hits[at + 1] as number])
      }
    const placesOf = (list: number) => (places.get(list) ?? []).sort((one, other) => one - other)
    return { lists: [...places.keys()].sort((one, other) => one - other), placesOf, kinds, runs }
  }
}

type Scan = { hits: number[]; kinds: number; runs: number[] }

/** The one loop over every character. Nothing in it is shared with a closure, which would make it five times slower. */
function scan(text: string, words: readonly string[], slotOf: Uint16Array, slots: readonly number[][]): Scan {
  const hits: number[] = []
  const runs: number[] = []
  const length = text.length
  let start = 0
  let kinds = 0
  let runStart = 0
  let singles = 0 // characters with a gap on either side, in a row
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code < 128) {
      start = ((start << 5) | (classOf[code] as number)) & 0x7fff // 15 bits: the table stays in the cache
      const slot = slotOf[start] as number
      if (slot !== 0) matchWords(text, at, slots[slot] as number[], words, hits)
      const kindHere = kindOf[code] as number
      if (kindHere === inRun) continue
      kinds |= kindHere
    } else {
      if (isMasked(text, at, code)) kinds |= kind.masked
      else if (code < 0x250 || (code >= 0x3040 && code < 0xa000)) kinds |= kind.letters
      start = 0
    }
    if (at - runStart >= shortestRun) runs.push(runStart, at)
    singles = at - runStart === 1 ? singles + 1 : 0
    if (singles > 14) kinds |= kind.spaced
    runStart = at + 1
  }
  if (length - runStart >= shortestRun) runs.push(runStart, length)
  return { hits, kinds, runs }
}

/** `candidates` are words and where in them the three characters end that were found at `at`, in turn. */
function matchWords(
  text: string,
  at: number,
  candidates: readonly number[],
  words: readonly string[],
  hits: number[],
): void {
  for (let each = 0; each < candidates.length; each += 2) {
    const word = words[candidates[each] as number] as string
    const from = at - (candidates[each + 1] as number)
    if (from < 0) continue
    let length = 0
    while (length < word.length && lowerAt(text, from + length) === word.charCodeAt(length)) length++
    if (length === word.length && !isRepeated(hits, candidates[each] as number, from + length))
      hits.push(candidates[each] as number, from + length)
  }
}

/** Whether a word was found just before: of a word that is repeated many times, a few positions are enough. */
function isRepeated(hits: readonly number[], word: number, place: number): boolean {
  for (let at = hits.length - 2; at >= 0 && at > hits.length - 16; at -= 2)
    if (hits[at] === word) return place - (hits[at + 1] as number) < 64
  return false
}

function lowerAt(text: string, at: number): number {
  const code = at < text.length ? text.charCodeAt(at) : 0
  return code >= 65 && code <= 90 ? code + 32 : code
}

/** A letter in either case, a digit, or one of a few kinds of signs, in five bits. */
const classOf = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase()
  if (/[a-z]/.test(character)) return character.charCodeAt(0) - 96
  const signs = [/\d/, /[_-]/, /[.$]/, /[:/=|]/].findIndex((sign) => sign.test(character))
  return signs === -1 ? 31 : 27 + signs
})

/** Words by three of their characters, so packed that a number leads to them. */
function packed(words: readonly string[]): { slotOf: Uint16Array; slots: number[][] } {
  const slotOf = new Uint16Array(1 << 15)
  const slots: number[][] = [[]]
  for (const [nth, word] of words.entries()) {
    if (!isAscii.test(word)) continue
    if (word.length < 3) throw new Error(`A word to look for has fewer than three characters: ${word}`)
    const last = rarest(word)
    const key = [last - 2, last - 1, last].reduce(
      (bits, at) => (bits << 5) | (classOf[word.charCodeAt(at)] as number),
      0,
    )
    if (slotOf[key] === 0) slotOf[key] = slots.push([]) - 1
    slots[slotOf[key] as number]?.push(nth, last)
  }
  return { slotOf, slots }
}

/** Where the three characters of a word end that are least likely in a text. */
function rarest(word: string): number {
  const rarity = [...word].map((character) => 1 + " etaoinsrhldcumfpgwybv.kx-jqz_".indexOf(character) || 26)
  let best = 2
  const sumAt = (last: number) => (rarity[last] ?? 0) + (rarity[last - 1] ?? 0) + (rarity[last - 2] ?? 0)
  for (let last = 3; last < word.length; last++) if (sumAt(last) > sumAt(best)) best = last
  return best
}

/** Characters that are invisible, or look like an ASCII letter; those that join two emoji into one are neither. */
function isMasked(text: string, at: number, code: number): boolean {
  if (code < 0xa0 || code === 0xad) return true
  if (code < 0x2000)
    return code >= 0x370
      ? code < 0x530 || ignorable.test(text.charAt(at))
      : /[\u00aa\u00b2\u00b3\u00b9\u00ba]|\u034f/.test(text.charAt(at))
  if (code >= 0xd800 && code <= 0xdfff) return isMaskedPair(text, at, code)
  if (code === 0xfe0f || code === 0x200c || code === 0x200d) return at > 0 && text.charCodeAt(at - 1) < 0x300
  if (code < 0x2010) return code >= 0x200b
  return (
    code <= 0x2011 ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x209c) ||
    code === 0x2212 ||
    (code >= 0x2460 && code <= 0x24ff) ||
    code === 0x3164 ||
    code >= 0xfe00
  )
}

const ignorable = /\p{Default_Ignorable_Code_Point}/u

/** Letters of mathematics, letters in boxes, tags, variation selectors, and halves of pairs. */
function isMaskedPair(text: string, at: number, code: number): boolean {
  const other = text.charCodeAt(code < 0xdc00 ? at + 1 : at - 1)
  if (code >= 0xdc00) return !(other >= 0xd800 && other < 0xdc00)
  return (
    !(other >= 0xdc00 && other <= 0xdfff) ||
    code === 0xd835 ||
    code === 0xdb40 ||
    (code === 0xd83c && other >= 0xdd10 && other <= 0xdd89)
  )
}

const isAscii = /^[\0-\x7f]*$/

/** Characters that occur in tokens. */
const inRun = 128

const kindOf = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (character === "\n") return kind.lineFeed
  if (character === "\t" || character === "\r") return 0
  if (code < 32 || code === 127) return kind.masked
  if (character === "%") return kind.percent
  if (character === "\\") return kind.backslash
  if (character === "&") return kind.ampersand
  if (/["'`]/.test(character)) return kind.quote
  return /[A-Za-z0-9+/=_.~-]/.test(character) ? inRun : 0
})
