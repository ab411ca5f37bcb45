import { hashTerm } from "./hash-term.ts"

/** Tokens in their order, and `hashTerm` of each. */
export type HashedTokens = { tokens: string[]; hashes: number[] }

/**
 * What the tokeniser made of a run of characters before: a text repeats its words, and looking up costs far less than
 * taking apart. A table of our own, by two hashes that are made while the run is read: for a Map, each run would have
 * to be cut out and hashed once more.
 */
export type KnownChunks = {
  /** Adds the tokens of a run; false when it is not known. */
  take(one: number, other: number, into: HashedTokens): boolean
  set(one: number, other: number, tokens: readonly string[]): void
}

const fewestPlaces = 1 << 12
const mostPlaces = 1 << 19

export function knownChunks(): KnownChunks {
  // Of each place the two hashes of the run, how many tokens it has and one more, so that 0 means a free place, and the
  // hash of the first:
  // side by side, because fetching from memory is what takes the time.
  let marks = new Int32Array(fewestPlaces * 4)
  let lists: (string | HashedTokens | undefined)[] = new Array(fewestPlaces).fill(undefined) // a string where there is but one
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
    if (old.lists.length === mostPlaces) return // full: what is used often is soon known again
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
