import { findDates } from "./legacy/find-date.ts"
import { instantOf, secondOfDay, type Timestamp } from "./timestamp.ts"

/** What the name of a session log says: `2026-06-02T21-15-30Z-topic.md`. */
export type LogName = { timestamp: Timestamp; topic: string }

const compact = /^(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?Z?)?(?=$|[-_. ])/

/** Reads the time and the topic out of a log's name, in any of the spellings in use; undefined when it begins with no date. */
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
