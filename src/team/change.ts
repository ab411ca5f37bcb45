import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { makeFolder, removeFileDurable, renameFileDurable, writeFileAtomic } from "../disk/atomic-write.ts"
import { withFolderLock } from "../disk/lock.ts"
import { requireInRepository, requireTeamFolder } from "../disk/safe-paths.ts"
import { readTextFile } from "../disk/text-files.ts"
import { DreyError, exitCode } from "../errors.ts"
import { alreadyStored, type Cleared } from "../governance/cleared.ts"
import {
  compareIndexes,
  forgetAllChanges,
  forgetOldChanges,
  hasChanges,
  hashOf,
  indexPath,
  type JournalStep,
  keepText,
  keptText,
  type Manifest,
  nextId,
  patchIndex,
  type RecordChange,
  readManifests,
  readPlanned,
  writeDone,
  writeManifest,
} from "./journal.ts"
import type { StoreFolder } from "./team-folder.ts"

/** The change of one file, by its path below the team folder. `null` means that the file does not exist. */
export type FileChange = { path: string; before: string | null; after: Cleared | null }

/** A file moved within the team folder without reading it; `undo` moves it to `back` if its old name must not be kept. */
export type FileMove = { from: string; to: string; back?: string }

export type RecordedChange = {
  id: string
  command: string
  createdAt: string
  files: string[]
  /** The sibling folder to which the command first moved the previous contents; `undo` leaves it there. */
  movedAside?: string
}

/** A change that a command already made, with the data to undo it. */
export type DoneChange = {
  files?: { path: string; before: string | null; after: string | null }[]
  /** `start` is where the added text begins, in bytes; `null` when the file was not there. */
  appended?: { path: string; start: number | null; text: string }
  index?: { existed: boolean; records: RecordChange[] }
}

/** Files that are written in place, without a plan. */
const recordPaths = ["memory/index.json", "memory/audit.jsonl", "memory/config.json"]

/**
 * Runs `act` under the team folder's lock, after completing any interrupted change. Every command that changes a team
 * folder uses it.
 */
export function withStore<Result>(folder: StoreFolder, act: () => Result | Promise<Result>): Promise<Result> {
  requireTeamFolder(folder)
  for (const path of recordPaths) requireInRepository(folder, path)
  const finishAndAct = () => {
    finishInterrupted(folder)
    return act()
  }
  return withFolderLock(folder.path, finishAndAct, { waitMs: longestWait })
}

/** Many agents may write briefly at the same time, and the lock is not fair. */
const longestWait = 30_000

/**
 * Applies changes to several files atomically: after a crash the next `withStore` completes them. Call it inside
 * `withStore`. Files are changed in the given order, so put additions before removals: a concurrent reader may see an entry
 * twice but never misses one. Moves come last. Throws if a file changed since the change was planned.
 */
export function applyChange(
  folder: StoreFolder,
  command: string,
  changes: readonly FileChange[],
  now: Date,
  { movedAside, moves = [] }: { movedAside?: string; moves?: readonly FileMove[] } = {},
): RecordedChange | undefined {
  const real = changes.filter(({ before, after }) => before !== after)
  if (real.length + moves.length === 0) return undefined
  for (const { path, before } of real) requireUnchanged(folder, path, before)
  for (const { from, to } of moves) requireMovable(folder, from, to)
  const manifest: Manifest = {
    version: 1,
    id: nextId(folder, now),
    command,
    createdAt: now.toISOString(),
    state: "applying",
    ...(movedAside === undefined ? {} : { movedAside }),
    files: [...real.map(stepOf), ...moves.map(({ to, ...move }) => ({ kind: "move" as const, path: to, ...move }))],
  }
  for (const [position, { before, after }] of real.entries()) {
    if (manifest.files[position]?.kind !== "file") continue
    keepText(folder, manifest.id, position, "before", before)
    keepText(folder, manifest.id, position, "after", after)
  }
  writeManifest(folder, manifest) // commit point: from here on the change is completed even after a crash
  complete(folder, manifest)
  forgetOldChanges(folder)
  return recordOf(manifest)
}

