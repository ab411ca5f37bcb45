import { existsSync } from "node:fs"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { type Entry, isScope } from "../../formats/entry.ts"
import { normalizeEntry } from "../../formats/entry-writer.ts"
import { undated } from "../../formats/legacy/fallbacks.ts"
import { parseTimestamp, secondOfDay } from "../../formats/timestamp.ts"
import { defaultLoadGuidance, type LoadGuidance, type MemoryClass } from "../../governance/classify.ts"
import { readStore, type StoreEntry } from "../team-entries.ts"
import { listSkills, type SkillFile } from "../team-files.ts"
import type { StoreFolder } from "../team-folder.ts"
import { markedGuidance } from "../team-rules.ts"
import type { GovernedContext } from "./governed-context.ts"
import { classOfType, loadIndex } from "./load-index.ts"
import { readMemoryFile, typeOfClass } from "./memory-file.ts"
import { fileOfRecord, type IndexRecord } from "./memory-index.ts"

/** An item that a search or a context can find: a governed memory, an entry of any file, or a skill. */
export type Searchable = {
  id: string
  class: MemoryClass
  loadGuidance: LoadGuidance
  path: string
  line: number
  source: "memory" | "policy" | "decisions" | "inbox" | "archive" | "history" | "skills"
  entry: Entry
  superseded: boolean
  /** Its text without the title. */
  body: string
}

/** All items of a team folder, each once, without deleted memories; superseded and archived ones are marked. */
export function listSearchable(context: GovernedContext): Searchable[] {
  const { store, now } = context
  const { records } = loadIndex(store, context.folder, now())
  const byId = new Map(records.map((record) => [record.id, record]))
  const items: Searchable[] = []
  for (const record of records) {
    if (record.status === "deleted" || record.anchor !== undefined) continue
    const file = fileOfRecord(context.folder, record)
    if (file === undefined || !existsSync(file)) continue // at a provider, or merged: then it is among the entries below
    const memory = readOrWarn(context, record)
    if (memory) items.push(fromMemory(memory))
  }
  const found = new Set(items.map(({ id }) => id))
  for (const stored of readStore(store, now()).entries) {
    const record = byId.get(stored.id)
    if (found.has(stored.id) || record?.status === "deleted") continue
    items.push(fromEntry(stored, record))
  }
  return [...items, ...listSkills(store.root, context.warn).map(fromSkill)]
}

function readOrWarn(context: GovernedContext, record: IndexRecord): FullMemory | undefined {
  try {
    return readMemoryOf(context, record)
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    context.warn(`skipped ${record.path}: ${error.message}`)
    return undefined
  }
}

function fromMemory(memory: FullMemory): Searchable {
  const { metadata } = memory
  const superseded = memory.status === "superseded"
  const scope = metadata.scope !== undefined && isScope(metadata.scope) ? metadata.scope : "team"
  return {
    id: memory.id,
    class: memory.class,
    loadGuidance: superseded ? "ARCHIVE" : memory.loadGuidance,
    path: memory.path,
    line: 1,
    source: memory.class === "DECISION" ? "inbox" : memory.class === "POLICY" ? "policy" : "memory",
    entry: normalizeEntry({
      type: typeOfClass[memory.class] ?? "note",
      timestamp: parseTimestamp(memory.createdAt) ?? secondOfDay(undated, 0),
      author: memory.author,
      title: memory.title,
      scope,
      tags: metadata.tags === undefined ? [] : [metadata.tags],
      id: memory.id,
      ...(memory.content === memory.title ? {} : { details: memory.content }),
    }),
    superseded,
    body: memory.content,
  }
}

function fromEntry(stored: StoreEntry, record: IndexRecord | undefined): Searchable {
  const { entry, id, path, line, source } = stored
  const superseded = stored.supersededBy.length > 0 || entry.supersededBy.length > 0 || record?.status === "superseded"
  const memoryClass = record?.class ?? classOfType[entry.type]
  const guidance = record?.loadGuidance ?? markedGuidance(entry) ?? defaultLoadGuidance(memoryClass)
  return {
    id,
    class: memoryClass,
    loadGuidance: superseded ? "ARCHIVE" : guidance,
    path,
    line,
    source,
    entry,
    superseded,
    body: [contentOf(stored), entry.tags.join(" "), entry.author].join("\n"),
  }
}

function fromSkill({ name, path, text }: SkillFile): Searchable {
  const scope = isScope(`skill:${name}`) ? `skill:${name}` : "team"
  const timestamp = secondOfDay(undated, 0)
  return {
    id: `skill:${name}`,
    class: "LOCAL",
    loadGuidance: "ON-DEMAND",
    path,
    line: 1,
    source: "skills",
    entry: normalizeEntry({ type: "note", timestamp, author: "unknown", title: name, scope }),
    superseded: false,
    body: text,
  }
}

/** A governed memory with its text. */
export type FullMemory = IndexRecord & { author: string; metadata: Record<string, string>; content: string }

/** Reads the memory of a record; undefined if its file is missing or only a provider has it. */
export function readMemoryOf(context: GovernedContext, record: IndexRecord): FullMemory | undefined {
  const memory = record.anchor === undefined ? readOwnFile(context.folder, record) : undefined
  if (memory) return { ...record, author: memory.author, metadata: memory.metadata, content: memory.content }
  // The file is missing: it may have been merged by hand or by another tool.
  const found = findAnchored(context, record)
  return found && { ...record, author: found.entry.author, metadata: {}, content: contentOf(found) }
}

/** The entry of a memory that is in a larger file. */
export function findAnchored(context: GovernedContext, record: IndexRecord): StoreEntry | undefined {
  const { store, folder, now } = context
  const { entries } = readStore({ ...store, folders: [folder] }, now())
  return entries.find(({ id }) => id === record.anchor) ?? entries.find(({ id }) => id === record.id)
}

function contentOf({ entry }: { entry: Entry }): string {
  const { title, summary, details, rationale } = entry
  return [summary === title && details ? undefined : summary, details, rationale].filter(Boolean).join("\n\n")
}

function readOwnFile(folder: StoreFolder, record: IndexRecord) {
  const path = fileOfRecord(folder, record)
  if (path === undefined || !existsSync(path)) return undefined
  return readMemoryFile(readTextFile(path).text)
}
