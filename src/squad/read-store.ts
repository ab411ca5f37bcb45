import { basename } from "node:path"
import { readTextFile, type TextFile } from "../disk/read-text-file.ts"
import { requireInRepository } from "../disk/safe-paths.ts"
import { DreyError } from "../errors.ts"
import type { Diagnostic } from "../formats/diagnostics.ts"
import type { Roster } from "../formats/legacy/roster.ts"
import { type EntriesFile, type ReadContext, readEntries } from "../formats/read-entries.ts"
import { linkEntries } from "../formats/references.ts"
import { collectEntries, type StoreEntry } from "./collect-entries.ts"
import type { Store } from "./find-store.ts"
import { type EntryFile, listEntryFiles, readRoster } from "./list-files.ts"

export type StoreFile = EntryFile & { content: TextFile; read: EntriesFile }

export type StoreReading = {
  files: StoreFile[]
  entries: StoreEntry[]
  /** Diagnostics of the parser and of references, by file. */
  diagnostics: { path: string; diagnostic: Diagnostic }[]
  /** Files that could not be read, with the error message; all other files are read. */
  unreadable: { path: string; message: string }[]
}

/** Reads every entry, in both formats. Copies in both `.ai-team` and `.squad` count once. */
export function readStore(store: Store, now: Date, only?: (file: EntryFile) => boolean): StoreReading {
  return linkFiles(readFiles(store, now, { only }))
}

export type ReadFiles = Pick<StoreReading, "files" | "unreadable">

/** Reads the files without resolving references between entries. */
export function readFiles(
  store: Store,
  now: Date,
  {
    only = () => true,
    readFile = readEntryFile,
  }: { only?: ((file: EntryFile) => boolean) | undefined; readFile?: typeof readEntryFile } = {},
): ReadFiles {
  const roster = readRoster(store)
  const read: ReadFiles = { files: [], unreadable: [] }
  for (const file of store.folders.flatMap(listEntryFiles).filter(only)) {
    try {
      read.files.push(readFile(file, roster, now))
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      read.unreadable.push({ path: file.path, message: error.message })
    }
  }
  return read
}

export function linkFiles({ files, unreadable }: ReadFiles): StoreReading {
  const entries = collectEntries(files.flatMap(entriesOf))
  const reading: StoreReading = { files, entries, diagnostics: [], unreadable }
  const links = linkEntries(entries)
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const isWaiting = (id: string) => byId.get(id)?.source === "inbox"
  for (const entry of entries) {
    const replacing = links.supersededBy.get(entry.id) ?? []
    const saysSo = entry.entry.supersededBy.length > 0
    entry.supersededBy = saysSo ? replacing : replacing.filter((id) => !isWaiting(id)) // a proposal does not supersede anything yet
  }
  for (const { path, read } of files) {
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

/** `before` is the previous reading, which is reused if the text is unchanged. */
export function readEntryFile(file: EntryFile, roster: Roster, now: Date, before?: StoreFile): StoreFile {
  requireInRepository(file.folder, file.path.slice(file.folder.name.length + 1), file.path)
  const content = readTextFile(file.absolute, { name: file.path })
  if (before?.content.sha256 === content.sha256) return before
  return { ...file, content, read: readEntries(content.text, contextOf(file, roster, now)) }
}

/** The parse context of a file. */
export function contextOf(file: EntryFile, roster: Roster, now?: Date): ReadContext {
  return { kind: file.kind, fileName: basename(file.path), agent: file.agent, roster, now }
}
