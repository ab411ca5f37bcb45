import { agentKey } from "../formats/agent-key.ts"
import type { Entry } from "../formats/entry.ts"
import { undated } from "../formats/legacy/fallbacks.ts"
import type { Roster } from "../formats/legacy/roster.ts"
import { type ReadEntry, readEntries } from "../formats/read-entries.ts"
import { agentOfScope, isScope } from "../formats/scope.ts"
import { dateOf, instantOf, parseTimestamp } from "../formats/timestamp.ts"
import { defaultLoadGuidance, type LoadGuidance, type MemoryClass, readLoadGuidance } from "../governance/classify.ts"
import type { Item } from "../index/item.ts"
import type { EntryFile } from "../squad/list-files.ts"
import { markedGuidance } from "../squad/load-guidance.ts"
import { type MemoryFile, readMemoryFile } from "../squad/memory/entry-file.ts"
import { classOfType } from "../squad/memory/load-index.ts"
import type { IndexRecord } from "../squad/memory/memory-index.ts"
import { contextOf } from "../squad/read-store.ts"
import type { OriginFile } from "./list-origins.ts"
import { type ItemPayload, writePayload } from "./payload.ts"

export type ReadingContext = {
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
    case "skill":
      return { items: [await itemOfSkill(text, origin.name, origin.key)], conflicts: [] }
    case "session": {
      const { readSessionItems } = await import("./session-items.ts") // pulls in a YAML parser and the schemas
      return { items: readSessionItems(text, origin), conflicts: [] }
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

const typeOfClass = { POLICY: "directive", DECISION: "decision" } as const

/** `read` is the file parsed as entries, if it is an entry file. */
function itemOfMemory(memory: MemoryFile, path: string, read?: ReadEntry): Item {
  const isRule = memory.class === "POLICY" || memory.class === "DECISION"
  const type = isRule ? typeOfClass[memory.class as keyof typeof typeOfClass] : "note"
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
  const { readSkill } = await import("../formats/skill.ts") // pulls in a YAML parser
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

function momentOf(timestamp: string): number | undefined {
  return dateOf(timestamp) === undated ? undefined : instantOf(timestamp)
}

function named(id: string | undefined): string[] {
  return id === undefined ? [] : [id]
}
