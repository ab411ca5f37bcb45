import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { storeLockPath, withLock } from "../disk/lock.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import { removeFileDurable, writeFileAtomic } from "../disk/write-file-atomic.ts"
import { DreyError, exitCode } from "../errors.ts"
import { alreadyStored, type Cleared } from "../governance/cleared.ts"
import type { StoreFolder } from "./find-store.ts"

/** What becomes of one file, named by its path below the team folder. `null` stands for "not there". */
export type FileChange = { path: string; before: string | null; after: Cleared | null }

export type RecordedChange = { id: string; command: string; createdAt: string; files: string[] }

type Manifest = {
  version: 1
  id: string
  command: string
  createdAt: string
  state: "applying" | "done" | "undoing" | "undone"
  files: { path: string; before: string | null; after: string | null }[]
}

const keptChanges = 50

/**
 * Runs `act` under the store's lock, after finishing whatever a killed process left half done. All commands that change a
 * team folder come through here.
 */
export function withStore<Result>(folder: StoreFolder, act: () => Result | Promise<Result>): Promise<Result> {
  return withLock(storeLockPath(folder.path), () => {
    finishInterrupted(folder)
    return act()
  })
}

/**
 * Applies changes to several files as one: after a crash at any point the next `withStore` completes them. Call it inside
 * `withStore`. The files are changed in the order given, so put additions before removals: a reader in between may see
 * something twice, never not at all. Refuses when a file is no longer what it was when the change was planned.
 */
export function applyChange(
  folder: StoreFolder,
  command: string,
  changes: readonly FileChange[],
  now: Date,
): RecordedChange | undefined {
  const real = changes.filter(({ before, after }) => before !== after)
  if (real.length === 0) return undefined
  for (const { path, before } of real) requireUnchanged(folder, path, before)
  const id = nextId(folder, now)
  const journal = join(changesFolder(folder), id)
  const manifest: Manifest = {
    version: 1,
    id,
    command,
    createdAt: now.toISOString(),
    state: "applying",
    files: real.map(({ path, before, after }) => ({ path, before: hashOf(before), after: hashOf(after) })),
  }
  for (const [index, { before, after }] of real.entries()) {
    if (before !== null) writeFileAtomic(join(journal, `${index}.before`), before)
    if (after !== null) writeFileAtomic(join(journal, `${index}.after`), after)
  }
  writeManifest(folder, manifest) // from here on the change will happen, whatever happens to this process
  complete(folder, manifest)
  forgetOldChanges(folder)
  return { id, command, createdAt: manifest.createdAt, files: manifest.files.map(({ path }) => path) }
}

/** Takes back the last change that was not taken back yet. Refuses when a file was changed since, and then changes nothing. */
export function undoLastChange(folder: StoreFolder): RecordedChange {
  const manifest = readManifests(folder).findLast(({ state }) => state === "done")
  if (!manifest) throw new DreyError(`There is no change to undo in ${folder.name}`, { exitCode: exitCode.no })
  for (const { path, after } of manifest.files) {
    if (hashOf(currentText(folder, path)) === after) continue
    throw new DreyError(`${folder.name}/${path} was changed after "${manifest.command}"; nothing was undone`, {
      exitCode: exitCode.no,
    })
  }
  writeManifest(folder, { ...manifest, state: "undoing" })
  takeBack(folder, manifest)
  const { id, command, createdAt, files } = manifest
  return { id, command, createdAt, files: files.map(({ path }) => path) }
}

/** The changes that are on record, oldest first, with whether they still stand. */
export function listChanges(folder: StoreFolder): (RecordedChange & { undone: boolean })[] {
  return readManifests(folder).map(({ id, command, createdAt, state, files }) => ({
    id,
    command,
    createdAt,
    files: files.map(({ path }) => path),
    undone: state === "undone" || state === "undoing",
  }))
}

/** The text of a file below the team folder, `null` when it is not there. */
export function currentText(folder: StoreFolder, path: string): string | null {
  const absolute = join(folder.path, path)
  return existsSync(absolute) ? readTextFile(absolute).text : null
}

/** Completes a change, or the taking back of one, that a process did not live to finish. */
function finishInterrupted(folder: StoreFolder): void {
  for (const manifest of readManifests(folder)) {
    if (manifest.state === "applying") complete(folder, manifest)
    else if (manifest.state === "undoing") takeBack(folder, manifest)
  }
}

/** When one file cannot be written, those that were are put back: all of a change happens, or nothing. */
function complete(folder: StoreFolder, manifest: Manifest): void {
  try {
    carryOut(folder, manifest, "after")
  } catch (error) {
    takeBack(folder, manifest)
    throw error
  }
  writeManifest(folder, { ...manifest, state: "done" })
}

function takeBack(folder: StoreFolder, manifest: Manifest): void {
  carryOut(folder, { ...manifest, files: manifest.files.toReversed() }, "before", manifest.files.length - 1)
  writeManifest(folder, { ...manifest, state: "undone" })
}

/** Writes one side of a change. A file that has that side already, or that somebody else has changed since, is left as it is. */
function carryOut(folder: StoreFolder, manifest: Manifest, side: "before" | "after", reversedFrom?: number): void {
  for (const [position, file] of manifest.files.entries()) {
    const index = reversedFrom === undefined ? position : reversedFrom - position
    const from = side === "after" ? file.before : file.after
    if (hashOf(currentText(folder, file.path)) !== from) continue
    const absolute = join(folder.path, file.path)
    if (file[side] === null) removeFileDurable(absolute)
    else
      writeFileAtomic(
        absolute,
        alreadyStored(readFileSync(join(changesFolder(folder), manifest.id, `${index}.${side}`), "utf8")),
      )
  }
}

function requireUnchanged(folder: StoreFolder, path: string, before: string | null): void {
  if (currentText(folder, path) === before) return
  throw new DreyError(`${folder.name}/${path} changed in the meantime; nothing was written`, {
    hint: "Run the command again: it will start from the file as it is now.",
    exitCode: exitCode.no,
  })
}

function readManifests(folder: StoreFolder): Manifest[] {
  const root = changesFolder(folder)
  if (!existsSync(root)) return []
  return readdirSync(root)
    .sort()
    .map((id) => join(root, id, "manifest.json"))
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, "utf8")) as Manifest)
}

function writeManifest(folder: StoreFolder, manifest: Manifest): void {
  writeFileAtomic(join(changesFolder(folder), manifest.id, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Sorts by age: the time to the second and a number that grows. */
function nextId(folder: StoreFolder, now: Date): string {
  const time = `${now.toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`
  const root = changesFolder(folder)
  const numbers = existsSync(root) ? readdirSync(root).map((name) => Number(/^(\d+)-/.exec(name)?.[1] ?? 0)) : []
  return `${String(Math.max(0, ...numbers) + 1).padStart(8, "0")}-${time}`
}

function forgetOldChanges(folder: StoreFolder): void {
  const root = changesFolder(folder)
  for (const id of readdirSync(root).sort().slice(0, -keptChanges))
    rmSync(join(root, id), { recursive: true, force: true })
}

function changesFolder(folder: StoreFolder): string {
  return join(folder.path, ".drey", "changes")
}

function hashOf(text: string | null): string | null {
  return text === null ? null : createHash("sha256").update(text).digest("hex")
}
