import {
  cutAtWord,
  derivedId,
  dominantLineEnd,
  type Entry,
  missingLines,
  normalizeEntry,
  parseSemHeader,
  type ReadEntry,
  readEntries,
  redactSecrets,
  timestampFromDate,
  toMarkdownTimestamp,
  writeEntry,
} from "../../../src/formats.ts"
import { linesOfEntry } from "./entry-lines.ts"
import type { TeamModel } from "./team-model.ts"

/** Replaces the lines from `from` up to and without `to`, which count from 1; `isSnippet` has a place to type in. */
export type LineEdit = { path: string; from: number; to: number; text: string; isSnippet?: true }

export type QuickFix = { title: FixTitle; code: string; line: number; edits: LineEdit[]; isPreferred?: true }

/** What a fix does; the extension has the words for it in the user's language. */
export type FixTitle =
  | "convert"
  | "fill-fields"
  | "stamp-time"
  | "add-author"
  | "add-rationale"
  | "use-header"
  | "shorten-summary"
  | "remove-reference"
  | "default-scope"
  | "redact"

/** A snippet, with a place to type in. */
const rationale = `**rationale:** \${1:Why this was decided}`

/** What can repair the problems of a file between two lines, in the order in which it is offered. */
export function quickFixes(model: TeamModel, path: string, between: [number, number], author: string): QuickFix[] {
  const file = model.file(path)
  if (!file) return []
  const lines = file.text.split(/\r?\n/)
  const lineEnd = dominantLineEnd(file.text)
  const fixes: QuickFix[] = []
  const [first, last] = between
  const problems = model.problems(path).filter(({ line }) => line >= first && line <= last)
  for (const { code, line, message, entryId } of problems) {
    const entry =
      file.read.entries.find(({ id }) => id === entryId) ??
      file.read.entries.find((each) => each.line <= line && line <= each.endLine)
    const add = (title: FixTitle, edits: Omit<LineEdit, "path">[], isPreferred = true) =>
      fixes.push({
        title,
        code,
        line,
        edits: edits.map((each) => ({ path, ...each })),
        ...(isPreferred ? { isPreferred } : {}),
      })
    const insert = (at: number, text: string) => ({ from: at, to: at, text: `${text}${lineEnd}` })
    if (code === "forbidden-content") {
      const whole = lines.slice(line - 1, entry?.endLine ?? lines.length).join("\n")
      const redacted = redactSecrets(whole)
      if (redacted !== whole)
        add("redact", [
          { from: line, to: (entry?.endLine ?? lines.length) + 1, text: redacted.replaceAll("\n", lineEnd) + lineEnd },
        ])
    }
    if (!entry) continue
    if (entry.format === "legacy") {
      const converted = code === "legacy-entry" || code.startsWith("missing-") ? convert(model, path, entry) : undefined
      if (converted !== undefined) add("convert", [converted], code === "legacy-entry")
      continue
    }
    const place = linesOfEntry(lines, entry)
    const now = toMarkdownTimestamp(timestampFromDate(model.now()))
    switch (code) {
      case "missing-rationale":
        add("add-rationale", [
          {
            ...insert(
              place.beforeEnd,
              place.fields.has("related") ? `${rationale}${lineEnd}` : `${lineEnd}${rationale}`,
            ),
            isSnippet: true,
          },
        ])
        break
      case "missing-author":
        add("add-author", [insert(place.afterMetadata, `**author:** ${author}  `)])
        break
      case "date-only":
      case "missing-timestamp":
      case "implausible-date": {
        const stamped = stampHeader(lines[place.header - 1] ?? "", now, code)
        const field = place.fields.get("timestamp")
        if (stamped !== undefined)
          add("stamp-time", [
            { from: place.header, to: place.header + 1, text: stamped + lineEnd },
            ...(field === undefined
              ? []
              : [
                  {
                    from: field,
                    to: field + 1,
                    text: `**timestamp:** ${stamped.split(": ")[0]?.slice(4)}  ${lineEnd}`,
                  },
                ]),
          ])
        break
      }
      case "header-field-mismatch": {
        const header = parseSemHeader(lines[place.header - 1] ?? "")
        const edits = (["type", "timestamp"] as const).flatMap((name) => {
          const at = place.fields.get(name)
          const value =
            name === "type"
              ? header?.type
              : header?.when.kind === "time"
                ? toMarkdownTimestamp(header.when.timestamp)
                : undefined
          return at === undefined || value === undefined
            ? []
            : [{ from: at, to: at + 1, text: `**${name}:** ${value}  ${lineEnd}` }]
        })
        if (edits.length > 0) add("use-header", edits)
        break
      }
      case "summary-too-long": {
        const short = cutAtWord(entry.entry.summary)
        const details = [entry.entry.summary, entry.entry.details].filter(Boolean).join("\n\n")
        add("shorten-summary", [rewritten(lines, entry, { ...entry.entry, summary: short, details }, lineEnd)])
        break
      }
      case "dangling-reference":
      case "ambiguous-reference": {
        const reference = /"([^"]+)"/.exec(message)?.[1] ?? ""
        add("remove-reference", [rewritten(lines, entry, withoutReference(entry.entry, reference), lineEnd)], false)
        break
      }
      case "invalid-field": {
        const at = place.fields.get("scope")
        if (message.includes("scope") && at !== undefined)
          add("default-scope", [{ from: at, to: at + 1, text: `**scope:** ${entry.entry.scope}  ${lineEnd}` }])
        break
      }
    }
  }
  for (const entry of file.read.entries) {
    if (entry.format !== "sem" || entry.endLine < first || entry.line > last) continue
    const { fields } = linesOfEntry(lines, entry)
    if (["type", "timestamp", "author", "scope", "summary"].every((name) => fields.has(name))) continue
    const named = entry.entry.author === "unknown" ? { ...entry.entry, author } : entry.entry
    fixes.push({
      title: "fill-fields",
      code: "",
      line: entry.line,
      edits: [{ path, ...rewritten(lines, entry, named, lineEnd) }],
    })
  }
  return fixes
}

