import { lstatSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileError } from "../disk/file-error.ts"
import { isRecord, parseJson } from "../disk/parse-json.ts"
import { isDreyName, partsOf, requireRelative } from "../disk/safe-paths.ts"
import { sha256 } from "../disk/sha256.ts"
import { removeFolder, writePrivateFile } from "../disk/write-file-atomic.ts"
import { DreyError } from "../errors.ts"
import type { StoreFolder } from "./find-store.ts"
import type { RecordChange } from "./index-records.ts"
import { stateFolder, statesOf } from "./state-folder.ts"

/** The change of one path below the team folder. */
export type Step =
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
  files: Step[]
}

const keptChanges = 50

/** Oldest first. Folders that Drey did not create are skipped; an invalid manifest throws. */
export function readManifests(folder: StoreFolder): Manifest[] {
  return changeIds(folder).flatMap((id) => {
    const path = join(changesFolder(folder), id, "manifest.json")
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? [readManifest(path, id)] : []
  })
}

export function writeManifest(folder: StoreFolder, manifest: Manifest): void {
  writePrivateFile(join(changesFolder(folder), manifest.id, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`)
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
  for (const id of changeIds(folder).slice(0, -keptChanges)) removeFolder(join(changesFolder(folder), id))
}

/** Deletes all changes of a team folder, including those of earlier checkouts at the same path. Returns their number. */
export function forgetAllChanges(folder: StoreFolder): number {
  const { length } = changeIds(folder)
  for (const name of foldersIn(statesOf(folder))) removeFolder(join(statesOf(folder), name, "changes"))
  return length
}

/** Whether any change is recorded. */
export function hasChanges(folder: StoreFolder): boolean {
  return foldersIn(statesOf(folder)).some((name) => foldersIn(join(statesOf(folder), name, "changes")).length > 0)
}

export function hashOf(text: string | Uint8Array | null): string | null {
  return text === null ? null : sha256(text)
}

function changesFolder(folder: StoreFolder): string {
  return join(stateFolder(folder), "changes")
}

/** Only Drey's own names of real folders: nothing is read or deleted through a symbolic link. */
function changeIds(folder: StoreFolder): string[] {
  return foldersIn(changesFolder(folder))
    .filter((name) => /^\d{8}-\d{8}T\d{6}Z$/.test(name))
    .sort()
}

function foldersIn(path: string): string[] {
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return []
    return readdirSync(path, { withFileTypes: true }).flatMap((item) => (item.isDirectory() ? item.name : []))
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

function pathsOf(step: Step): string[] {
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

function isStep(value: unknown): value is Step {
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
