import { readEntries } from "../../formats/entries.ts"
import { type Entry, type EntryType, isScope } from "../../formats/entry.ts"
import { normalizeEntry, writeEntry } from "../../formats/entry-writer.ts"
import { isEntryId } from "../../formats/ids.ts"
import { firstSentence } from "../../formats/legacy/summary.ts"
import { parseSemHeader } from "../../formats/sem-grammar.ts"
import { parseTimestamp } from "../../formats/timestamp.ts"
import {
  defaultLoadGuidance,
  type LoadGuidance,
  type MemoryClass,
  memoryClasses,
  readLoadGuidance,
} from "../../governance/classify.ts"
import { alreadyStored, type Cleared, generated } from "../../governance/cleared.ts"

/** A governed memory in a file of its own. */
export type MemoryFile = {
  id: string
  class: MemoryClass
  loadGuidance: LoadGuidance
  title: string
  author: string
  createdAt: string
  metadata: Record<string, string>
  supersedes?: string
  supersededBy?: string
  status?: string
  content: string
}

/** A memory whose texts passed the governance check. */
export type ClearedMemory = Omit<MemoryFile, "title" | "author" | "content" | "supersededBy" | "status"> & {
  title: Cleared
  author: Cleared
  content: Cleared
}

/**
 * Squad's front matter of `key: value` lines with JSON strings, which its programs read and change, then the memory as a SEM entry.
 * Where they differ, as after a promotion by Squad, the front matter counts.
 */
export function writeMemoryFile(memory: ClearedMemory): Cleared {
  const head = [
    `id: ${memory.id}`,
    `class: ${memory.class}`,
    `loadGuidance: [${memory.loadGuidance}]`,
    `title: ${JSON.stringify(memory.title)}`,
    `author: ${memory.author === "unknown" ? "unknown" : JSON.stringify(memory.author)}`,
    `createdAt: ${memory.createdAt}`,
    `metadata: ${JSON.stringify(memory.metadata)}`,
    ...(memory.supersedes === undefined ? [] : [`supersedes: ${memory.supersedes}`]),
  ]
  return generated(`---\n${head.join("\n")}\n---\n\n${writeBody(memory)}\n`)
}

/** Reads such a file; undefined if it is not a governed memory, such as a decision dropped into the inbox. */
export function readMemoryFile(text: string): MemoryFile | undefined {
  const head = findHead(text)
  if (!head) return undefined
  const fields = readFields(head.lines)
  const memoryClass = memoryClasses.find((name) => name === fields.get("class")?.trim().toUpperCase())
  const named = fields.get("id")?.trim()
  if (!named || !memoryClass) return undefined
  // Ignore an invalid id: every reader then derives the same id from the entry.
  const id = isEntryId(named) ? named : readEntries(text, { kind: "inbox" }).entries[0]?.id
  if (id === undefined) return undefined
  const status = fields.get("status")
  const supersedes = fields.get("supersedes")
  const supersededBy = fields.get("supersededBy")
  return {
    id,
    class: memoryClass,
    loadGuidance: readLoadGuidance(fields.get("loadGuidance")) ?? defaultLoadGuidance(memoryClass),
    title: unquote(fields.get("title") ?? "") || "Untitled memory",
    author: unquote(fields.get("author") ?? "") || "unknown",
    createdAt: fields.get("createdAt")?.trim() ?? "",
    metadata: readMetadata(fields.get("metadata") ?? ""),
    ...(supersedes ? { supersedes: supersedes.trim() } : {}),
    ...(supersededBy ? { supersededBy: supersededBy.trim() } : {}),
    ...(status ? { status: status.trim() } : {}),
    content: contentOf(bodyOf(text, head)),
  }
}

/** Marks a memory's file as superseded; the content and all other front matter stay byte for byte. */
export function markSuperseded(text: string, successor: string): Cleared {
  const head = findHead(text)
  if (!head) return alreadyStored(text)
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n"
  const kept = head.lines.filter((line) => !/^(?:status|loadGuidance|supersededBy):/.test(line))
  const lines = ["---", ...kept, "loadGuidance: [ARCHIVE]", "status: superseded", `supersededBy: ${successor}`, "---"]
  return alreadyStored(`${lines.join(lineEnd)}${lineEnd}${text.slice(head.end)}`)
}

/** The file of a memory with a new text; all other front matter, and the other fields of the entry, stay. */
export function rewriteMemoryFile(
  text: string,
  change: { title?: Cleared; content?: Cleared; loadGuidance?: LoadGuidance },
): Cleared {
  const head = findHead(text)
  const memory = readMemoryFile(text)
  if (!head || !memory) return alreadyStored(text)
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n"
  const values = {
    title: change.title && JSON.stringify(change.title),
    loadGuidance: change.loadGuidance && `[${change.loadGuidance}]`,
  }
  const lines = head.lines.map((line) => {
    const name = /^(title|loadGuidance):/.exec(line)?.[1] as keyof typeof values | undefined
    return name && values[name] !== undefined ? `${name}: ${values[name]}` : line
  })
  const { title = memory.title, content = memory.content } = change
  const isSame = title === memory.title && content.trim() === memory.content
  const body = () => writeBody({ ...memory, title, content: content.trim() }, plainEntry(bodyOf(text, head)))
  const rest = isSame ? text.slice(head.end) : `\n${body()}\n`.replace(/\r?\n/g, lineEnd)
  return generated(`${["---", ...lines, "---"].join(lineEnd)}${lineEnd}${rest}`)
}

