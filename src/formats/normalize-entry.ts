import { demoteHeadings } from "./demote-headings.ts"
import type { Entry, EntryType, Extension, Related } from "./entry.ts"
import { missingCloser } from "./fences.ts"
import { defaultScope, uniqueTags } from "./read-sem-entry.ts"
import { trimBlankLines, trimBlanks } from "./source-text.ts"
import type { Timestamp } from "./timestamp.ts"

/** What a caller must say to make an entry; the rest has defaults. */
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
