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
    if (mayBeTakenApart && words.filter((word) => !labelWords.has(word)).every((word) => all.has(word))) return
    missing.push({ line: index + 1, text })
  })
  return missing
}

/** Words that the labels of author and date and the names of types are made of; the result has them as fields. */
const labelWords = new Set(
  `by author authors date timestamp when decided what why decision decisions rationale reason motivation reasoning directive
  user fecha autor autora estado status type and via created recorded the time owner agent lead from proposed raised submitted
  filed reported prepared implemented written made maker makers decider deciders authored executed engineer analyst architect utc scope tags area category`.split(
    /\s+/,
  ),
)

const months = "jan\\w*|feb\\w*|mar(?:ch)?|apr\\w*|may|june?|july?|aug\\w*|sep\\w*|oct\\w*|nov\\w*|dec\\w*"
const dates = new RegExp(
  `\\b\\d{8}T\\d{4}(?:\\d{2})?Z?\\b|\\d{4}-\\d{2}(?:-\\d{2})?(?:[T ]\\d{2}[:-]?\\d{2}(?:[:-]?\\d{2}(?:\\.\\d+)?)?(?: ?(?:Z|[+-]\\d{2}:?\\d{2}))?)?(?:/(?:\\d{2}-)?\\d{1,2})?|\\b(?:${months})\\.? (?:\\d{1,2},? )?\\d{4}\\b`,
  "gi",
)

function wordsOf(text: string): string[] {
  const plain = text.replace(dates, " ").replace(/[\w.+-]+@[\w-]+\.[\w.]+/g, " ")
  return plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
