import { DreyError } from "../errors.ts"
import { instantOf, isCalendarDate, parseDuration, parseTimestamp, type Timestamp } from "../formats/timestamp.ts"

/** Parses an option's whole number. */
export function parseCount(text: string, what: string, least: number, most: number): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= least && number <= most) return number
  throw new DreyError(`"${text}" is not ${/^an? /.test(what) ? what : `a number of ${what}`}`, {
    hint: `Write a whole number from ${least} to ${most}.`,
  })
}

/** Parses the start of a time range: a duration ago, a date or a time. */
export function parseSince(text: string): Date {
  const span = parseDuration(text)
  if (span !== undefined) return new Date(Date.now() - span)
  const moment = parseTimestamp(text) ?? (isCalendarDate(text) ? text : undefined)
  if (moment !== undefined) return new Date(moment)
  throw new DreyError(`"${text}" is not a time`, { hint: "Write 24h, 7d, 2w, 3m, 2026-02-15 or 2026-02-15T14:32:15Z." })
}

/** Parses a date or time. A date without a time means the end of that day (UTC). */
export function parseMoment(text: string): number {
  return instantOf(parseMomentTimestamp(text))
}

export function parseMomentTimestamp(text: string): Timestamp {
  const timestamp = parseTimestamp(text) ?? (isCalendarDate(text) ? parseTimestamp(`${text}T23:59:59Z`) : undefined)
  if (timestamp) return timestamp
  throw new DreyError(`"${text}" is not a date`, { hint: "Write it as 2026-02-15 or 2026-02-15T14:32:15Z." })
}
