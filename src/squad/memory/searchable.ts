import { existsSync } from "node:fs"
import { DreyError } from "../../errors.ts"
import type { Entry, EntryType } from "../../formats/entry.ts"
import { undated } from "../../formats/legacy/fallbacks.ts"
import { normalizeEntry } from "../../formats/normalize-entry.ts"
import { isScope } from "../../formats/scope.ts"
import { parseTimestamp, secondOfDay } from "../../formats/timestamp.ts"
import { defaultLoadGuidance, type LoadGuidance, type MemoryClass } from "../../governance/classify.ts"
import type { StoreEntry } from "../collect-entries.ts"
import { listSkills, type SkillFile } from "../list-skills.ts"
import { markedGuidance } from "../load-guidance.ts"
import { readStore } from "../read-store.ts"
import { classOfType, loadIndex } from "./load-index.ts"
import type { MemoryContext } from "./memory-context.ts"
import { fileOfRecord, type IndexRecord } from "./memory-index.ts"
import { contentOf, type FullMemory, readMemoryOf } from "./read-memory.ts"

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
  /** Set for an entry in a Markdown file. */
  stored?: StoreEntry
  /** Whether it has a record in the index of governed memory. */
  governed: boolean
}

/** All items of a team folder, each once, without deleted memories; superseded and archived ones are marked. */
export function listSearchable(context: MemoryContext, options: { skills: boolean }): Searchable[] {
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
  return options.skills ? [...items, ...listSkills(store.root).map(fromSkill)] : items
}

function readOrWarn(context: MemoryContext, record: IndexRecord): FullMemory | undefined {
  try {
    return readMemoryOf(context, record)
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    context.warn(`skipped ${record.path}: ${error.message}`)
    return undefined
  }
}

const typeOfClass: Partial<Record<MemoryClass, EntryType>> = { POLICY: "directive", DECISION: "decision" }

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
    governed: true,
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
    stored,
    governed: record !== undefined,
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
    governed: false,
  }
}
