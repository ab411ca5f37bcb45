/** A point in time as an entry carries it: RFC 3339 to the second with a numeric offset, `2026-02-15T14:32:15-08:00`. */
export type Timestamp = string

const spelling = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?:(Z)|([+-])(\d{2}):?(\d{2}))$/i

/** Reads `Z`, `±hh:mm` and `±hhmm`, with or without seconds and fraction; undefined for anything impossible, never rolled over. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = spelling.exec(text.trim())
  if (!match) return undefined
  const [, year, month, day, hour, minute, second = "00", utc, sign = "+", offsetHour = "00", offsetMinute = "00"] =
    match
  if (!isCalendarDate(`${year}-${month}-${day}`)) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const offset = Number(offsetHour) * 60 + Number(offsetMinute)
  if (Number(offsetMinute) > 59 || offset > 14 * 60) return undefined
  const writtenOffset = utc || offset === 0 ? "+00:00" : `${sign}${offsetHour}:${offsetMinute}`
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${writtenOffset}`
}

/** True for `YYYY-MM-DD` that exists in the calendar: no month 13, no 30 February. */
export function isCalendarDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!match) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

/** Milliseconds since 1970, for comparing and sorting. */
export function instantOf(timestamp: Timestamp): number {
  return Date.parse(timestamp)
}

/** The spelling of an entry's Markdown: offset without a colon. */
export function toMarkdownTimestamp(timestamp: Timestamp): string {
  return timestamp.slice(0, -3) + timestamp.slice(-2)
}

/** The calendar date in the entry's own offset. */
export function dateOf(timestamp: Timestamp): string {
  return timestamp.slice(0, 10)
}

/** The calendar date of a moment, in UTC. */
export function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10)
}

/** The nth second of a day whose time of day is unknown. */
export function secondOfDay(date: string, second: number): Timestamp {
  const time = [Math.floor(second / 3600) % 24, Math.floor(second / 60) % 60, second % 60]
  return `${date}T${time.map((part) => String(part).padStart(2, "0")).join(":")}+00:00`
}

export function timestampFromDate(date: Date): Timestamp {
  return `${date.toISOString().slice(0, 19)}+00:00`
}

const day = 86_400_000
const earliest = Date.parse("2020-01-01T00:00:00Z")

/** Agents invent years: anything before 2020 or more than a day ahead of the clock deserves a second look. */
export function isPlausible(timestamp: Timestamp, now: Date): boolean {
  const instant = instantOf(timestamp)
  return instant >= earliest && instant <= now.getTime() + day
}

function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

const hour = 3_600_000
const lengthOfUnit = { h: hour, d: 24 * hour, w: 7 * 24 * hour, m: 30 * 24 * hour } as const

/** Reads `24h`, `7d`, `2w` or `3m` (a month is 30 days) as milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,6})([hdwm])$/i.exec(text.trim())
  if (!match) return undefined
  const amount = Number(match[1])
  return amount > 0 ? amount * lengthOfUnit[(match[2] ?? "").toLowerCase() as keyof typeof lengthOfUnit] : undefined
}

/** Milliseconds since 1970 of a time as written in session files, ISO 8601 with `Z` or an offset; undefined for anything else. */
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
