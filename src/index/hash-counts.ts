/** Counts by a 32-bit hash, in plain arrays: a Map takes several times as long where millions of words are counted. */
export type HashCounts = {
  get(hash: number): number
  add(hash: number, amount: number): void
  /** Every hash with its count, by hash. */
  sorted(): { hashes: Int32Array; counts: Int32Array }
  clear(): void
}

/** Starts with room for half as many hashes as `size`, a power of two; it grows when that is filled. */
export function hashCounts(size: number): HashCounts {
  let hashes = new Int32Array(size)
  let counts = new Int32Array(size) // 0: the place is free, or its hash was counted down to nothing
  let taken = new Uint8Array(size)
  let used: number[] = []

  /** The place of a hash, or the free one where it belongs. */
  const placeOf = (hash: number): number => {
    const mask = hashes.length - 1
    let place = hash & mask
    while (taken[place] === 1 && hashes[place] !== hash) place = (place + 1) & mask
    return place
  }
  const add = (hash: number, amount: number): void => {
    const place = placeOf(hash)
    if (taken[place] === 0) {
      taken[place] = 1
      hashes[place] = hash
      used.push(place)
    }
    counts[place] = (counts[place] as number) + amount
    if (used.length * 2 > hashes.length) grow()
  }
  const grow = (): void => {
    const old = { hashes, counts, used }
    hashes = new Int32Array(old.hashes.length * 4)
    counts = new Int32Array(hashes.length)
    taken = new Uint8Array(hashes.length)
    used = []
    for (const place of old.used) add(old.hashes[place] as number, old.counts[place] as number)
  }

  return {
    add,
    get: (hash) => counts[placeOf(hash)] as number,
    sorted() {
      const sorted = Int32Array.from(used, (place) => hashes[place] as number).sort()
      return { hashes: sorted, counts: sorted.map((hash) => counts[placeOf(hash)] as number) }
    },
    clear() {
      for (const place of used) {
        taken[place] = 0
        counts[place] = 0
      }
      used = []
    },
  }
}
