/** The same numbers in [0, 1) for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** At most `count` of the items in their order, the same ones for the same seed. */
export function sample<Item>(items: Item[], count: number, seed = 1): Item[] {
  if (items.length <= count) return items
  const random = seededRandom(seed)
  const drawn = items.map((item, index) => ({ item, index, key: random() }))
  const kept = drawn.sort((a, b) => a.key - b.key).slice(0, count)
  return kept.sort((a, b) => a.index - b.index).map(({ item }) => item)
}

export function shuffle<Item>(items: Item[], seed: number): Item[] {
  const random = seededRandom(seed)
  const keyed = items.map((item) => ({ item, key: random() }))
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item)
}
