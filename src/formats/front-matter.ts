import { isEntryId } from "./entry-id.ts"
import type { FrontMatter } from "./legacy/fallbacks.ts"
import { parseTimestamp } from "./timestamp.ts"

/** The head of a governed memory's file: `key: value` lines between two `---`; `lines` counts all of it, 0 when there is none. */
export type FrontMatterReading = { frontMatter: FrontMatter; lines: number }

const limit = 60

/** Reads the simple front matter that governed memory and skills have. Values are plain or JSON strings; no YAML parser is needed. */
export function readFrontMatter(lines: readonly string[]): FrontMatterReading {
  const none = { frontMatter: {}, lines: 0 }
  if (lines[0]?.trimEnd() !== "---") return none
  const end = lines.findIndex((line, index) => index > 0 && index < limit && line.trimEnd() === "---")
  if (end === -1) return none
  const frontMatter: FrontMatter = {}
  for (const line of lines.slice(1, end)) {
    const match = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line)
    if (!match) continue
    const value = unquote(match[2] ?? "")
    if (value === "") continue
    switch (match[1]) {
      case "id":
        if (isEntryId(value)) frontMatter.id = value
        break
      case "title":
      case "author":
      case "class":
        frontMatter[match[1]] = value
        break
      case "createdAt": {
        const timestamp = parseTimestamp(value)
        if (timestamp) frontMatter.createdAt = timestamp
      }
    }
  }
  return { frontMatter, lines: end + 1 }
}

function unquote(text: string): string {
  const value = text.trim()
  if (!value.startsWith('"')) return value.replace(/^'(.*)'$/, "$1")
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === "string" ? parsed : value
  } catch {
    return value // not a JSON string after all: the text as it stands
  }
}
