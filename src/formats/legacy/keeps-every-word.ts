import { findDates } from "./find-date.ts"

const wordPattern = /[\p{L}\p{N}]+/gu
/** Words of a heading that its entry says by its type instead. */
const saidByType = new Set(["decision", "directive", "user", "memory", "note", "superseded", "by", "to"])

/** True when every word of a heading, its dates and type words aside, occurs in the title or the text that replace it. */
export function keepsEveryWord(heading: string, title: string, text: string): boolean {
  if (title !== "" && heading.endsWith(title) && /^[\d\-T:.Z+\s]*$/.test(heading.slice(0, -title.length))) return true
  let rest = heading.replace(/^\W*decision\s+(?:#?\d+|[A-Z])\b/i, "")
  for (const date of findDates(rest).reverse()) rest = rest.slice(0, date.start) + rest.slice(date.end)
  const inTitle = new Set(wordsOf(title))
  const others = wordsOf(rest).filter((word) => !saidByType.has(word) && !inTitle.has(word))
  if (others.length === 0) return true
  const inText = new Set(wordsOf(text))
  return others.every((word) => inText.has(word))
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(wordPattern) ?? []
}
