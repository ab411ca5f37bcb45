import type { Entry } from "./entry.ts"
import { findFences, missingCloser } from "./fences.ts"
import { opensSection } from "./find-blocks.ts"
import { isDashes, knownField, needsEscape, parseSemHeader } from "./sem-grammar.ts"
import { isBlank } from "./source-text.ts"
import { dateOf, toMarkdownTimestamp } from "./timestamp.ts"

export type WriteOptions = {
  lineEnd?: "\n" | "\r\n"
  /** Writes what SquadUI reads: `**By:** <author>`, and a header of date and title only. */
  squadUi?: boolean
}

/** Writes an entry in the one canonical form. `parse(write(entry))` gives the entry back, whatever its bodies contain. */
export function writeEntry(entry: Entry, options: WriteOptions = {}): string {
  const timestamp = toMarkdownTimestamp(entry.timestamp)
  const blocks = [
    [`### ${options.squadUi ? squadUiHeader(entry) : `${timestamp}: ${entry.type}: ${entry.title}`}`],
    writeMetadata(entry, timestamp, options),
    [`**summary:** ${entry.summary}`],
    writeShadowed(entry),
    entry.details === undefined ? [] : ["**details:**", "", ...writeBody(entry.details)],
    entry.rationale === undefined ? [] : writeRationale(entry.rationale),
    entry.related.length === 0
      ? []
      : ["**related:**", ...entry.related.map(({ type, identifier }) => `- ${type}: ${identifier}`)],
    ["---"],
  ]
  const lines = blocks.filter((block) => block.length > 0).map((block) => block.join("\n"))
  const text = `${lines.join("\n\n")}\n`
  return options.lineEnd === "\r\n" ? text.replaceAll("\n", "\r\n") : text
}

/** SquadUI shows all that follows the date as the title. A title that itself begins like a type keeps the type before it. */
function squadUiHeader({ timestamp, type, title }: Entry): string {
  const header = `${dateOf(timestamp)}: ${title}`
  return parseSemHeader(`### ${header}`) ? `${dateOf(timestamp)}: ${type}: ${title}` : header
}

function writeMetadata(entry: Entry, timestamp: string, options: WriteOptions): string[] {
  const fields: [string, string | undefined][] = [
    ["type", entry.type],
    ["timestamp", timestamp],
    ["author", entry.author],
    ["By", options.squadUi ? entry.author : undefined],
    ["contributors", entry.contributors.join(", ")],
    ["scope", entry.scope],
    ["tags", entry.tags.join(", ")],
    ["supersedes", entry.supersedes.join(", ")],
    ["supersededBy", entry.supersededBy.join(", ")],
    ["expires", entry.expires === undefined ? undefined : toMarkdownTimestamp(entry.expires)],
    ["id", entry.id],
    ["precision", entry.precision === "day" ? "day" : undefined],
    ["review", entry.review],
  ]
  const known = fields.filter(([, value]) => value)
  const extensions = entry.extensions
    .filter(({ name }) => !knownField(name))
    .map(({ name, value }): [string, string] => [name, value])
  return [...known, ...extensions].map(([name, value]) => `**${name}:** ${value}  `)
}

/** Known fields that stood twice or made no sense come after the real ones, because the first of a name counts. */
function writeShadowed(entry: Entry): string[] {
  return entry.extensions.filter(({ name }) => knownField(name)).map(({ name, value }) => `**${name}:** ${value}  `)
}

/** Inline when it is one plain line; a line that Markdown gives a meaning at its start needs a line of its own. */
function writeRationale(rationale: string): string[] {
  const plain = !rationale.includes("\n") && !/^(?:\s|```|~~~|[-*+>|#]|\d{1,9}[.)])|[ \t]$/.test(rationale)
  return plain ? [`**rationale:** ${rationale}`] : ["**rationale:**", "", ...writeBody(rationale)]
}

/** Escapes the lines that would be read as structure and closes a fence that was left open. */
function writeBody(body: string): string[] {
  const lines = body.split("\n")
  const closer = missingCloser(lines)
  if (closer !== undefined) lines.push(closer)
  const { fenced } = findFences(lines)
  return lines.map((line, index) => {
    if (fenced[index] || !needsEscape(line)) return line
    if (isDashes(line) && !isFollowedBySection(lines, index, fenced)) return line
    return `\\${line}`
  })
}

/** `---` would end the entry where the reader takes what follows for something new. */
function isFollowedBySection(lines: string[], index: number, fenced: Uint8Array): boolean {
  let next = index + 1
  while (next < lines.length && isBlank(lines[next] ?? "")) next++
  return next < lines.length && opensSection(lines, fenced, next)
}
