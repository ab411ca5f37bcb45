import { basename } from "node:path"
import { requireInRepository } from "../disk/safe-paths.ts"
import { readTextFile, type TextFile } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import type { Diagnostic } from "../formats/diagnostics.ts"
import { type EntriesFile, type ReadContext, type ReadEntry, readEntries } from "../formats/entries.ts"
import type { EntrySource } from "../formats/entry-source.ts"
import { bodyHash } from "../formats/ids.ts"
import type { Roster } from "../formats/legacy/roster.ts"
import type { Query } from "../formats/query.ts"
import { matchesQuery } from "../formats/query-match.ts"
import { linkEntries } from "../formats/references.ts"
import { instantOf, type Timestamp } from "../formats/timestamp.ts"
import { type EntryFile, listEntryFiles, readRoster } from "./team-files.ts"
import type { TeamStore } from "./team-folder.ts"

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
export function readStore(store: TeamStore, now: Date, only?: (file: EntryFile) => boolean): StoreReading {
  return linkFiles(readFiles(store, now, { only }))
}

type ReadFiles = Pick<StoreReading, "files" | "unreadable">

/** Reads the files without resolving references between entries. */
function readFiles(
  store: TeamStore,
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

function linkFiles({ files, unreadable }: ReadFiles): StoreReading {
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

/** An entry with its file and the entries that supersede it. */
export type StoreEntry = ReadEntry & { path: string; source: EntrySource; supersededBy: string[] }

/**
 * Combines the entries of all files, in order of precedence. An entry whose id occurs in an earlier file gets a suffix, as
 * within one file; a copy in `.ai-team` is dropped.
 */
export function collectEntries(entries: Iterable<StoreEntry>): StoreEntry[] {
  const kept: StoreEntry[] = []
  const first = new Map<string, StoreEntry>()
  for (const entry of entries) {
    const earlier = first.get(entry.id)
    if (!earlier) first.set(entry.id, entry)
    else if (earlier.path !== entry.path) {
      const own = bodyHash(entry.entry)
      const isCopy = own === bodyHash(earlier.entry)
      if (isCopy && entry.path.startsWith(".ai-team/") && earlier.path.startsWith(".squad/")) continue
      if (!isCopy && entry.entry.id === undefined) entry.id = `${entry.id}-${own.slice(0, 4)}`
    }
    kept.push(entry)
  }
  return kept
}

/** Reads a team folder. Returns the same object while nothing has changed. */
export type StoreReader = (store: TeamStore, now: Date) => StoreReading

/** For long-running processes: a file is parsed again only if its text or the team's names changed. */
export function storeReader(): StoreReader {
  let known = new Map<string, StoreFile>()
  let names = ""
  let last: StoreReading | undefined
  return (store, now) => {
    const read = readFiles(store, now, {
      readFile: (file, roster) => {
        const team = [...roster.values()].join("\n")
        if (team !== names) known = new Map()
        names = team
        return readEntryFile(file, roster, now, known.get(file.path))
      },
    })
    known = new Map(read.files.map((file) => [file.path, file]))
    if (!last || !isSame(last, read)) last = linkFiles(read)
    return last
  }
}

function isSame(last: StoreReading, read: ReadFiles): boolean {
  return (
    last.files.length === read.files.length &&
    last.files.every((file, index) => file === read.files[index]) &&
    JSON.stringify(last.unreadable) === JSON.stringify(read.unreadable)
  )
}

export type Selection = {
  query: Query
  /** Include superseded entries. */
  all?: boolean
  /** The state at this time: later entries are excluded and do not supersede anything. */
  asOf?: Timestamp
}

/** The entries that match a query, newest first; entries of the same instant in file order. */
export function selectEntries(entries: readonly StoreEntry[], selection: Selection, now: Date): StoreEntry[] {
  const at = selection.asOf === undefined ? undefined : instantOf(selection.asOf)
  const existing = at === undefined ? entries : entries.filter(({ entry }) => instantOf(entry.timestamp) <= at)
  const present = new Set(existing.map(({ id }) => id))
  const asksForStatus = selection.query.filters.some(({ key }) => key === "status")
  const clock = at === undefined ? now : new Date(at)
  return existing
    .map((entry) => {
      const item =
        at === undefined ? entry : { ...entry, supersededBy: entry.supersededBy.filter((id) => present.has(id)) }
      return { item, superseded: item.supersededBy.some((id) => present.has(id)) }
    })
    .filter(({ superseded }) => selection.all || asksForStatus || !superseded)
    .filter(({ item, superseded }) => matchesQuery(selection.query, { ...item, superseded }, clock))
    .map(({ item }) => ({ item, instant: instantOf(item.entry.timestamp) })) // read once, not at every comparison
    .sort((one, other) => other.instant - one.instant)
    .map(({ item }) => item)
}
