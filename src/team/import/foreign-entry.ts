import type { EntryType, Extension } from "../../formats/entry.ts"
import { findFences, headingLevel, headingText } from "../../formats/markdown.ts"
import { isBlank, splitLines, trimBlankLines } from "../../formats/source-text.ts"

export const foreignFormats = [
  "adr",
  "rules",
  "server-memory",
  "cline",
  "claude-memory",
  "codex-memory",
  "claude-mem",
  "mem0",
  "basic-memory",
  "commits",
] as const
export type ForeignFormat = (typeof foreignFormats)[number]

/** An imported file; `path` is relative to the import source. */
export type ForeignFile = { path: string; text: string }

/** A record of another tool, before it becomes a proposal. */
export type ForeignEntry = {
  /** Unique within its source and stable when the source is imported again. */
  key: string
  /** Its file, relative to the import source, and its line. */
  file: string
  line: number
  type: EntryType
  title: string
  details?: string
  rationale?: string
  /** `YYYY-MM-DD`, if the source has a date. */
  date?: string
  authors: string[]
  tags: string[]
  /** Keys of the entries that this one replaces. */
  supersedes: string[]
  /** Why it needs review by the user. */
  review?: string
  extensions: Extension[]
}

/** A heading with the text below it, up to the next heading of the requested levels. Lines count from 1. */
export type MarkdownSection = { heading: string; level: number; line: number; text: string; textLine: number }

/** Splits Markdown at its headings down to a level; text above the first has an empty heading. Code fences are not split. */
export function sectionsOf(text: string, deepest: number): MarkdownSection[] {
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
