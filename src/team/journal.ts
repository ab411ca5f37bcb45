import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { removeFolder, writePrivateFile } from "../disk/atomic-write.ts"
import { sha256 } from "../disk/hash.ts"
import { removeFromHome } from "../disk/home-files.ts"
import { parseJson } from "../disk/json.ts"
import { storeLockPath } from "../disk/lock.ts"
import { isDreyName, partsOf, requireRelative } from "../disk/safe-paths.ts"
import { fileError } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import { isRecord } from "../formats/objects.ts"
import type { StoreFolder } from "./team-folder.ts"

/** The change of one path below the team folder. */
export type JournalStep =
  /** `before` and `after` are hashes; the texts are stored beside the manifest, named by the step's number. */
  | { kind: "file"; path: string; before: string | null; after: string | null }
  /** The index is a cache that every command writes to, so only the affected records are kept. */
  | { kind: "index"; path: string; existed: boolean; records: RecordChange[] }
  /** No text is kept, because a moved file may contain a secret. `undo` moves it to `back` if its old name is secret too. */
  | { kind: "move"; path: string; from: string; back?: string }
  /** Text appended at byte `start`; `null` if the file did not exist. `added` is its hash. */
  | { kind: "append"; path: string; start: number | null; added: string }

export type Manifest = {
  version: 1
  id: string
  command: string
  createdAt: string
  state: "applying" | "done" | "undoing" | "undone"
  movedAside?: string
  files: JournalStep[]
}

const keptChanges = 50

/** Oldest first. Files that Drey did not create are skipped; an invalid manifest throws. */
export function readManifests(folder: StoreFolder): Manifest[] {
  return changeIds(folder).flatMap((id) => readManifestOf(folder, id) ?? readDone(folder, id) ?? [])
}

/** The changes that may be interrupted: all that were not recorded after they were made. */
export function readPlanned(folder: StoreFolder): Manifest[] {
  const names = namesIn(changesFolder(folder), "folders").filter((name) => idOf(name) === name)
  return names.sort().flatMap((id) => readManifestOf(folder, id) ?? [])
}

function readManifestOf(folder: StoreFolder, id: string): Manifest | undefined {
  const path = join(changesFolder(folder), id, "manifest.json")
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readManifest(path, id) : undefined
}

export function writeManifest(folder: StoreFolder, manifest: Manifest): void {
  writePrivateFile(join(changesFolder(folder), manifest.id, "manifest.json"), textOf(manifest))
}

/**
 * Records a change that is already made, in one file that is not synced: `undo` cannot revert a change whose record a power failure
 * took. The manifest in a folder, which `undo` writes, replaces it.
 */
export function writeDone(folder: StoreFolder, manifest: Manifest & { state: "done" }): void {
  writePrivateFile(donePath(folder, manifest.id), textOf(manifest), { derived: true })
}

function readDone(folder: StoreFolder, id: string): Manifest | undefined {
  const path = donePath(folder, id)
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return undefined
  try {
    JSON.parse(readFileSync(path, "utf8"))
  } catch {
    return undefined // a power failure left half of it
  }
  return readManifest(path, id)
}

function donePath(folder: StoreFolder, id: string): string {
  return join(changesFolder(folder), `${id}.json`)
}

function textOf(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** Stores the text before or after a step. Call it before writing the manifest, which commits the change. */
export function keepText(
  folder: StoreFolder,
  id: string,
  position: number,
  side: "before" | "after",
  text: string | null,
): void {
  if (text !== null) writePrivateFile(join(changesFolder(folder), id, `${position}.${side}`), text)
}

export function keptText(folder: StoreFolder, id: string, position: number, side: "before" | "after"): string {
  return readFileSync(join(changesFolder(folder), id, `${position}.${side}`), "utf8")
}

/** An increasing number and the time to the second, so that ids sort by age. */
export function nextId(folder: StoreFolder, now: Date): string {
  const time = `${now.toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`
  const last = changeIds(folder).at(-1)
  return `${String(Number(last?.slice(0, 8) ?? 0) + 1).padStart(8, "0")}-${time}`
}

export function forgetOldChanges(folder: StoreFolder): void {
  for (const id of changeIds(folder).slice(0, -keptChanges)) {
    removeFolder(join(changesFolder(folder), id))
    removeFromHome(donePath(folder, id))
  }
}

/** Deletes all changes of a team folder, including those of earlier checkouts at the same path. Returns their number. */
export function forgetAllChanges(folder: StoreFolder): number {
  const { length } = changeIds(folder)
  for (const name of namesIn(statesOf(folder), "folders")) removeFolder(join(statesOf(folder), name, "changes"))
  return length
}

/** Whether any change is recorded. */
export function hasChanges(folder: StoreFolder): boolean {
  return namesIn(statesOf(folder), "folders").some(
    (name) => namesIn(join(statesOf(folder), name, "changes")).length > 0,
  )
}

export function hashOf(text: string | Uint8Array | null): string | null {
  return text === null ? null : sha256(text)
}

function changesFolder(folder: StoreFolder): string {
  return join(stateFolder(folder), "changes")
}

/** Sorted by age. Only Drey's own names of real files and folders: nothing is read or deleted through a symbolic link. */
function changeIds(folder: StoreFolder): string[] {
  return [...new Set(namesIn(changesFolder(folder)).flatMap((name) => idOf(name) ?? []))].sort()
}

function idOf(name: string): string | undefined {
  return /^(\d{8}-\d{8}T\d{6}Z)(?:\.json)?$/.exec(name)?.[1]
}

function namesIn(path: string, which: "folders" | "all" = "all"): string[] {
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return []
    return readdirSync(path, { withFileTypes: true }).flatMap((item) =>
      item.isDirectory() || (which === "all" && item.isFile()) ? item.name : [],
    )
  } catch (error) {
    throw fileError(path, error)
  }
}