/**
 * Records changes that were written in place, so that `undo` can revert them; for commands that must be fast. Call it inside
 * `withStore` after the writes: a change whose record was not written, or did not survive a power failure, cannot be undone. Returns the change's id.
 */
export function recordChange(folder: StoreFolder, command: string, done: DoneChange, now: Date): string {
  const { files = [], appended, index } = done
  const id = nextId(folder, now)
  const steps: JournalStep[] = files.map(({ path, before, after }) => fileStep(path, before, after))
  if (appended) {
    const { path, start, text } = appended
    steps.push({ kind: "append", path, start, added: hashOf(text) ?? "" })
  }
  if (index) steps.push({ kind: "index", path: indexPath, ...index })
  for (const [position, { before }] of files.entries()) keepText(folder, id, position, "before", before)
  writeDone(folder, { version: 1, id, command, createdAt: now.toISOString(), state: "done", files: steps })
  forgetOldChanges(folder)
  return id
}

/** Undoes the last change that is not undone yet. Throws, without changing anything, if a file was changed since. */
export function undoLastChange(folder: StoreFolder): RecordedChange {
  const manifest = readManifests(folder).findLast(({ state }) => state === "done")
  if (!manifest) throw new DreyError(`There is no change to undo in ${folder.name}`, { exitCode: exitCode.no })
  for (const step of manifest.files) {
    if (canBeTakenBack(folder, step)) continue
    throw new DreyError(`${folder.name}/${step.path} was changed after "${manifest.command}"; nothing was undone`, {
      exitCode: exitCode.no,
    })
  }
  writeManifest(folder, { ...manifest, state: "undoing" })
  takeBack(folder, manifest)
  return recordOf(manifest)
}

/** The recorded changes, oldest first, each with whether it was undone. */
export function listChanges(folder: StoreFolder): (RecordedChange & { undone: boolean })[] {
  return readManifests(folder).map((manifest) => ({
    ...recordOf(manifest),
    undone: manifest.state === "undone" || manifest.state === "undoing",
  }))
}

function recordOf({ id, command, createdAt, files, movedAside }: Manifest): RecordedChange {
  const record = { id, command, createdAt, files: files.map(({ path }) => path) }
  return movedAside === undefined ? record : { ...record, movedAside }
}

/** Deletes the record of all changes, including the old texts kept for `undo`. Returns the number of changes deleted. */
export async function forgetChanges(folders: readonly StoreFolder[]): Promise<number> {
  let forgotten = 0
  for (const folder of folders) {
    if (hasChanges(folder)) forgotten += await withStore(folder, () => forgetAllChanges(folder))
  }
  return forgotten
}

/** The text of a file below the team folder, or `null` if it does not exist. */
export function currentText(folder: StoreFolder, path: string): string | null {
  const absolute = requireInRepository(folder, path)
  return existsSync(absolute) ? readTextFile(absolute, { name: join(folder.path, path) }).text : null
}

function stepOf({ path, before, after }: FileChange): JournalStep {
  const records = path === indexPath && after !== null ? compareIndexes(before, after) : undefined
  return records ? { kind: "index", path, existed: before !== null, records } : fileStep(path, before, after)
}

function fileStep(path: string, before: string | null, after: string | null): JournalStep {
  return { kind: "file", path, before: hashOf(before), after: hashOf(after) }
}

/**
 * Completes an interrupted change or undo. If a file was changed since, the change is reverted as far as possible:
 * completing it could remove text that was never written elsewhere.
 */
function finishInterrupted(folder: StoreFolder): void {
  for (const manifest of readPlanned(folder)) {
    const { state, files } = manifest
    const canComplete = () => files.every((step) => canBeTakenBack(folder, step))
    if (state === "applying" && canComplete()) complete(folder, manifest)
    else if (state === "applying" || state === "undoing") takeBack(folder, manifest)
  }
}

/** If one file cannot be written, the files already written are restored: all or nothing. */
function complete(folder: StoreFolder, manifest: Manifest): void {
  try {
    for (const [position, step] of manifest.files.entries()) carryOut(folder, manifest.id, position, step, "after")
  } catch (error) {
    takeBack(folder, manifest)
    throw error
  }
  writeManifest(folder, { ...manifest, state: "done", files: manifest.files.map(withoutSecretName) })
}

