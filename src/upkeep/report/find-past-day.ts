const months = "january february march april may june july august september october november december".split(" ")
const month = months.map((name) => `${name}|${name.slice(0, 3)}`).join("|")
const ending =
  "(?:until|till|by|before|due|deadline(?: is)?|expires?|expiring|scheduled for|planned for|target(?:ing|ed)?(?: for)?|launch(?:es|ing)?|ships?|ends?|ending|freeze|migrating)"
const dated = new RegExp(
  `\\b${ending}\\b[^.;\\n]{0,30}?\\b(?:(\\d{4})-(\\d{2})-(\\d{2})|(?:(${month})\\.? (?:(\\d{1,2})(?:st|nd|rd|th)?,? )?(\\d{4}))|Q([1-4]) (\\d{4}))`,
  "i",
)

/** The date until which a text applies or plans something, if that date has passed. */
export function findPastDay(text: string, now: number): string | undefined {
  const match = dated.exec(text)
  const last = match && lastMomentOf(match)
  return last !== undefined && last !== null && last < now ? new Date(last).toISOString().slice(0, 10) : undefined
}

/** The end of the named day, month or quarter. */
function lastMomentOf([
  ,
  year,
  monthNumber,
  day,
  name,
  dayOfMonth,
  yearOfName,
  quarter,
  yearOfQuarter,
]: RegExpExecArray): number {
  if (quarter !== undefined) return Date.UTC(Number(yearOfQuarter), Number(quarter) * 3, 1) - 1
  if (name === undefined) return Date.UTC(Number(year), Number(monthNumber) - 1, Number(day) + 1) - 1
  const at = months.findIndex((each) => each.startsWith(name.toLowerCase().slice(0, 3)))
  return dayOfMonth === undefined
    ? Date.UTC(Number(yearOfName), at + 1, 1) - 1
    : Date.UTC(Number(yearOfName), at, Number(dayOfMonth) + 1) - 1
}
