import { basename } from "node:path"
import { readTextFile, type TextFile } from "../disk/read-text-file.ts"
import { DreyError } from "../errors.ts"
import type { Diagnostic } from "../formats/diagnostics.ts"
import { bodyHash } from "../formats/entry-id.ts"
import type { Roster } from "../formats/legacy/roster.ts"
import { type EntriesFile, type ReadContext, type ReadEntry, readEntries } from "../formats/read-entries.ts"
import { linkEntries } from "../formats/references.ts"
import type { Store } from "./find-store.ts"
import { requireInRepository } from "./follow-links.ts"
import { type EntryFile, type EntrySource, listEntryFiles, readRoster } from "./list-files.ts"

/** An entry of the store with its place and standing. */
export type StoreEntry = ReadEntry & { path: string; source: EntrySource; supersededBy: string[] }

export type StoreFile = EntryFile & { content: TextFile; read: EntriesFile }

export type StoreReading = {
  files: StoreFile[]
  entries: StoreEntry[]
  /** Reader's and reference diagnostics, by file. */
  diagnostics: { path: string; diagnostic: Diagnostic }[]
  /** Files that could not be read, each with its sentence; the rest of the store is there all the same. */
  unreadable: { path: string; message: string }[]
}

/** Reads every entry of a store, in both formats. Copies that stand in `.ai-team` as well as in `.squad` count once. */
export function readStore(store: Store, now: Date, only?: (file: EntryFile) => boolean): StoreReading {
  const roster = readRoster(store)
  const reading: StoreReading = { files: [], entries: [], diagnostics: [], unreadable: [] }
  for (const folder of store.folders) {
    for (const file of listEntryFiles(folder)) {
      if (only && !only(file)) continue
      try {
        reading.files.push(readEntryFile(file, roster, now))
      } catch (error) {
        if (!(error instanceof DreyError)) throw error
        reading.unreadable.push({ path: file.path, message: error.message })
      }
    }
  }
  reading.entries = collectEntries(reading.files)
  const links = linkEntries(reading.entries)
  const byId = new Map(reading.entries.map((entry) => [entry.id, entry]))
  for (const entry of reading.entries) entry.supersededBy = links.supersededBy.get(entry.id) ?? []
  for (const { path, read } of reading.files) {
    for (const diagnostic of read.diagnostics) reading.diagnostics.push({ path, diagnostic })
  }
  for (const { id, diagnostic } of links.diagnostics) {
    const path = byId.get(id)?.path
    if (path) reading.diagnostics.push({ path, diagnostic: { ...diagnostic, entryId: id } })
  }
  return reading
}

export function readEntryFile(file: EntryFile, roster: Roster, now: Date): StoreFile {
  requireInRepository(file.folder, file.path.slice(file.folder.name.length + 1), file.path)
  const content = readTextFile(file.absolute, { name: file.path })
  return { ...file, content, read: readEntries(content.text, contextOf(file, roster, now)) }
}

/** What the reader is told about a file of the store. */
export function contextOf(file: EntryFile, roster: Roster, now?: Date): ReadContext {
  return { kind: file.kind, fileName: basename(file.path), agent: file.agent, roster, now }
}

/** The entries of all files. One that shares its id with another of an earlier file gets a suffix, as within a file; a copy in `.ai-team` is dropped. */
function collectEntries(files: StoreFile[]): StoreEntry[] {
  const kept: StoreEntry[] = []
  const first = new Map<string, { entry: StoreEntry; file: StoreFile }>()
  for (const file of files) {
    for (const read of file.read.entries) {
      const entry: StoreEntry = { ...read, path: file.path, source: file.source, supersededBy: [] }
      const earlier = first.get(entry.id)
      if (!earlier) first.set(entry.id, { entry, file })
      else if (earlier.file !== file) {
        const own = bodyHash(entry.entry)
        const isCopy = own === bodyHash(earlier.entry.entry)
        if (isCopy && file.folder.name === ".ai-team" && earlier.file.folder.name === ".squad") continue
        if (!isCopy && entry.entry.id === undefined) entry.id = `${entry.id}-${own.slice(0, 4)}`
      }
      kept.push(entry)
    }
  }
  return kept
}
