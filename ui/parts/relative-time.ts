const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** "3 hours ago", "in 2 days"; the date itself once it is more than a month away. */
export function relativeTime(at: number, now: number): string {
  const away = Math.abs(now - at)
  if (away < minute) return "just now"
  if (away < hour) return words.format(Math.round((at - now) / minute), "minute")
  if (away < day) return words.format(Math.round((at - now) / hour), "hour")
  if (away < 30 * day) return words.format(Math.round((at - now) / day), "day")
  return date.format(at)
}

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" })
const date = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" })
