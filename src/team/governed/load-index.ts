import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { removeFileDurable, writeFileAtomic } from "../../disk/atomic-write.ts"
import { requireInRepository } from "../../disk/safe-paths.ts"
import { namesIn, readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { omitUndefined } from "../../formats/objects.ts"
import { type AuditRecord, readAudit } from "../../governance/audit.ts"
import { type MemoryClass, memoryClasses } from "../../governance/classify.ts"
import { readStore } from "../team-entries.ts"
import type { StoreFolder, TeamStore } from "../team-folder.ts"
import { type MemoryFile, markSuperseded, readMemoryFile } from "./memory-file.ts"
import {
  appendToIndex,
  entryFolders,
  fileOfRecord,
  hasTombstone,
  type IndexRecord,
  isOutdated,
  pathBelow,
  readIndexFile,
  setCorruptIndexAside,
  writeIndex,
} from "./memory-index.ts"

export type LoadedIndex = {
  records: IndexRecord[]
  added: number
  /** Memories whose promotion was interrupted before they were linked to their successor. */
  linked: IndexRecord[]
  changed: boolean
  corrupt: boolean
}

/** `thorough` also reads the larger files, which contain agents' own memories; a corrupt index always does. */
export type LoadOptions = { thorough?: boolean }

/**
 * The up-to-date index: the stored records, memories whose writer was killed before updating the index, and deletions that only have a
 * tombstone yet. A missing, corrupt or outdated index is rebuilt from entry files, tombstones and audit, so that it is correct in a
 * fresh clone and on another branch. Nothing is written.
 */
export function loadIndex(store: TeamStore, folder: StoreFolder, now: Date, options: LoadOptions = {}): LoadedIndex {
  const file = readIndexFile(folder)
  const known = file.kind === "absent" ? [] : file.records
  const corrupt = file.kind === "corrupt"
  const outdated = file.kind === "read" && isOutdated(folder)
  const records = outdated ? known.filter(isExternal) : known
  const before = records.length
  const added = addFromFiles(folder, records, now)
  const isThorough = file.kind !== "read" || outdated || options.thorough
  const rebuilt = isThorough ? addFromElsewhere(store, folder, records, now) : 0
  if (outdated) keepOtherKeys(known, records.slice(before))
  const linked = completeLinks(records)
  const deleted = markDeleted(folder, records)
  const changed = corrupt || outdated || added + rebuilt + linked.length + deleted > 0
  return { records, added: added + rebuilt, linked, changed, corrupt }
}

/** A memory that only a provider has; no local file describes it. */
function isExternal(record: IndexRecord): boolean {
  return pathBelow(record) === record.path
}

/** Keeps keys of the old index that files do not have: ids of copies at providers, and keys of other tools. */
function keepOtherKeys(known: readonly IndexRecord[], rebuilt: readonly IndexRecord[]): void {
  const byId = new Map(known.map((record) => [record.id, record]))
  for (const record of rebuilt) {
    const { supersedes: _, supersededBy: __, deletedAt: ___, anchor: ____, ...old } = byId.get(record.id) ?? record
    const loadGuidance = old.status === record.status ? old.loadGuidance : record.loadGuidance
    Object.assign(record, { ...old, ...record, class: old.class, createdAt: old.createdAt, loadGuidance })
  }
}

/** Loads the index and writes what was repaired. Call it under the team folder's lock. */
export function openIndex(
  store: TeamStore,
  folder: StoreFolder,
  now: Date,
  warn: (message: string) => void,
  options: LoadOptions = {},
): IndexRecord[] {
  const { records, changed, corrupt, linked } = loadIndex(store, folder, now, options)
  if (corrupt) {
    const aside = setCorruptIndexAside(folder)
    warn(`${folder.name}/memory/index.json was corrupt; it was copied to ${aside} and rebuilt`)
  }
  if (changed) writeIndex(folder, records)
  for (const record of linked) markFile(folder, record)
  for (const record of records.filter((each) => isLeftover(each) && hasTombstone(folder, each.id))) {
    const path = fileOfRecord(folder, record)
    if (path !== undefined && existsSync(path)) removeFileDurable(path)
  }
  return records
}

/** Adds the record of a memory that was just written. Call it under the team folder's lock. */
export function addRecord({ store, folder, now, warn }: GovernedIndexPlace, record: IndexRecord): void {
  if (appendToIndex(folder, record)) return
  const others = openIndex(store, folder, now(), warn).filter(({ id }) => id !== record.id)
  writeIndex(folder, [...others, record])
}

type GovernedIndexPlace = { store: TeamStore; folder: StoreFolder; now: () => Date; warn: (message: string) => void }

/** A deleted memory whose file a killed process left behind. A cloned index is untrusted, so only memory files are removed. */
function isLeftover(record: IndexRecord): boolean {
  const isOwnFile = entryFolders.includes(dirname(pathBelow(record))) && record.path.endsWith(".md")
  return record.status === "deleted" && record.anchor === undefined && isOwnFile
}

/** Adds memories that have a file but no record. */
function addFromFiles(folder: StoreFolder, records: IndexRecord[], now: Date): number {
  const knownPaths = new Set(records.map(({ path }) => path.replace(/^\.[a-z-]+\//, "")))
  const byId = new Map(records.map((record) => [record.id, record]))
  let added = 0
  for (const below of entryFolders) {
    for (const name of markdownIn(join(folder.path, below))) {
      if (knownPaths.has(`${below}/${name}`)) continue
      const memory = readMemory(folder, `${below}/${name}`)
      if (!memory || byId.has(memory.id)) continue
      const record = recordOfFile(memory, `${folder.name}/${below}/${name}`, now)
      records.push(record)
      byId.set(record.id, record)
      added++
    }
  }
  return added
}

/** Completes interrupted promotions: the successor names the old memory, which is not linked yet. */
function completeLinks(records: IndexRecord[]): IndexRecord[] {
  const byId = new Map(records.map((record) => [record.id, record]))
  const linked: IndexRecord[] = []
  for (const record of records) {
    const successor = record.supersededBy === undefined ? undefined : byId.get(record.supersededBy)
    if (successor && successor.supersedes === undefined) successor.supersedes = record.id
    const old = record.supersedes === undefined ? undefined : byId.get(record.supersedes)
    if (old?.status !== "active") continue
    Object.assign(old, { status: "superseded", loadGuidance: "ARCHIVE", supersededBy: record.id })
    linked.push(old)
  }
  return linked
}

/** For an entry in a larger file the link in the index is enough. */
function markFile(folder: StoreFolder, record: IndexRecord): void {
  const path = record.anchor === undefined ? fileOfRecord(folder, record) : undefined
  if (path === undefined || record.supersededBy === undefined || !existsSync(path)) return
  const { text, sha256: replaces } = readTextFile(path)
  const target = requireInRepository(folder, pathBelow(record))
  writeFileAtomic(target, markSuperseded(text, record.supersededBy), { replaces })
}

function markDeleted(folder: StoreFolder, records: IndexRecord[]): number {
  const tombstones = new Set(namesIn(join(folder.path, "memory", "tombstones")))
  const found = records.filter(
    ({ id, status }) => status !== "deleted" && tombstones.has(`${encodeURIComponent(id)}.json`),
  )
  for (const record of found) {
    const deletedAt = readTombstone(folder, record.id)?.deletedAt ?? record.updatedAt
    Object.assign(record, { status: "deleted", loadGuidance: "ARCHIVE", deletedAt, updatedAt: deletedAt })
  }
  return found.length
}

/** Recovers records that have no entry file: entries merged into larger files, deleted and external memories. */
function addFromElsewhere(store: TeamStore, folder: StoreFolder, records: IndexRecord[], now: Date): number {
  const before = records.length
  const known = new Set(records.map(({ id }) => id))
  const written = new Map<string, AuditRecord>()
  for (const record of readAudit(folder.path).records) {
    if (record.action === "write" && record.id !== undefined) written.set(record.id, record)
  }
  const add = (record: IndexRecord) => {
    if (known.has(record.id)) return
    known.add(record.id)
    records.push(record)
  }
  for (const { entry, path, supersededBy } of readStore({ ...store, folders: [folder] }, now).entries) {
    if (entry.id === undefined || !uuid.test(entry.id)) continue
    const superseded = supersededBy[0]
    const memoryClass =
      memoryClasses.find((name) => name === written.get(entry.id ?? "")?.class) ?? classOfType[entry.type]
    add({
      id: entry.id,
      class: memoryClass,
      loadGuidance: superseded ? "ARCHIVE" : memoryClass === "LOCAL" ? "ON-DEMAND" : "ALWAYS",
      title: entry.title,
      path,
      status: superseded ? "superseded" : "active",
      ...(superseded ? { supersededBy: superseded } : {}),
      createdAt: entry.timestamp,
      updatedAt: entry.timestamp,
      anchor: entry.id,
    })
  }
  for (const name of namesIn(join(folder.path, "memory", "tombstones"))) {
    const tombstone = readTombstone(folder, decodeURIComponent(name.replace(/\.json$/, "")))
    if (!tombstone) continue
    const { id, path, deletedAt } = tombstone
    const audited = written.get(id)
    const { memoryClass, title, createdAt } = auditedParts(audited, deletedAt)
    add({
      id,
      class: memoryClass,
      loadGuidance: "ARCHIVE",
      title,
      path,
      status: "deleted",
      createdAt,
      updatedAt: deletedAt,
      deletedAt,
    })
  }
  for (const [id, audited] of written) {
    if (audited.provider !== "hostInjectedCopilotAdapter") continue
    const { memoryClass, title, createdAt } = auditedParts(audited, now.toISOString())
    const path = audited.path ?? `host-injected-copilot-adapter:${id}`
    add({
      id,
      class: memoryClass,
      loadGuidance: "ON-DEMAND",
      title,
      path,
      status: "active",
      createdAt,
      updatedAt: createdAt,
    })
  }
  return records.length - before
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The governed class for each SEM type. */
export const classOfType = { decision: "DECISION", directive: "POLICY", memory: "LOCAL", note: "LOCAL" } as const

function recordOfFile(memory: MemoryFile, path: string, now: Date): IndexRecord {
  const createdAt = memory.createdAt || now.toISOString()
  const superseded = memory.supersededBy !== undefined
  return {
    id: memory.id,
    class: memory.class,
    loadGuidance: superseded ? "ARCHIVE" : memory.loadGuidance,
    title: memory.title,
    path,
    status: superseded ? "superseded" : "active",
    ...omitUndefined({ supersedes: memory.supersedes, supersededBy: memory.supersededBy }),
    createdAt,
    updatedAt: createdAt,
  }
}

function auditedParts(audited: AuditRecord | undefined, fallbackTime: string) {
  const memoryClass: MemoryClass = memoryClasses.find((name) => name === audited?.class) ?? "LOCAL"
  return { memoryClass, title: audited?.title ?? "Untitled memory", createdAt: audited?.timestamp ?? fallbackTime }
}

function readTombstone(folder: StoreFolder, id: string): { id: string; path: string; deletedAt: string } | undefined {
  const path = join(folder.path, "memory", "tombstones", `${encodeURIComponent(id)}.json`)
  try {
    const value = JSON.parse(readTextFile(path).text)
    return { id, path: String(value.path ?? ""), deletedAt: String(value.deletedAt ?? "") }
  } catch {
    return undefined // the name of an unreadable tombstone still identifies the deleted memory
  }
}

/** An unreadable file is skipped; `doctor` reports it. */
function readMemory(folder: StoreFolder, path: string): MemoryFile | undefined {
  try {
    requireInRepository(folder, path)
    return readMemoryFile(readTextFile(join(folder.path, path)).text)
  } catch (error) {
    if (error instanceof DreyError) return undefined
    throw error
  }
}

function markdownIn(folder: string): string[] {
  return namesIn(folder).filter((name) => /\.md$/i.test(name) && !name.startsWith("."))
}
