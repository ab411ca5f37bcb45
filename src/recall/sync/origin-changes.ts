import { sha256 } from "../../disk/hash.ts"
import { requireInRepository } from "../../disk/safe-paths.ts"
import { codeOf, readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { type ReadEntry, readEntries } from "../../formats/entries.ts"
import { agentOfScope, type Entry, isScope } from "../../formats/entry.ts"
import { undated } from "../../formats/legacy/fallbacks.ts"
import type { Roster } from "../../formats/legacy/roster.ts"
import { relatedKeys } from "../../formats/related-keys.ts"
import { agentKey } from "../../formats/text.ts"
import { dateOf, instantOf, parseTimestamp } from "../../formats/timestamp.ts"
import {
  defaultLoadGuidance,
  type LoadGuidance,
  type MemoryClass,
  readLoadGuidance,
} from "../../governance/classify.ts"
import type { Item, ItemOrigin, OriginItems } from "../../index/index-store.ts"
import { classOfType } from "../../team/governed/load-index.ts"
import { type MemoryFile, readMemoryFile, typeOfClass } from "../../team/governed/memory-file.ts"
import { hasTombstone, type IndexRecord, isOutdated, readIndexFile } from "../../team/governed/memory-index.ts"
import type { MarkdownSection } from "../../team/import/foreign-entry.ts"
import { contextOf } from "../../team/team-entries.ts"
import { type EntryFile, readRoster } from "../../team/team-files.ts"
import type { TeamStore } from "../../team/team-folder.ts"
import { markedGuidance } from "../../team/team-rules.ts"
import type { LearnedSource } from "../learned-recall.ts"
import { type ItemPayload, writePayload } from "../payload.ts"
import {
  aroundOf,
  isSettled,
  learnedKey,
  type OriginFile,
  type Origins,
  type RecordsStamp,
  readStamp,
  recordsKey,
  type Stamp,
  statFile,
  statName,
} from "./origins.ts"

export type OriginChanges = {
  changed: OriginItems[]
  restamped: ItemOrigin[]
  /** Includes files that disappeared between listing and reading: their content may be in another file by now. */
  gone: string[]
}

/** Reads the files whose stat has changed. A file with the same hash, for example after a checkout, is not parsed. */
export async function readChanges(
  store: TeamStore,
  origins: Origins,
  learned: LearnedSource | undefined,
  known: ReadonlyMap<string, string>,
  now: () => Date,
  progress?: (done: number, total: number) => void,
): Promise<OriginChanges> {
  const readAt = now()
  const records = readRecords(store)
  const said = hashRecordsByFile(records)
  const context: ReadingContext = { roster: readRoster(store), records: byId(records), now: readAt }
  const look = origins.records?.text ?? ""
  const settled = origins.records === undefined || isSettled(origins.records, Date.now())
  const recordsStamp: RecordsStamp = { look, settled, said }
  const changes: OriginChanges = { changed: [], restamped: [], gone: [] }
  if (known.get(recordsKey) !== JSON.stringify(recordsStamp))
    changes.changed.push({ key: recordsKey, stamp: JSON.stringify(recordsStamp), items: [] })
  const present = new Set([recordsKey])
  for (const [at, file] of origins.files.entries()) {
    const before = readStamp<Stamp>(known.get(file.key))
    const around = aroundOf(file, origins, said)
    present.add(file.key)
    if (before?.settled && before.look === file.look.text && before.around === around) continue
    progress?.(at, origins.files.length)
    const reading = await readOrigin(file, before, around, context)
    if (reading.kind === "vanished") {
      present.delete(file.key)
      continue
    }
    const stamp = JSON.stringify(reading.stamp)
    if (reading.kind === "same" && known.get(file.key) !== stamp) changes.restamped.push({ key: file.key, stamp })
    if (reading.kind === "changed") changes.changed.push({ key: file.key, stamp, items: reading.items })
  }
  if (learned) {
    present.add(learnedKey)
    const stamp = await learned.stamp() // before the memories are read: changes in between are picked up the next time
    if (known.get(learnedKey) !== stamp) changes.changed.push({ key: learnedKey, stamp, items: await learned.items() })
  }
  changes.gone = [...known.keys()].filter((key) => !present.has(key))
  return changes
}

type OriginReading =
  | { kind: "same"; stamp: Stamp }
  | { kind: "changed"; stamp: Stamp; items: OriginItems["items"] }
  | { kind: "vanished" }

async function readOrigin(
  file: OriginFile,
  before: Stamp | undefined,
  around: string,
  context: ReadingContext,
): Promise<OriginReading> {
  // Stat before reading: an edit in between makes the stat outdated, so the file is read again the next time.
  const look = statFile(file.absolute) ?? statName(file.absolute)
  if (!look) return { kind: "vanished" }
  const base = { look: look.text, around, settled: isSettled(look, Date.now()) }
  try {
    if (file.kind === "entries")
      requireInRepository(file.file.folder, file.key.slice(file.file.folder.name.length + 1), file.key)
    const { text } = readTextFile(file.absolute, { name: file.key })
    const hash = sha256(text)
    if (before?.hash === hash && before.around === around) return { kind: "same", stamp: { ...before, ...base } }
    const { items, conflicts } = await readItems(file, text, context)
    return { kind: "changed", items, stamp: { ...base, hash, ...(conflicts.length > 0 ? { conflicts } : {}) } }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    if (codeOf(error.cause) === "ENOENT" && !statName(file.absolute)) return { kind: "vanished" }
    return { kind: "changed", items: [], stamp: { ...base, hash: "", problem: error.message } }
  }
}

function readRecords(store: TeamStore): IndexRecord[] {
  const [folder] = store.folders
  if (!folder) return []
  const file = readIndexFile(folder)
  if (file.kind === "absent") return []
  // After a branch switch the index may be outdated: only records confirmed by the files count.
  if (isOutdated(folder)) return file.records.filter(({ id }) => hasTombstone(folder, id))
  return file.records
}

function byId(records: readonly IndexRecord[]): Map<string, IndexRecord> {
  return new Map(
    records.flatMap((record) => [[record.id, record] as const, [record.anchor ?? record.id, record] as const]),
  )
}

/** For each file with governed entries, a hash of its records. */
function hashRecordsByFile(records: readonly IndexRecord[]): Record<string, string> {
  const parts = new Map<string, string[]>()
  for (const { path, id, class: memoryClass, loadGuidance, status, supersedes, supersededBy, anchor } of records) {
    if (anchor === undefined) continue // a governed file is self-contained
    const part = JSON.stringify([id, anchor, memoryClass, loadGuidance, status, supersedes, supersededBy])
    const known = parts.get(path)
    if (known) known.push(part)
    else parts.set(path, [part])
  }
  return Object.fromEntries([...parts].map(([path, texts]) => [path, sha256(texts.join("\n")).slice(0, 16)]))
}

type ReadingContext = {
  roster: Roster
  /** Records of the governed index for entries in larger files, by id. */
  records: ReadonlyMap<string, IndexRecord>
  now: Date
}

export type ItemsOfFile = { items: Item[]; conflicts: number[] }

/** All items of a file, in order. Never throws on content, except for an invalid session file. */
export async function readItems(origin: OriginFile, text: string, context: ReadingContext): Promise<ItemsOfFile> {
  switch (origin.kind) {
    case "entries":
      return readEntryFile(origin.file, text, context)
    case "governed": {
      const memory = readMemoryFile(text)
      return { items: memory ? [itemOfMemory(memory, origin.key)] : [], conflicts: [] }
    }
    case "skill": {
      const item = await itemOfSkill(text, origin.name, origin.key)
      const entries = origin.file ? readEntryFile(origin.file, text, context).items : []
      return { items: isDreysOwn(item) ? [] : [item, ...entries], conflicts: [] }
    }
    case "session": {
      const { readSessionItems } = await import("./session-items.ts") // pulls in a YAML parser and the schemas
      return { items: readSessionItems(text, origin), conflicts: [] }
    }
    case "document": {
      const { sectionsOf } = await import("../../team/import/foreign-entry.ts")
      const sections = sectionsOf(text, 3).filter((section) => section.text.trim() !== "")
      return { items: sections.map((section, at) => itemOfSection(origin.key, section, at)), conflicts: [] }
    }
  }
}

function readEntryFile(file: EntryFile, text: string, context: ReadingContext): ItemsOfFile {
  const { entries, diagnostics } = readEntries(text, contextOf(file, context.roster, context.now))
  const memory = file.source === "inbox" ? readMemoryFile(text) : undefined
  if (memory) return { items: [itemOfMemory(memory, file.path, entries[0])], conflicts: [] }
  const items = entries.flatMap((read) => {
    const record = context.records.get(read.id)
    return record?.status === "deleted" ? [] : [itemOfEntry(read, file, record)]
  })
  return { items, conflicts: diagnostics.filter(({ code }) => code === "conflict-marker").map(({ line }) => line) }
}

function itemOfEntry(read: ReadEntry, file: EntryFile, record: IndexRecord | undefined): Item {
  const { entry, line } = read
  const memoryClass = record?.class ?? classOfType[entry.type]
  const guidance = guidanceOf(entry, record, memoryClass)
  const text = textOf(entry)
  const ownedByAgent = file.kind === "history" ? agentKey(file.agent) : undefined
  return {
    id: read.id,
    source: file.source,
    type: entry.type,
    class: memoryClass,
    ...guidance,
    title: entry.title,
    text,
    tags: entry.tags,
    ...(entry.related.length > 0 ? { related: relatedKeys(entry.related) } : {}),
    author: entry.author,
    contributors: entry.contributors,
    agent: ownedByAgent ?? agentKey(agentOfScope(entry.scope)),
    scope: entry.scope,
    pathPrefix: pathPrefixOf(entry),
    path: file.path,
    line,
    at: momentOf(entry.timestamp),
    dayOnly: entry.precision === "day",
    expires: entry.expires === undefined ? undefined : instantOf(entry.expires),
    governed: record !== undefined,
    supersedes: [...entry.supersedes, ...named(record?.supersedes)],
    supersededBy: [...entry.supersededBy, ...named(record?.supersededBy)],
    payload: writePayload({ kind: "entry", read }, text),
  }
}

/** Summary, details and rationale; a summary that repeats part of the title or the details is dropped. */
function textOf({ title, summary, details, rationale }: Entry): string {
  const isRepeated = details !== undefined && [title, details].some((other) => plain(other).includes(plain(summary)))
  return [isRepeated ? undefined : summary, details, rationale].filter(Boolean).join("\n\n")
}

function plain(text: string): string {
  const marks = /[*_`#>…]+|^\s*[-+]\s+/gm
  return text.slice(0, 4000).replace(marks, "").replace(/\s+/g, " ").trim().toLowerCase()
}

/** The path that an entry is limited to, from its extension field `path`; a path outside the repository is ignored. */
function pathPrefixOf({ extensions }: Entry): string | undefined {
  const named = extensions.find(({ name }) => name.toLowerCase() === "path")?.value
  const parts = named
    ?.replace(/[`"']/g, "")
    .trim()
    .replace(/\\/g, "/")
    .split("/")
    .filter((part) => part !== "" && part !== ".")
  return parts === undefined || parts.length === 0 || parts.includes("..") ? undefined : parts.join("/")
}

/** Ended entries stay ended; otherwise the entry's own mark wins over the record and the class. */
function guidanceOf(entry: Entry, record: IndexRecord | undefined, memoryClass: MemoryClass): Guidance {
  const own = markedGuidance(entry)
  const hasEnded = record?.loadGuidance === "ARCHIVE" || record?.loadGuidance === "NEVER"
  const load = (hasEnded ? undefined : own) ?? record?.loadGuidance ?? defaultLoadGuidance(memoryClass)
  return markIf(load, own !== undefined || load !== defaultLoadGuidance(memoryClass))
}

type Guidance = Pick<Item, "load" | "marked">

function markIf(load: LoadGuidance, isMarked: boolean): Guidance {
  return isMarked ? { load, marked: true } : { load }
}

/** `read` is the file parsed as entries, if it is an entry file. */
function itemOfMemory(memory: MemoryFile, path: string, read?: ReadEntry): Item {
  const type = typeOfClass[memory.class] ?? "note"
  const isWaiting = /^[^/]+\/decisions\/inbox\//.test(path) // whatever class it claims
  const timestamp = parseTimestamp(memory.createdAt)
  const scope = memory.metadata.scope !== undefined && isScope(memory.metadata.scope) ? memory.metadata.scope : "team"
  const tags =
    memory.metadata.tags
      ?.split(",")
      .map((tag) => tag.trim())
      .filter(Boolean) ?? []
  return {
    id: memory.id,
    source: isWaiting || memory.class === "DECISION" ? "inbox" : memory.class === "POLICY" ? "policy" : "memory",
    type,
    class: memory.class,
    ...markIf(
      memory.loadGuidance,
      readLoadGuidance(memory.metadata.loadGuidance) === memory.loadGuidance ||
        memory.loadGuidance !== defaultLoadGuidance(memory.class),
    ),
    title: memory.title,
    text: memory.content,
    tags,
    ...(read && read.entry.related.length > 0 ? { related: relatedKeys(read.entry.related) } : {}),
    author: memory.author,
    contributors: [],
    agent: agentKey(agentOfScope(scope)),
    scope,
    pathPrefix: undefined,
    path,
    line: 1,
    at: timestamp === undefined ? undefined : instantOf(timestamp),
    expires: undefined,
    governed: true,
    supersedes: named(memory.supersedes),
    supersededBy: named(memory.supersededBy),
    payload: writePayload(read ? { kind: "entry", read } : { kind: "note" }, memory.content),
  }
}

async function itemOfSkill(text: string, name: string, path: string): Promise<Item> {
  const { readSkill } = await import("../../formats/skill.ts") // pulls in a YAML parser
  const skill = readSkill(text, name)
  const payload: ItemPayload = { kind: "skill", description: skill.description, body: skill.body }
  return {
    id: `skill:${name}`,
    source: "skills",
    type: "skill",
    class: "LOCAL",
    load: "ON-DEMAND",
    title: name,
    text: [skill.description, skill.triggers.join(", "), skill.body].filter(Boolean).join("\n\n"),
    tags: skill.domain === undefined ? [] : [skill.domain],
    author: "unknown",
    contributors: [],
    agent: undefined,
    scope: isScope(`skill:${name}`) ? `skill:${name}` : "team",
    pathPrefix: undefined,
    path,
    line: 1,
    at: undefined,
    expires: undefined,
    governed: false,
    supersedes: [],
    supersededBy: [],
    payload: writePayload(payload, ""),
  }
}

/** A section of a file that agents read by themselves: found by searches with its place, in no context. */
function itemOfSection(path: string, { heading, line, text }: MarkdownSection, at: number): Item {
  return {
    id: `doc:${path}#${at}`,
    source: "docs",
    type: "note",
    class: "LOCAL",
    load: "ON-DEMAND",
    title: heading || path,
    text,
    tags: [],
    author: "unknown",
    contributors: [],
    agent: undefined,
    scope: "team",
    pathPrefix: undefined,
    path,
    line,
    at: undefined,
    expires: undefined,
    governed: false,
    supersedes: [],
    supersededBy: [],
    payload: writePayload({ kind: "note" }, text),
  }
}

/** What `init` brings teaches agents to use Drey; clients read it as a skill, and it is nothing that the team knows. */
function isDreysOwn({ title, tags }: Item): boolean {
  return /^(?:drey|squad)-(?:conventions|memory-format|sessions)$/.test(title) && tags.includes("team-memory")
}

function momentOf(timestamp: string): number | undefined {
  return dateOf(timestamp) === undated ? undefined : instantOf(timestamp)
}

function named(id: string | undefined): string[] {
  return id === undefined ? [] : [id]
}