/** `<author>-<title>-<first 8 of the id>.md`. */
export function memoryFileName(memory: { id: string; title: string; author: string }): string {
  const author = memory.author === "unknown" ? "" : `${slug(memory.author)}-`
  return `${author}${slug(memory.title)}-${memory.id.slice(0, 8)}.md`
}

/** The folder of a class, below the team folder. */
export function folderOfClass(memoryClass: MemoryClass): string {
  if (memoryClass === "DECISION") return "decisions/inbox"
  return memoryClass === "POLICY" ? "memory/policy-inbox" : "memory/local"
}

/** The default title of a memory. */
export function firstLine(content: string): string {
  const line = content.split(/\r?\n/).find((each) => each.trim() !== "")
  return line?.trim().slice(0, 80) ?? "Untitled memory"
}

/** What a memory of each class is as an entry; of any other class, a note. */
export const typeOfClass: Partial<Record<MemoryClass, EntryType>> = { POLICY: "directive", DECISION: "decision" }

/** Content that is an entry already stays as it is, and so does text that an entry could not return unchanged. */
function writeBody(memory: Omit<MemoryFile, "loadGuidance">, before?: Entry): string {
  const content = memory.content.replaceAll("\r\n", "\n")
  const timestamp = parseTimestamp(memory.createdAt)
  if (readBody(content) || !timestamp) return content
  const { scope = "", tags = "" } = memory.metadata
  const summary = firstSentence(content)
  const entry = normalizeEntry({
    scope: isScope(scope) ? scope : "team",
    tags: [tags],
    ...before,
    type: typeOfClass[memory.class] ?? "note",
    timestamp,
    author: memory.author,
    id: memory.id,
    title: memory.title,
    summary,
  })
  const { details: _, ...short } = entry
  const body = writeEntry(content === entry.summary ? short : { ...short, details: content }).trimEnd()
  return contentOf(body) === content ? body : content
}

/** The text of a file after its front matter. */
function bodyOf(text: string, head: { end: number }): string {
  return text
    .slice(head.end)
    .replace(/^\r?\n/, "")
    .trimEnd()
}

/** The content as it was given: from the entry if that has nothing more, otherwise the whole body. */
function contentOf(body: string): string {
  const entry = plainEntry(body)
  return entry ? (entry.details ?? entry.summary) : body
}

/** The entry that a body is, with nothing but what `writeBody` writes. */
function plainEntry(body: string): Entry | undefined {
  const entry = readBody(body)
  if (!entry || entry.rationale !== undefined) return undefined
  const { title, summary, details = summary, contributors, related, extensions } = entry
  const isOwn = (firstSentence(details) || title) === summary
  return isOwn && [contributors, related, extensions].every(({ length }) => length === 0) ? entry : undefined
}

/** The entry that a body is, if it is exactly one in SEM. */
function readBody(body: string): Entry | undefined {
  if (!parseSemHeader(/^.*/.exec(body)?.[0] ?? "")) return undefined
  const { entries, segments } = readEntries(body, { kind: "inbox" })
  const isAll = segments.every(({ text, entry }) => entry !== undefined || text.trim() === "")
  return entries.length === 1 && isAll ? entries[0]?.entry : undefined
}

function slug(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 64)
    .replace(/^-|-$/g, "")
  return name || "memory"
}

/** The front matter ends at the first `---` line: its JSON strings cannot contain one. */
function findHead(text: string): { lines: string[]; end: number } | undefined {
  const opening = /^\uFEFF?---[ \t]*\r?\n/.exec(text)
  if (!opening) return undefined
  const closing = /^---[ \t]*(?:\r?\n|$)/gm
  closing.lastIndex = opening[0].length
  const match = closing.exec(text)
  if (!match) return undefined
  const lines = text.slice(opening[0].length, match.index).split(/\r?\n/)
  return { lines: lines.slice(0, -1), end: match.index + match[0].length }
}

function readFields(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>()
  for (const line of lines) {
    const match = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line)
    if (match?.[1] !== undefined && !fields.has(match[1])) fields.set(match[1], match[2] ?? "")
  }
  return fields
}

function unquote(text: string): string {
  const value = text.trim()
  if (!value.startsWith('"')) return value
  try {
    return String(JSON.parse(value))
  } catch {
    return value // not a JSON string: use the text as it is
  }
}

function readMetadata(text: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== "object" || value === null || Array.isArray(value)) return {}
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, String(each)]))
  } catch {
    return {} // another tool's metadata format; the memory is readable without it
  }
}