/** A file that cannot be restored does not stop the others; the next command tries it again. */
function takeBack(folder: StoreFolder, manifest: Manifest): void {
  const failures: unknown[] = []
  for (const [position, step] of [...manifest.files.entries()].reverse()) {
    try {
      carryOut(folder, manifest.id, position, step, "before")
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  writeManifest(folder, { ...manifest, state: "undone", files: manifest.files.map(withoutSecretName) })
}

function withoutSecretName(step: JournalStep): JournalStep {
  return step.kind === "move" && step.back !== undefined ? { kind: "move", path: step.path, from: step.back } : step
}

/**
 * Brings a file to its state before or after a step. Does nothing if it is already in that state. A file changed by someone
 * else is skipped when reverting, and stops the change when applying.
 */
function carryOut(
  folder: StoreFolder,
  id: string,
  position: number,
  step: JournalStep,
  side: "before" | "after",
): void {
  const absolute = join(folder.path, step.path)
  const target = requireInRepository(folder, step.path)
  if (step.kind === "file") {
    const replaces = side === "after" ? step.before : step.after
    const now = hashOf(currentText(folder, step.path))
    if (side === "after" && now !== replaces && now !== step.after) throw changedMeanwhile(folder, step.path)
    if (now !== replaces) return
    if (step[side] === null) removeFileDurable(absolute)
    else writeFileAtomic(target, alreadyStored(keptText(folder, id, position, side)), { replaces })
  } else if (step.kind === "index") {
    const text = currentText(folder, step.path)
    const patched = patchIndex(text, step.records, side)
    if (!patched || patched.text === text) return
    if (side === "before" && patched.isEmpty && !step.existed) removeFileDurable(absolute)
    else writeFileAtomic(target, alreadyStored(patched.text), { replaces: hashOf(text) })
  } else if (step.kind === "move") {
    const [from, to] = side === "after" ? [step.from, step.path] : [step.path, step.from]
    moveFile(folder, from, to)
  } else if (side === "before" && isEnd(folder, step)) {
    if (step.start === null) removeFileDurable(absolute)
    else writeFileAtomic(target, readFileSync(target).subarray(0, step.start))
  }
}

/** Whether a step can be reverted; one that already was, or whose file was deleted, counts as revertible. */
function canBeTakenBack(folder: StoreFolder, step: JournalStep): boolean {
  if (step.kind === "index") return true // a cache: only these records are patched
  if (step.kind === "move") return !(exists(folder, step.from) && exists(folder, step.path))
  if (step.kind === "append") return isEnd(folder, step)
  const now = hashOf(currentText(folder, step.path))
  return now === step.after || now === step.before
}

function isEnd(folder: StoreFolder, { path, start, added }: Extract<JournalStep, { kind: "append" }>): boolean {
  const target = requireInRepository(folder, path)
  return existsSync(target) && hashOf(readFileSync(target).subarray(start ?? 0)) === added
}

/** Idempotent, so that it can be repeated after a crash. */
function moveFile(folder: StoreFolder, from: string, to: string): void {
  for (const path of [from, to]) requireInRepository(folder, path)
  if (!exists(folder, from) || exists(folder, to)) return
  makeFolder(dirname(join(folder.path, to)))
  renameFileDurable(join(folder.path, from), join(folder.path, to))
}

function exists(folder: StoreFolder, path: string): boolean {
  return existsSync(join(folder.path, path))
}

function requireMovable(folder: StoreFolder, from: string, to: string): void {
  for (const path of [from, to]) requireInRepository(folder, path)
  if (exists(folder, from) && !exists(folder, to)) return
  throw changedMeanwhile(folder, from)
}

function requireUnchanged(folder: StoreFolder, path: string, before: string | null): void {
  if (currentText(folder, path) !== before) throw changedMeanwhile(folder, path)
}

function changedMeanwhile(folder: StoreFolder, path: string): DreyError {
  return new DreyError(`${folder.name}/${path} changed in the meantime; nothing was written`, {
    hint: "Run the command again to start from the current file.",
    exitCode: exitCode.no,
  })
}
