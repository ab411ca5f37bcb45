import type { Entry } from "../entry.ts"
import { dateOf, instantOf, isCalendarDate, parseTimestamp, secondOfDay, type Timestamp } from "../timestamp.ts"

/** A date as people write it; `month` means its first day. */
export type WrittenDate = { start: number; end: number } & (
  | { kind: "time"; timestamp: Timestamp; zoneUnknown?: true }
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
  /(?<![\d-])(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:(?:T(?<hour>\d{2})[:-]?(?<minute>\d{2})(?:[:-]?(?<second>\d{2})(?:[.,]\d{1,9})?)?|,? {1,2}(?<hour2>\d{2}):(?<minute2>\d{2})(?::(?<second2>\d{2}))?)(?: ?(?<zone>[Zz]\b|[+-]\d{2}:?\d{2}|\(?(?:UTC|GMT|[A-Z]{1,4}T)\b\)?))?(?!\d))?(?:\/(?:\d{2}-)?\d{1,2}(?!\d))?(?!\d)/g

/** 20260214T143215Z, as file names have it; without a time eight digits may be any number. */
const compactDate =
  /(?<![\d-])(?<year>20\d{2})(?<month>\d{2})(?<day>\d{2})T(?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})?(?<zone>Z)?(?!\d)/g

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

/** All dates in a text, in order. Impossible ones are skipped; a range counts as its first date. */
export function findDates(text: string): WrittenDate[] {
  if (!/\d{4}/.test(text)) return [] // every form has a year
  const dates = /\d{8}T\d/.test(text)
    ? [...datesBy(isoDate, text), ...datesBy(compactDate, text)]
    : datesBy(isoDate, text)
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
    const time = readTime(date, groups)
    return time ? { start, end, kind: "time", ...time } : { start, end, kind: "day", date }
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

/** Zone names that mean the same everywhere; those with two meanings (CST, IST, BST) are left for review. */
const zones: Record<string, string> = {
  UTC: "Z",
  GMT: "Z",
  WET: "Europe/Lisbon",
  CET: "Europe/Berlin",
  CEST: "+02:00",
  EET: "Europe/Helsinki",
  EEST: "+03:00",
  PT: "America/Los_Angeles",
  PST: "-08:00",
  PDT: "-07:00",
  MT: "America/Denver",
  MDT: "-06:00",
  CT: "America/Chicago",
  CDT: "-05:00",
  ET: "America/New_York",
  EST: "-05:00",
  EDT: "-04:00",
  JST: "+09:00",
  AEST: "+10:00",
  AEDT: "+11:00",
}

/** A time without a zone is UTC; so is one in an unknown zone, which is reported. */
function readTime(date: string, groups: Groups): { timestamp: Timestamp; zoneUnknown?: true } | undefined {
  const hour = groups.hour ?? groups.hour2
  if (hour === undefined) return undefined
  const minute = groups.minute ?? groups.minute2
  const second = groups.second ?? groups.second2 ?? "00"
  const name = (groups.zone ?? "Z").replace(/[()]/g, "")
  const isOffset = /^[Zz]$|^[+-]/.test(name)
  const zone = isOffset ? name : zones[name]
  const offset = zone?.includes("/") ? offsetOf(zone, `${date}T${hour}:${minute}:${second}Z`) : zone
  const timestamp = parseTimestamp(`${date}T${hour}:${minute}:${second}${offset ?? "Z"}`)
  if (!timestamp) return undefined
  return offset === undefined ? { timestamp, zoneUnknown: true } : { timestamp }
}

/** The offset of a zone on that day: `-07:00` for Los Angeles in summer. */
function offsetOf(timeZone: string, instant: string): string | undefined {
  if (Number.isNaN(Date.parse(instant))) return undefined
  const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }).formatToParts(new Date(instant))
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? ""
  return name === "GMT" ? "Z" : name.replace("GMT", "")
}

function monthNumber(word: string): string {
  const index = monthNames.findIndex((name) => name.startsWith(word.toLowerCase().replace(".", "").slice(0, 3)))
  return String(index + 1).padStart(2, "0")
}

/**
 * Assigns entries that have only a day a second of it, in chronological order, so that no two share a timestamp. Seconds that other
 * entries of the day already have are skipped. Changes the entries in place.
 */
export function assignMissingTimes(items: readonly { entry: Entry; timeStated: boolean }[]): void {
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

/** The parts of a session log's name: `2026-06-02T21-15-30Z-topic.md`. */
export type LogName = { timestamp: Timestamp; topic: string }

const compact = /^(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?Z?)?(?=$|[-_. ])/

/** Reads the time and the topic from a log's name, in any of the spellings in use; undefined if it does not begin with a date. */
export function parseLogName(fileName: string): LogName | undefined {
  const name = fileName
    .replace(/\.[A-Za-z]{1,5}$/, "")
    .replace(compact, (_, year, month, day, hour, minute, second) => {
      const time = hour === undefined ? "" : `T${hour}:${minute}:${second ?? "00"}Z`
      return `${year}-${month}-${day}${time}`
    })
  const date = findDates(name)[0]
  if (date?.start !== 0 || date.kind === "month") return undefined
  const timestamp = date.kind === "time" ? date.timestamp : secondOfDay(date.date, 0)
  if (Number.isNaN(instantOf(timestamp))) return undefined
  return { timestamp, topic: name.slice(date.end).replace(/^[-_. ]+/, "") }
}