/** A legacy entry in SEM, with its id; undefined where that would lose a line, change another entry, or where it has no date. */
function convert(model: TeamModel, path: string, entry: ReadEntry): Omit<LineEdit, "path"> | undefined {
  const file = model.file(path)
  if (!file || entry.format !== "legacy" || entry.unit !== "entry" || entry.reading.dateSource === "none")
    return undefined
  const segment = file.read.segments.find((each) => each.entry === entry)
  if (!segment) return undefined
  const normal = normalizeEntry(entry.entry)
  const pinned = derivedId(normal) === entry.id ? normal : { ...normal, id: entry.id }
  const written = writeEntry(pinned, { lineEnd: dominantLineEnd(file.text) })
  const own = segment.text.split(/\r?\n/)
  if (missingLines(own, written).length > 0) return undefined
  const at = file.read.segments.indexOf(segment)
  const whole = file.read.segments.map(({ text }, index) => (index === at ? `${written}\n` : text)).join("")
  const ids = (entries: readonly ReadEntry[]) => entries.map(({ id }) => id).join("\n")
  if (ids(readEntries(whole, file.context).entries) !== ids(file.read.entries)) return undefined
  const blank = own.length - own.findLastIndex((line) => line.trim() !== "") - 1
  return { from: segment.line, to: segment.line + own.length - blank, text: written }
}

/** An entry written again in the canonical form, in its place. */
export function rewritten(
  lines: readonly string[],
  entry: ReadEntry,
  changed: Entry,
  lineEnd: "\n" | "\r\n",
): Omit<LineEdit, "path"> {
  const normal = normalizeEntry(changed)
  const pinned = derivedId(normal) === entry.id || entry.entry.id !== undefined ? normal : { ...normal, id: entry.id }
  const hasEnd = /^---[ \t]*$/.test(lines[entry.endLine - 1] ?? "")
  let end = entry.endLine
  while (!hasEnd && end > entry.line && (lines[end - 1] ?? "").trim() === "") end--
  return { from: entry.line, to: end + 1, text: writeEntry(pinned, { lineEnd }) }
}

function withoutReference(entry: Entry, reference: string): Entry {
  const others = (list: readonly string[]) => list.filter((each) => each !== reference)
  return {
    ...entry,
    supersedes: others(entry.supersedes),
    supersededBy: others(entry.supersededBy),
    related: entry.related.filter(({ identifier }) => identifier !== reference),
  }
}

/** A date gets the time of now if it is today's, else midnight; an implausible time becomes now. */
function stampHeader(header: string, now: string, code: string): string | undefined {
  const match = /^(###[ \t]+)(\d{4}-\d{2}-\d{2})(T\S*?)?(:[ \t].*)$/.exec(header)
  if (!match) return undefined
  const [, marks, date, , rest] = match
  const stamp = code === "implausible-date" || now.startsWith(date ?? "") ? now : `${date}T12:00:00+0000`
  return `${marks}${stamp}${rest}`
}
