import { collapseWhiteSpace } from "../source-text.ts"
import { rationaleHeading, wordsOf } from "./body.ts"
import { findDates } from "./dates.ts"
import { parseLabels } from "./labels.ts"

/**
 * The lines of a source text that do not occur in the text that replaces it. Heading marks, list marks, emphasis and
 * white space do not count. A line of labels may be spread over fields, a heading over header and fields: of these
 * every word must be there.
 */
export function missingLines(sourceLines: readonly string[], result: string): { index: number; line: string }[] {
  const haystack = plain(result)
  const words = new Set(wordsOf(result))
  const missing: { index: number; line: string }[] = []
  sourceLines.forEach((line, index) => {
    const text = plain(line)
    if (text === "" || haystack.includes(text) || haystack.includes(withoutLeadingDate(text))) return
    if (rationaleHeading.test(line) && result.includes("**rationale:**")) return
    if (
      (isHeading(line) || parseLabels(line, true).length > 0) &&
      wordsThatMatter(line).every((word) => words.has(word))
    )
      return
    missing.push({ index, line })
  })
  return missing
}

/** The date at the start of a line is in the entry's timestamp. */
function withoutLeadingDate(text: string): string {
  const date = findDates(text.slice(0, 80))[0]
  if (date === undefined || !/^[[(\s]*$/.test(text.slice(0, date.start))) return text
  return text.slice(date.end).replace(/^[\s\]):—–-]+/, "")
}

function isHeading(line: string): boolean {
  return /^#{1,6}[ \t]/.test(line) || /^\*\*\d{4}-/.test(line)
}

/** Without dates, which a field writes in its own format, addresses, which are dropped from names, and the labels themselves. */
function wordsThatMatter(line: string): string[] {
  const labels = parseLabels(line, true)
  let text =
    labels.length > 0
      ? labels.map(({ value }) => value).join(" ")
      : line.replace(/^\W*decision\s+(?:#?\d+|[A-Z])\b/i, "")
  text = text.replace(/<?[\w.+-]+@[\w-]+\.[\w.]+>?/g, " ")
  for (const date of findDates(text).reverse()) text = `${text.slice(0, date.start)} ${text.slice(date.end)}`
  return wordsOf(text).filter((word) => !/^(?:decision|directive|user|memory|note|and|via|to)$/.test(word))
}

function plain(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/^[ \t]*(?:\\|#{1,6}[ \t]+|[-*+>][ \t]+)*/, ""))
  return collapseWhiteSpace(lines.join("\n").replace(/[*_~`]|📌/gu, ""))
}
