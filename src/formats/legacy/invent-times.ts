import type { Entry } from "../entry.ts"
import { dateOf, secondOfDay } from "../timestamp.ts"

/**
 * Gives entries that know only their day a second of it, one after the other in chronological order, so that no two share
 * a timestamp. Seconds that other entries of the day already carry are passed over. Changes the entries in place.
 */
export function inventTimes(items: readonly { entry: Entry; timeStated: boolean }[]): void {
  const waiting = items.filter(({ timeStated }) => !timeStated).map(({ entry }) => entry)
  const used = new Set(items.filter(({ timeStated }) => timeStated).map(({ entry }) => entry.timestamp))
  const next = new Map<string, number>()
  if (isNewestFirst(items.map(({ entry }) => entry))) waiting.reverse()
  for (const entry of waiting) {
    const date = dateOf(entry.timestamp)
    let second = next.get(date) ?? 0
    while (used.has(secondOfDay(date, second))) second++
    next.set(date, second + 1)
    entry.timestamp = secondOfDay(date, second)
  }
}

/** The direction of a file is that of most neighbouring pairs with different dates. */
function isNewestFirst(entries: Entry[]): boolean {
  let falling = 0
  let rising = 0
  for (let index = 1; index < entries.length; index++) {
    const before = dateOf(entries[index - 1]?.timestamp ?? "")
    const after = dateOf(entries[index]?.timestamp ?? "")
    if (after < before) falling++
    else if (after > before) rising++
  }
  return falling > rising
}
