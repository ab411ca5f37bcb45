/** Below, at or above zero as `one` is older than, the same as or newer than `other`. No version is older than any. */
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
