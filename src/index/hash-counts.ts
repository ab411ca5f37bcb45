/**
 * Counts by a 32-bit hash other than 0, in one plain array: a Map takes several times as long for millions of words.
 */
export type HashCounts = {
  get(hash: number): number
  add(hash: number, amount: number): void
  /** Every hash with its count, sorted by hash. */
  sorted(): { hashes: Int32Array; counts: Int32Array }
  clear(): void
}

/** Starts with room for half as many hashes as `size`, a power of two, and grows when full. */
export function hashCounts(size: number): HashCounts {
  let table = new Int32Array(size * 2) // hash and count side by side: one memory access, not two
  let used: number[] = []

  /** The index of the hash, or where it belongs. */
  const placeOf = (hash: number): number => {
    const mask = table.length - 1
    let place = (hash << 1) & mask
    while (table[place] !== hash && table[place] !== 0) place = (place + 2) & mask
    return place
  }
  const add = (hash: number, amount: number): void => {
    const place = placeOf(hash)
    if (table[place] === 0) {
      table[place] = hash
      used.push(place)
    }
    table[place + 1] = (table[place + 1] as number) + amount
    if (used.length * 4 > table.length) grow()
  }
  const grow = (): void => {
    const [old, places] = [table, used]
    table = new Int32Array(old.length * 4)
    used = []
    for (const place of places) add(old[place] as number, old[place + 1] as number)
  }

  return {
    add,
    get: (hash) => table[placeOf(hash) + 1] as number,
    sorted() {
      const hashes = new Int32Array(used.length)
      for (let at = 0; at < used.length; at++) hashes[at] = table[used[at] as number] as number
      hashes.sort()
      const counts = new Int32Array(used.length)
      for (let at = 0; at < used.length; at++) counts[at] = table[placeOf(hashes[at] as number) + 1] as number
      return { hashes, counts }
    },
    clear() {
      for (const place of used) {
        table[place] = 0
        table[place + 1] = 0
      }
      used = []
    },
  }
}
