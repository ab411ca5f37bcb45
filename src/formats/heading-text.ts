import { isBlank, trimBlanks } from "./source-text.ts"

/** The words of a heading of this level, without the marks that close it; a `#` that belongs to a word stays. In linear time. */
export function headingText(line: string, level: number): string {
  const words = trimBlanks(line.slice(level))
  let end = words.length
  while (end > 0 && words[end - 1] === "#") end--
  const closes = end > 0 && end < words.length && isBlank(words.slice(end - 1, end))
  return closes ? trimBlanks(words.slice(0, end)) : words
}