function readManifest(path: string, id: string): Manifest {
  const value = parseJson(readFileSync(path, "utf8"), path)
  if (isManifest(value) && value.id === id) {
    for (const step of value.files) for (const each of pathsOf(step)) requireStepPath(each, path)
    return value
  }
  throw new DreyError(`${path} is not a record of a change, so nothing was changed`, {
    hint: `Delete the folder ${id} to continue; its change can then not be undone.`,
  })
}

/** Only Drey writes the journal; paths that no command writes to are still rejected. */
function requireStepPath(path: string, manifest: string): void {
  requireRelative(path, `${manifest}: ${path}`)
  if (partsOf(path).length > 0 && !partsOf(path).some(isDreyName)) return
  throw new DreyError(`${manifest} names ${path}, which is not a file of the team, so nothing was changed`, {
    hint: "Delete the record of this change to continue.",
  })
}

function pathsOf(step: JournalStep): string[] {
  return step.kind === "move" ? [step.path, step.from, ...(step.back === undefined ? [] : [step.back])] : [step.path]
}

const states = ["applying", "done", "undoing", "undone"]

function isManifest(value: unknown): value is Manifest {
  return (
    isRecord(value) &&
    value.version === 1 &&
    [value.id, value.command, value.createdAt].every((each) => typeof each === "string") &&
    states.some((state) => state === value.state) &&
    (value.movedAside === undefined || typeof value.movedAside === "string") &&
    Array.isArray(value.files) &&
    value.files.every(isStep)
  )
}

function isStep(value: unknown): value is JournalStep {
  if (!isRecord(value) || typeof value.path !== "string") return false
  const isHash = (each: unknown) => each === null || typeof each === "string"
  switch (value.kind) {
    case "file":
      return isHash(value.before) && isHash(value.after)
    case "index":
      return typeof value.existed === "boolean" && Array.isArray(value.records) && value.records.every(isRecordChange)
    case "move":
      return typeof value.from === "string" && (value.back === undefined || typeof value.back === "string")
    case "append":
      return typeof value.added === "string" && (value.start === null || Number.isSafeInteger(value.start))
    default:
      return false
  }
}

function isRecordChange(value: unknown): boolean {
  const isSide = (side: unknown) => side === null || isRecord(side)
  return isRecord(value) && typeof value.id === "string" && isSide(value.before) && isSide(value.after)
}

/**
 * The trusted state of one team folder: journal, copies for undo, the end of the audit chain, installed files. It is in
 * Drey's home, so that a clone cannot supply it. A team folder is identified by its real path and its lock file, which is
 * created once and never written: a moved, copied or re-cloned folder starts without state.
 */
export function stateFolder(folder: StoreFolder): string {
  const lock = lstatSync(storeLockPath(folder.path), { bigint: true, throwIfNoEntry: false })
  return join(statesOf(folder), lock ? lock.mtimeNs.toString(36) : "none")
}

/** The states of all folders that ever had this path. */
export function statesOf(folder: StoreFolder): string {
  return join(folder.home, "state", sha256(realPathOf(folder.path)).slice(0, 16))
}

/** Works for a team folder that does not exist yet. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path // there is no state for a missing folder
  }
}

/** One record of `memory/index.json` before and after a change; `null` means absent. */
export type RecordChange = { id: string; before: object | null; after: object | null }

type StoredRecord = object & { id: string }

export const indexPath = "memory/index.json"

/** The records that differ; undefined if one of the texts is not a list of records with unique ids. */
export function compareIndexes(before: string | null, after: string): RecordChange[] | undefined {
  const old = before === null ? [] : readRecords(before)
  const young = readRecords(after)
  if (!old || !young) return undefined
  const oldById = new Map(old.map((record) => [record.id, record]))
  const youngById = new Map(young.map((record) => [record.id, record]))
  return [...new Set([...oldById.keys(), ...youngById.keys()])]
    .map((id) => ({ id, before: oldById.get(id) ?? null, after: youngById.get(id) ?? null }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
}

/**
 * Applies one side of the changes to the index; records written by other commands since are kept. Undefined if the text is
 * not a valid index: it is then rebuilt from the files.
 */
export function patchIndex(
  text: string | null,
  changes: readonly RecordChange[],
  side: "before" | "after",
): { text: string; isEmpty: boolean } | undefined {
  const records = text === null ? [] : readRecords(text)
  if (!records) return undefined
  const wanted = new Map(changes.map((change) => [change.id, change[side]]))
  const present = new Set(records.map(({ id }) => id))
  const patched = [
    ...records.flatMap((record) => wanted.get(record.id) ?? (wanted.has(record.id) ? [] : [record])),
    ...changes.flatMap((change) => (present.has(change.id) ? [] : (change[side] ?? []))),
  ]
  return { text: `${JSON.stringify(patched, null, 2)}\n`, isEmpty: patched.length === 0 }
}

/** Rejects duplicate ids, because such records cannot be matched. */
function readRecords(text: string): StoredRecord[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined // not a list; the caller handles it
  }
  if (!Array.isArray(value) || !value.every(isStoredRecord)) return undefined
  return new Set(value.map(({ id }) => id)).size === value.length ? value : undefined
}

function isStoredRecord(value: unknown): value is StoredRecord {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string"
}
