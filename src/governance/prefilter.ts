/** What one pass over a text shows: which words occur in it, which kinds of characters, and its longest run without a gap. */
export type Glance = { has: (word: string) => boolean; kinds: number; longestRun: number }

/** Kinds of characters that say what else is worth trying; a bit each. */
export const kind = { percent: 1, backslash: 2, ampersand: 4, quote: 8, lineFeed: 16, control: 32, nonAscii: 64 } as const

/**
 * Looks for any number of words in one pass, in any case (Aho-Corasick). Most texts contain no word of any rule, so that
 * no pattern has to be tried on them. Words beyond ASCII are looked up only in texts that have such characters.
 */
export function makePrefilter(words: readonly string[]): (text: string) => Glance {
  const { next, statesOf, states } = automaton([...new Set(words.filter((word) => isAscii.test(word)))])
  return (text) => {
    const seen = new Uint8Array(states)
    let state = 0
    let kinds = 0
    let run = 0
    let longestRun = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code > 127) {
        kinds |= kind.nonAscii
        state = 0
        run = 0
        continue
      }
      const kindHere = kindOf[code] as number
      if (kindHere === inRun) {
        if (++run > longestRun) longestRun = run
      } else {
        kinds |= kindHere
        run = 0
      }
      state = next[(state << 7) | code] as number
      seen[state] = 1
    }
    const has = (word: string) =>
      statesOf.get(word)?.some((each) => seen[each] === 1) ??
      ((kinds & kind.nonAscii) !== 0 && !isAscii.test(word) && text.includes(word))
    return { has, kinds, longestRun }
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const isAscii = /^[\0-\x7f]*$/

/** Characters that tokens are made of. */
const inRun = 128

const kindOf = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (character === "\n") return kind.lineFeed
  if (character === "\t" || character === "\r") return 0
  if (code < 32 || code === 127) return kind.control
  if (character === "%") return kind.percent
  if (character === "\\") return kind.backslash
  if (character === "&") return kind.ampersand
  if (/["'`]/.test(character)) return kind.quote
  return /[A-Za-z0-9+/=_.~-]/.test(character) ? inRun : 0
})

type Automaton = { next: Uint16Array; states: number; statesOf: Map<string, number[]> }

/** For each state and character the next state; and the states in which a word ends. Upper case goes where lower case goes. */
function automaton(words: readonly string[]): Automaton {
  const children: Map<number, number>[] = [new Map()]
  const ends: string[][] = [[]]
  for (const word of words) {
    let state = 0
    for (const character of word.toLowerCase()) {
      const code = character.charCodeAt(0)
      const known = children[state]?.get(code)
      if (known === undefined) {
        children[state]?.set(code, children.length)
        children.push(new Map())
        ends.push([])
      }
      state = known ?? children.length - 1
    }
    ends[state]?.push(word)
  }
  const next = new Uint16Array(children.length << 7)
  const fallback = new Uint16Array(children.length)
  const queue = [0]
  for (const state of queue) {
    for (let code = 0; code < 128; code++) {
      const lower = code >= 65 && code <= 90 ? code + 32 : code
      const child = children[state]?.get(lower)
      const without = state === 0 ? 0 : (next[((fallback[state] ?? 0) << 7) | code] ?? 0)
      next[(state << 7) | code] = child ?? without
      if (child === undefined || code !== lower) continue
      fallback[child] = without
      ends[child]?.push(...(ends[without] ?? []))
      queue.push(child)
    }
  }
  const statesOf = new Map<string, number[]>()
  for (const [state, list] of ends.entries())
    for (const word of list) statesOf.set(word, [...(statesOf.get(word) ?? []), state])
  return { next, states: children.length, statesOf }
}
