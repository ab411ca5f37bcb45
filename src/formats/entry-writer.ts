import { opensSection } from "./blocks.ts"
import type { Entry, EntryType, Extension, Related } from "./entry.ts"
import { demoteHeadings, findFences, missingCloser } from "./markdown.ts"
import { defaultScope, uniqueTags } from "./sem-entry.ts"
import { isDashes, knownField, needsEscape, parseSemHeader } from "./sem-grammar.ts"
import { isBlank, trimBlankLines, trimBlanks } from "./source-text.ts"
import { dateOf, type Timestamp, toMarkdownTimestamp } from "./timestamp.ts"

export type WriteOptions = {
  lineEnd?: "\n" | "\r\n"
  /** Writes what SquadUI reads: `**By:** <author>`, and a header of date and title only. */
  squadUi?: boolean
}

/** Writes an entry in the one canonical form. `parse(write(entry))` returns the same entry, whatever its bodies contain. */
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

/** SquadUI shows everything after the date as the title. A title that itself begins like a type keeps the type before it. */
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

/** Known fields that are repeated or invalid come after the valid ones, because the first of a name counts. */
function writeShadowed(entry: Entry): string[] {
  return entry.extensions.filter(({ name }) => knownField(name)).map(({ name, value }) => `**${name}:** ${value}  `)
}

/** Inline if it is one plain line; a line that begins with Markdown syntax needs its own line. */
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

/** What a caller must provide to make an entry; the rest has defaults. */
export type NewEntry = {
  type: EntryType
  timestamp: Timestamp
  author: string
  title?: string
  summary?: string
  precision?: "second" | "day"
  contributors?: string[]
  scope?: string
  tags?: string[]
  details?: string
  rationale?: string
  related?: Related[]
  supersedes?: string[]
  supersededBy?: string[]
  expires?: Timestamp
  id?: string
  review?: string
  extensions?: Extension[]
}

/** Brings an entry into the form that writing and reading leave unchanged: defaults filled, lists clean, body headings at `####`. */
export function normalizeEntry(input: NewEntry): Entry {
  const author = oneLine(input.author) || "unknown"
  const title = oneLine(input.title ?? "") || oneLine(input.summary ?? "")
  const entry: Entry = {
    type: input.type,
    timestamp: input.timestamp,
    precision: input.precision ?? "second",
    author,
    contributors: listItems(input.contributors),
    title,
    summary: oneLine(input.summary ?? "") || title,
    scope: input.scope ?? defaultScope(input.type, author),
    tags: uniqueTags(listItems(input.tags)),
    related: (input.related ?? []).map((link) => ({
      type: link.type.toLowerCase() || "reference",
      identifier: oneLine(link.identifier),
    })),
    supersedes: listItems(input.supersedes),
    supersededBy: listItems(input.supersededBy),
    extensions: (input.extensions ?? []).map(({ name, value }) => ({ name: oneLine(name), value: oneLine(value) })),
  }
  const details = input.details === undefined ? "" : normalBody(input.details)
  const rationale = input.rationale === undefined ? "" : normalBody(input.rationale)
  if (details) entry.details = details
  if (rationale) entry.rationale = rationale
  if (input.expires) entry.expires = input.expires
  const id = oneLine(input.id ?? "")
  const review = oneLine(input.review ?? "")
  if (id) entry.id = id
  if (review) entry.review = review
  return entry
}

function listItems(items: string[] = []): string[] {
  return items
    .flatMap((item) => item.split(","))
    .map(oneLine)
    .filter(Boolean)
}

function oneLine(text: string): string {
  if (!text.includes("\n") && !text.includes("\r")) return trimBlanks(text)
  return text
    .split(/\r\n?|\n/)
    .map(trimBlanks)
    .filter(Boolean)
    .join(" ")
}

function normalBody(text: string): string {
  const lines = trimBlankLines((text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text).split("\n"))
  const closer = missingCloser(lines)
  if (closer !== undefined) lines.push(closer)
  return demoteHeadings(lines.join("\n"))
}
