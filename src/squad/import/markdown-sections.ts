import { headingLevel } from "../../formats/demote-headings.ts"
import { findFences } from "../../formats/fences.ts"
import { headingText } from "../../formats/heading-text.ts"
import { isBlank, splitLines, trimBlankLines } from "../../formats/source-text.ts"

/** A heading with the text below it, up to the next heading of the requested levels. Lines count from 1. */
export type Section = { heading: string; level: number; line: number; text: string; textLine: number }

/** Splits Markdown at its headings down to a level; text above the first has an empty heading. Code fences are not split. */
export function sectionsOf(text: string, deepest: number): Section[] {
  const { lines } = splitLines(text)
  const { fenced } = findFences(lines)
  const starts = lines.flatMap((line, index) => {
    const level = fenced[index] ? 0 : headingLevel(line)
    return level > 0 && level <= deepest ? [{ index, level }] : []
  })
  const cuts = [{ index: -1, level: 0 }, ...starts]
  return cuts.map(({ index, level }, position) => {
    const body = lines.slice(index + 1, cuts[position + 1]?.index ?? lines.length)
    const heading = headingText(lines[index] ?? "", level)
    const text = trimBlankLines(body).join("\n")
    const blankLines = Math.max(
      0,
      body.findIndex((line) => !isBlank(line)),
    )
    return { heading, level, line: Math.max(1, index + 1), text, textLine: index + 2 + blankLines }
  })
}
