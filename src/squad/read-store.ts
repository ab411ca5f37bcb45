import { basename } from "node:path"
import { readTextFile, type TextFile } from "../disk/read-text-file.ts"
import { DreyError } from "../errors.ts"
import type { Diagnostic } from "../formats/diagnostics.ts"
import type { Roster } from "../formats/legacy/roster.ts"
import { type EntriesFile, type ReadContext, readEntries } from "../formats/read-entries.ts"
import { linkEntries } from "../formats/references.ts"
import { collectEntries, type StoreEntry } from "./collect-entries.ts"
import type { Store } from "./find-store.ts"
import { requireInRepository } from "./follow-links.ts"
import { type EntryFile, listEntryFiles, readRoster } from "./list-files.ts"

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
export function readStore(
  store: Store,
  now: Date,
  only?: (file: EntryFile) => boolean,
  readFile: typeof readEntryFile = readEntryFile,
): StoreReading {
  const roster = readRoster(store)
  const reading: StoreReading = { files: [], entries: [], diagnostics: [], unreadable: [] }
  for (const folder of store.folders) {
    for (const file of listEntryFiles(folder)) {
      if (only && !only(file)) continue
      try {
        reading.files.push(readFile(file, roster, now))
      } catch (error) {
        if (!(error instanceof DreyError)) throw error
        reading.unreadable.push({ path: file.path, message: error.message })
      }
    }
  }
  reading.entries = collectEntries(reading.files.flatMap(entriesOf))
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

function entriesOf({ read, path, source }: StoreFile): StoreEntry[] {
  return read.entries.map((entry) => ({ ...entry, path, source, supersededBy: [] }))
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
