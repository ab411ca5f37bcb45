import { instantOf, parseTimestamp } from "../timestamp.ts"

/** Milliseconds since 1970 of a time as session files write it, ISO 8601 with `Z` or an offset; undefined for anything else. */
export function instantOfMoment(text: string): number | undefined {
  if (asWritten.test(text)) {
    const exact = Date.parse(text)
    if (new Date(exact).getUTCDate() === Number(text.slice(8, 10))) return exact // a day that does not exist rolls over
  }
  const timestamp = parseTimestamp(text) // to the second; the fraction is added
  if (timestamp === undefined) return undefined
  const [, fraction = "0"] = /[.,](\d{1,3})/.exec(text) ?? []
  return instantOf(timestamp) + Number(fraction.padEnd(3, "0"))
}

/** How Drey writes a time. Reading it this way takes a tenth of the time, and prompts look at the time of every entry. */
const asWritten = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
