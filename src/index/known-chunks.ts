import { hashTerm } from "./hash-term.ts"

/** Tokens in their order, and `hashTerm` of each. */
export type HashedTokens = { tokens: string[]; hashes: number[] }

/**
 * Caches the tokens of character runs: texts repeat their words, and a lookup costs far less than tokenizing. A
 * hand-written table with two hashes computed while reading the run: a Map would need each run cut out and hashed
 * again.
 */
export type KnownChunks = {
  /** Adds the tokens of a run; false if it is not cached. */
  take(one: number, other: number, into: HashedTokens): boolean
  set(one: number, other: number, tokens: readonly string[]): void
}

const fewestPlaces = 1 << 12
const mostPlaces = 1 << 19

export function knownChunks(): KnownChunks {
  // Each place has the two hashes of the run, its number of tokens plus one (0 means a free place), and the hash of the
  // first token: side by side, because memory access takes the time.
  let marks = new Int32Array(fewestPlaces * 4)
  let lists: (string | HashedTokens | undefined)[] = new Array(fewestPlaces).fill(undefined) // a string if there is only one
  let count = 0

  const empty = (places: number) => {
    marks = new Int32Array(places * 4)
    lists = new Array(places).fill(undefined)
    count = 0
  }
  const put = (run: ArrayLike<number>, list: string | HashedTokens | undefined) => {
    if (count * 2 >= lists.length) makeRoom()
    let place = placeOf(run[0] as number, lists.length)
    while (marks[place * 4 + 2] !== 0) place = (place + 1) & (lists.length - 1)
    marks.set(run, place * 4)
    lists[place] = list
    count++
  }
  const makeRoom = () => {
    const old = { marks, lists }
    empty(Math.min(lists.length * 8, mostPlaces))
    if (old.lists.length === mostPlaces) return // full: frequent runs are soon cached again
    for (let place = 0; place < old.lists.length; place++) {
      const run = old.marks.subarray(place * 4, place * 4 + 4)
      if (run[2] !== 0) put(run, old.lists[place])
    }
  }

  return {
    set(one, other, tokens) {
      const hashes = tokens.map(hashTerm)
      const list = tokens.length > 1 ? { tokens: [...tokens], hashes } : tokens[0]
      put([one, other, tokens.length + 1, hashes[0] ?? 0], list)
    },
    take(one, other, into) {
      const mask = lists.length - 1
      let place = placeOf(one, lists.length)
      while (marks[place * 4] !== one || marks[place * 4 + 1] !== other) {
        if (marks[place * 4 + 2] === 0) return false
        place = (place + 1) & mask
      }
      const held = marks[place * 4 + 2] as number
      if (held === 0) return false
      if (held === 2) {
        into.tokens.push(lists[place] as string)
        into.hashes.push(marks[place * 4 + 3] as number)
      } else if (held > 2) {
        const { tokens, hashes } = lists[place] as HashedTokens
        for (let at = 0; at < tokens.length; at++) {
          into.tokens.push(tokens[at] as string)
          into.hashes.push(hashes[at] as number)
        }
      }
      return true
    },
  }
}

function placeOf(hash: number, places: number): number {
  return (hash ^ (hash >>> 15)) & (places - 1)
}
