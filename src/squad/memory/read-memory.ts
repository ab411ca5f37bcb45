import { existsSync } from "node:fs"
import { readTextFile } from "../../disk/read-text-file.ts"
import type { Entry } from "../../formats/entry.ts"
import type { StoreEntry } from "../collect-entries.ts"
import type { StoreFolder } from "../find-store.ts"
import { readStore } from "../read-store.ts"
import { readMemoryFile } from "./entry-file.ts"
import type { MemoryContext } from "./memory-context.ts"
import { fileOfRecord, type IndexRecord } from "./memory-index.ts"

/** A governed memory with its text. */
export type FullMemory = IndexRecord & { author: string; metadata: Record<string, string>; content: string }

/** Reads the memory of a record; undefined if its file is missing or only a provider has it. */
export function readMemoryOf(context: MemoryContext, record: IndexRecord): FullMemory | undefined {
  const memory = record.anchor === undefined ? readOwnFile(context.folder, record) : undefined
  if (memory) return { ...record, author: memory.author, metadata: memory.metadata, content: memory.content }
  // The file is missing: it may have been merged by hand or by another tool.
  const found = findAnchored(context, record)
  return found && { ...record, author: found.entry.author, metadata: {}, content: contentOf(found) }
}

/** The entry of a memory that is in a larger file. */
export function findAnchored(context: MemoryContext, record: IndexRecord): StoreEntry | undefined {
  const { store, folder, now } = context
  const { entries } = readStore({ ...store, folders: [folder] }, now())
  return entries.find(({ id }) => id === record.anchor) ?? entries.find(({ id }) => id === record.id)
}

export function contentOf({ entry }: { entry: Entry }): string {
  const { title, summary, details, rationale } = entry
  return [summary === title && details ? undefined : summary, details, rationale].filter(Boolean).join("\n\n")
}

function readOwnFile(folder: StoreFolder, record: IndexRecord) {
  const path = fileOfRecord(folder, record)
  if (path === undefined || !existsSync(path)) return undefined
  return readMemoryFile(readTextFile(path).text)
}
