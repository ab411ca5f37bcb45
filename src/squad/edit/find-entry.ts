import { existsSync } from "node:fs"
import { join } from "node:path"
import { readTextFile } from "../../disk/read-text-file.ts"
import { requireInRepository } from "../../disk/safe-paths.ts"
import { sha256 } from "../../disk/sha256.ts"
import type { StoreEntry } from "../collect-entries.ts"
import { type MemoryFile, readMemoryFile } from "../memory/entry-file.ts"
import { loadIndex } from "../memory/load-index.ts"
import type { MemoryContext } from "../memory/memory-context.ts"
import { type IndexRecord, pathBelow } from "../memory/memory-index.ts"
import type { StoreFile } from "../read-store.ts"
import type { StoreReader } from "../store-reader.ts"

/** What every edit needs. */
export type EntryDesk = {
  context: MemoryContext
  /** Who makes the changes. */
  user: string
  squadUi: boolean
  read: StoreReader
}

/** An entry of a larger file, or of a file of its own. */
export type FoundEntry = {
  kind: "entry"
  id: string
  version: string
  own: StoreEntry
  file: StoreFile
  /** Its index among the segments of the file. */
  position: number
  /** The entry that replaced it; proposals in the inbox do not count. */
  replacedBy: string | undefined
  /** Its record in the index of governed memory. */
  record: IndexRecord | undefined
}

/** A governed memory in a file with front matter. */
export type FoundMemory = {
  kind: "governed"
  id: string
  version: string
  memory: MemoryFile
  /** Below the team folder. */
  path: string
  text: string
  record: IndexRecord
}

export type Found = FoundEntry | FoundMemory

/** Finds an entry or governed memory by id. */
export function findEntry({ context, read }: EntryDesk, id: string): Found | undefined {
  const { store, folder, now } = context
  const reading = read(store, now())
  const own = reading.entries.find((entry) => entry.id === id)
  const { records } = loadIndex(store, folder, now())
  const file = reading.files.find(({ path }) => path === own?.path)
  if (own && file) {
    const record = records.find((each) => (each.anchor ?? each.id) === id && each.status !== "deleted")
    const memory = file.source === "inbox" ? readMemoryFile(file.content.text) : undefined
    if (memory) return record && foundMemory(pathBelow(file), file.content.text, memory, record)
    const position = file.read.segments.findIndex(({ entry }) => entry?.line === own.line)
    const text = file.read.segments[position]?.text ?? ""
    const settled = new Set(reading.entries.filter(({ source }) => source !== "inbox").map((entry) => entry.id))
    const replacedBy = own.supersededBy.find((each) => settled.has(each))
    return { kind: "entry", id, version: versionOf(text), own, file, position, replacedBy, record }
  }
  const record = records.find((each) => each.id === id && each.status !== "deleted" && each.anchor === undefined)
  return record && findMemory(context, record)
}

/** Ignores blank lines after the entry. */
export function versionOf(text: string): string {
  return sha256(text.trimEnd()).slice(0, 16)
}

function findMemory({ folder }: MemoryContext, record: IndexRecord): FoundMemory | undefined {
  const path = pathBelow(record)
  if (path === record.path || path.split("/").includes("..") || !existsSync(join(folder.path, path))) return undefined
  requireInRepository(folder, path)
  const { text } = readTextFile(join(folder.path, path), { name: record.path })
  const memory = readMemoryFile(text)
  return memory && foundMemory(path, text, memory, record)
}

function foundMemory(path: string, text: string, memory: MemoryFile, record: IndexRecord): FoundMemory {
  return { kind: "governed", id: memory.id, version: versionOf(text), memory, path, text, record }
}
