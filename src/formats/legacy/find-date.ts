import { isCalendarDate, parseTimestamp, type Timestamp } from "../timestamp.ts"

/** A date as people write it; `month` stands for its first day. */
export type WrittenDate = { start: number; end: number } & (
  | { kind: "time"; timestamp: Timestamp }
  | { kind: "day"; date: string }
  | { kind: "month"; date: string }
)

const monthNames = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
]
const monthWord =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?"

/** 2026-02-14, with a time in any of the spellings seen: T14:32:15Z, T01-09-49Z, T123739Z, T10-18, " 14:32 UTC". */
const isoDate =
  /(?<![\d-])(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:(?:T(?<hour>\d{2})[:-]?(?<minute>\d{2})(?:[:-]?(?<second>\d{2})(?:[.,]\d{1,9})?)?|,? {1,2}(?<hour2>\d{2}):(?<minute2>\d{2})(?::(?<second2>\d{2}))?)(?: ?(?<zone>[Zz]|UTC|[+-]\d{2}:?\d{2}))?(?!\d))?(?:\/(?:\d{2}-)?\d{1,2}(?!\d))?(?!\d)/g

/** The rarer spellings: `March 3, 2026`, `3 March 2026`, `March 2026`, `2026-03`. */
const wordyDate = new RegExp(
  [
    `\\b(?<monthFirst>${monthWord}) (?<dayAfter>\\d{1,2})(?:st|nd|rd|th)?,? (?<yearAfter>\\d{4})\\b`,
    `\\b(?<dayBefore>\\d{1,2})(?:st|nd|rd|th)? (?<monthSecond>${monthWord})[ ,]{1,2}(?<yearLast>\\d{4})\\b`,
    `\\b(?<monthOnly>${monthWord}) (?<yearOnly>\\d{4})\\b`,
    "(?<![\\d-])(?<yearDash>20\\d{2})-(?<monthDash>\\d{2})(?![\\d-])",
  ].join("|"),
  "gi",
)
const mayBeWordy = /[a-z]\.? \d|\d[ ,]+[a-z]|20\d\d-\d\d(?![\d-])/i

/** All dates in a text, in order. Impossible ones are passed over; a range counts as its first date. */
export function findDates(text: string): WrittenDate[] {
  if (!/\d{4}/.test(text)) return [] // every form has a year
  const dates = datesBy(isoDate, text)
  if (!mayBeWordy.test(text)) return dates
  const others = datesBy(wordyDate, text).filter(
    (date) => !dates.some(({ start, end }) => date.start < end && date.end > start),
  )
  return others.length === 0 ? dates : [...dates, ...others].sort((one, other) => one.start - other.start)
}

function datesBy(pattern: RegExp, text: string): WrittenDate[] {
  const dates: WrittenDate[] = []
  for (const match of text.matchAll(pattern)) {
    const date = toWrittenDate(match.groups ?? {}, match.index, match.index + match[0].length)
    if (date) dates.push(date)
  }
  return dates
}

/** The calendar day a written date falls on. */
export function dayOf(date: WrittenDate): string {
  return date.kind === "time" ? date.timestamp.slice(0, 10) : date.date
}

type Groups = Record<string, string | undefined>

function toWrittenDate(groups: Groups, start: number, end: number): WrittenDate | undefined {
  if (groups.year) {
    const date = `${groups.year}-${groups.month}-${groups.day}`
    if (!isCalendarDate(date)) return undefined
    const timestamp = readTime(date, groups)
    return timestamp ? { start, end, kind: "time", timestamp } : { start, end, kind: "day", date }
  }
  if (groups.monthOnly) return monthDate(groups.yearOnly, monthNumber(groups.monthOnly), start, end)
  if (groups.yearDash) return monthDate(groups.yearDash, groups.monthDash ?? "", start, end)
  const year = groups.yearAfter ?? groups.yearLast
  const month = monthNumber(groups.monthFirst ?? groups.monthSecond ?? "")
  const date = `${year}-${month}-${(groups.dayAfter ?? groups.dayBefore ?? "").padStart(2, "0")}`
  return isCalendarDate(date) ? { start, end, kind: "day", date } : undefined
}

function monthDate(year: string | undefined, month: string, start: number, end: number): WrittenDate | undefined {
  const date = `${year}-${month}-01`
  return isCalendarDate(date) ? { start, end, kind: "month", date } : undefined
}

/** A time without a zone is UTC. */
function readTime(date: string, groups: Groups): Timestamp | undefined {
  const hour = groups.hour ?? groups.hour2
  if (hour === undefined) return undefined
  const minute = groups.minute ?? groups.minute2
  const second = groups.second ?? groups.second2 ?? "00"
  const zone = groups.zone === undefined || groups.zone.toUpperCase() === "UTC" ? "Z" : groups.zone
  return parseTimestamp(`${date}T${hour}:${minute}:${second}${zone}`)
}

function monthNumber(word: string): string {
  const index = monthNames.findIndex((name) => name.startsWith(word.toLowerCase().replace(".", "").slice(0, 3)))
  return String(index + 1).padStart(2, "0")
}
