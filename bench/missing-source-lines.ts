/**
 * An own check of what a conversion kept, written without the converter's: the words of every source line must follow one
 * another in the result, dates aside. Only headings and `Label: value` lines may be taken apart, and of those every word
 * but the label's must be somewhere in the file.
 */
export function missingSourceLines(source: string, result: string): { line: number; text: string }[] {
  const running = ` ${wordsOf(result).join(" ")} `
  const all = new Set(wordsOf(result))
  const missing: { line: number; text: string }[] = []
  source.split("\n").forEach((text, index) => {
    const words = wordsOf(text)
    if (words.length === 0 || running.includes(` ${words.join(" ")} `)) return
    const mayBeTakenApart = /^\s*#{1,6}\s|^\s*(?:[-*+>|]\s*)*(?:\*\*|__)?[\p{L}()/ ]{1,40}(?::|\*\*|__|\s*\|)/u.test(
      text,
    )
    const bullet = /^\s*[-*+]\s/.test(text) && running.includes(` ${words.slice(1).join(" ")} `)
    if (bullet || (mayBeTakenApart && words.filter((word) => !labelWords.has(word)).every((word) => all.has(word))))
      return
    missing.push({ line: index + 1, text })
  })
  return missing
}

/** Words that labels and headings are made of; the result says them by its fields. */
const labelWords = new Set(
  "by author authors date timestamp when decided what why decision decisions rationale reason motivation reasoning directive user fecha autor autora estado status type and via created recorded the time".split(
    " ",
  ),
)

function wordsOf(text: string): string[] {
  const withoutDates = text
    .replace(
      /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}[:-]?\d{2}(?:[:-]?\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?:\/\d{1,2})?/g,
      " ",
    )
    .replace(/[\w.+-]+@[\w-]+\.[\w.]+/g, " ")
  return withoutDates.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
