/**
 * What the tokeniser made of a run of characters before: a text repeats its words, and looking up costs far less than taking apart.
 * A table of our own, by two hashes that are made while the run is read: for a Map, each run would have to be cut out and hashed once more.
 */
export type KnownChunks = {
  get(one: number, other: number): readonly string[] | undefined
  set(one: number, other: number, tokens: readonly string[]): void
}

const fewestPlaces = 1 << 12
const mostPlaces = 1 << 19

export function knownChunks(): KnownChunks {
  let firsts = new Int32Array(fewestPlaces)
  let seconds = new Int32Array(fewestPlaces)
  let lists: (readonly string[] | undefined)[] = new Array(fewestPlaces).fill(undefined)
  let count = 0

  const empty = (places: number) => {
    firsts = new Int32Array(places)
    seconds = new Int32Array(places)
    lists = new Array(places).fill(undefined)
    count = 0
  }
  const set = (one: number, other: number, tokens: readonly string[]) => {
    if (count * 2 >= lists.length) makeRoom()
    let place = placeOf(one, lists.length)
    while (lists[place] !== undefined) place = (place + 1) & (lists.length - 1)
    firsts[place] = one
    seconds[place] = other
    lists[place] = tokens
    count++
  }
  const makeRoom = () => {
    const old = { firsts, seconds, lists }
    empty(Math.min(lists.length * 8, mostPlaces))
    if (old.lists.length === mostPlaces) return // full: what is used often is soon known again
    old.lists.forEach((tokens, place) => {
      if (tokens) set(old.firsts[place] as number, old.seconds[place] as number, tokens)
    })
  }

  return {
    set,
    get(one, other) {
      const mask = lists.length - 1
      for (let place = placeOf(one, lists.length); ; place = (place + 1) & mask) {
        const tokens = lists[place]
        if (tokens === undefined || (firsts[place] === one && seconds[place] === other)) return tokens
      }
    },
  }
}

function placeOf(hash: number, places: number): number {
  return (hash ^ (hash >>> 15)) & (places - 1)
}
