/** Negative if `one` is older than `other`, 0 if equal, positive if newer. A missing version is the oldest. */
export function compareVersions(one: string | undefined, other: string | undefined): number {
  const left = numbersOf(one)
  const right = numbersOf(other)
  for (let place = 0; place < Math.max(left.length, right.length); place++) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function numbersOf(version: string | undefined): number[] {
  return [...(version ?? "").matchAll(/\d+/g)].map(Number)
}
