import { instantOf, parseTimestamp } from "../../../src/formats/timestamp.ts"
import { valuesInQuery, withoutKey } from "../query-field/edit-query.ts"

/** From one moment up to another, the second not in it, in milliseconds; an end that is missing is open. */
export type Span = { from: number | null; to: number | null }

export const day = 86_400_000

/** The span that a query asks for by `after:` and `before:`; null when it asks for none. */
export function spanInQuery(query: string): Span | null {
  const after = momentsIn(query, "after")
  const before = momentsIn(query, "before")
  if (after.length === 0 && before.length === 0) return null
  return {
    from: after.length === 0 ? null : Math.max(...after),
    to: before.length === 0 ? null : Math.min(...before),
  }
}

/** The query asking for this span instead of any other; null takes it away. */
export function withSpan(query: string, span: Span | null): string {
  const rest = withoutKey(withoutKey(query, "after"), "before")
  if (!span) return rest
  const { from, to } = inWholeDays(span)
  return [rest, from === null ? "" : `after:${spell(from)}`, to === null ? "" : `before:${spell(to)}`]
    .filter((part) => part !== "")
    .join(" ")
}

/** "1 Feb 2026 to 20 Mar 2026", the last day being in it. */
export function describeSpan({ from, to }: Span): string {
  if (from !== null && to !== null) {
    const [first, last] = [describeStart(from), describeEnd(to)]
    return first === last ? first : `${first} to ${last}`
  }
  if (from !== null) return `since ${describeStart(from)}`
  return to === null ? "all time" : `until ${describeEnd(to)}`
}

function momentsIn(query: string, key: "after" | "before"): number[] {
  return valuesInQuery(query, key)
    .map((value) => instantOf(parseTimestamp(value) ?? value))
    .filter((moment) => !Number.isNaN(moment))
}

/** For long spans minutes are left out. */
function inWholeDays({ from, to }: Span): Span {
  if (from !== null && to !== null && to - from < 3 * day) return { from, to }
  return {
    from: from === null ? null : Math.floor(from / day) * day,
    to: to === null ? null : Math.ceil(to / day) * day,
  }
}

function spell(moment: number): string {
  const text = new Date(moment).toISOString()
  return moment % day === 0 ? text.slice(0, 10) : `${text.slice(0, 19)}Z`
}

function describeStart(moment: number): string {
  return (moment % day === 0 ? date : dateAndTime).format(moment)
}

function describeEnd(moment: number): string {
  return moment % day === 0 ? date.format(moment - day) : dateAndTime.format(moment)
}

// days begin where a query's days begin
const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
const dateAndTime = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
})
