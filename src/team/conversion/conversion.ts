import { existsSync } from "node:fs"
import { join } from "node:path"
import { copyFileVerified, writeFileAtomic } from "../../disk/atomic-write.ts"
import { sha256 } from "../../disk/hash.ts"
import { requireInRepository } from "../../disk/safe-paths.ts"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { type EntriesFile, type ReadContext, type ReadEntry, readEntries } from "../../formats/entries.ts"
import type { Roster } from "../../formats/legacy/roster.ts"
import { isRecord } from "../../formats/objects.ts"
import { alreadyStored } from "../../governance/cleared.ts"
import { applyChange, type FileChange, withStore } from "../change.ts"
import { blameOf } from "../git/repository.ts"
import { contextOf, readEntryFile } from "../team-entries.ts"
import { type EntryFile, listEntryFiles, readRoster } from "../team-files.ts"
import type { StoreFolder, TeamStore } from "../team-folder.ts"
import { type ConversionRecord, type ConvertOptions, convertFile } from "./file-conversion.ts"

export type ConvertStoreOptions = ConvertOptions & {
  archives?: boolean
  /** Called before each file, for a progress bar. */
  onFile?: (done: number, total: number, path: string) => void
}

/** The planned conversion of a file: `text` is the new contents, `sha256` the hash of the current ones. */
export type FileConversionPlan = {
  file: EntryFile
  records: ConversionRecord[]
  text: string
  sha256: string
  changed: boolean
}
export type ConversionPlan = { files: FileConversionPlan[]; failed: { path: string; message: string }[] }

export type ConversionResult = {
  /** Backup folders relative to the repository, one per changed team folder. */
  backups: string[]
  converted: FileConversionPlan[]
  failed: { path: string; message: string }[]
}

/** Plans the conversion of all files without changing any. Unreadable files are reported; the rest are planned. */
export function planConversion(store: TeamStore, options: ConvertStoreOptions, now: Date): ConversionPlan {
  const roster = readRoster(store)
  const files = store.folders
    .flatMap(listEntryFiles)
    .filter(({ source }) => source !== "skills" && (options.archives || source !== "archive"))
  const plan: ConversionPlan = { files: [], failed: [] }
  for (const [index, file] of files.entries()) {
    options.onFile?.(index, files.length, file.path)
    try {
      plan.files.push(planFile(file, roster, options, now))
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      plan.failed.push({ path: file.path, message: error.message })
    }
  }
  options.onFile?.(files.length, files.length, "")
  return plan
}

function planFile(file: EntryFile, roster: Roster, options: ConvertStoreOptions, now: Date): FileConversionPlan {
  const { content, read } = readEntryFile(file, roster, now)
  const conflict = read.diagnostics.find(({ code }) => code === "conflict-marker")
  if (conflict) throw new DreyError(`${file.path}:${conflict.line} has an unresolved merge conflict`)
  const context = contextOf(file, roster)
  const known = withGitOrigins(file, content.text, read, context, options.bullets === true)
  const { text, records } = convertFile(file.path, content.text, known, context, options)
  return { file, records, text, sha256: content.sha256, changed: text !== content.text }
}

/** Fills in missing dates and authors from git. Ids stay the ones that other commands use. */
function withGitOrigins(
  file: EntryFile,
  text: string,
  read: EntriesFile,
  context: ReadContext,
  bullets: boolean,
): EntriesFile {
  if (!read.entries.some((entry) => lacksOrigin(entry, bullets))) return read
  const blame = blameOf(file.folder.path, file.path.slice(file.folder.name.length + 1))
  if (!blame) return read
  const blamed = readEntries(text, { ...context, blame })
  for (const [index, entry] of blamed.entries.entries()) entry.id = read.entries[index]?.id ?? entry.id
  return blamed
}

function lacksOrigin(entry: ReadEntry, bullets: boolean): boolean {
  if (entry.format !== "legacy" || (entry.unit !== "entry" && !bullets)) return false
  return entry.reading.dateSource === "none" || entry.reading.authorSource === "none"
}

/** Applies a plan: writes a backup, then all files that have not changed since planning, as one change. */
export async function applyConversion(plan: ConversionPlan, now: Date): Promise<ConversionResult> {
  const result: ConversionResult = { backups: [], converted: [], failed: [...plan.failed] }
  for (const folder of new Set(plan.files.map(({ file }) => file.folder))) {
    const changed = plan.files.filter((each) => each.changed && each.file.folder === folder)
    if (changed.length === 0) continue
    await withStore(folder, () => applyInFolder(folder, changed, plan, now, result))
  }
  return result
}

type BackupManifest = {
  version: 1
  createdAt: string
  files: { path: string; bytes: number; sha256: string; sha256After: string }[]
}

function applyInFolder(
  folder: StoreFolder,
  plans: FileConversionPlan[],
  plan: ConversionPlan,
  now: Date,
  result: ConversionResult,
): void {
  const name = freeBackupName(folder, now)
  const kept = (path: string) => requireInRepository(folder, `backups/${name}/${path}`)
  const manifest: BackupManifest = { version: 1, createdAt: now.toISOString(), files: [] }
  const ready: { each: FileConversionPlan; change: FileChange }[] = []
  for (const each of plans) {
    try {
      const current = readTextFile(each.file.absolute, { name: each.file.path })
      if (current.sha256 !== each.sha256)
        throw new DreyError(`${each.file.path} changed during the conversion and was not converted`)
      const path = each.file.path.slice(folder.name.length + 1)
      copyFileVerified(each.file.absolute, kept(path), { replaces: null })
      manifest.files.push({ path, bytes: current.bytes, sha256: current.sha256, sha256After: sha256(each.text) })
      ready.push({ each, change: { path, before: current.text, after: alreadyStored(each.text) } })
    } catch (error) {
      result.failed.push({ path: each.file.path, message: messageOf(error) })
    }
  }
  if (ready.length === 0) return
  // Backups contain everything the files contained, including secrets, so git must ignore them.
  const ignore = requireInRepository(folder, "backups/.gitignore")
  if (!existsSync(ignore)) writeFileAtomic(ignore, "*\n")
  // Write the manifest before the first change: undo needs it.
  writeFileAtomic(kept("manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`)
  const log = plan.files.filter(({ file }) => file.folder === folder).flatMap(({ records }) => records)
  writeFileAtomic(kept("convert-log.jsonl"), log.map((record) => `${JSON.stringify(record)}\n`).join(""))
  result.backups.push(`${folder.name}/backups/${name}`)
  try {
    const changes = ready.map(({ change }) => change)
    applyChange(folder, "convert-memory", changes, now)
    result.converted.push(...ready.map(({ each }) => each))
  } catch (error) {
    for (const { each } of ready) result.failed.push({ path: each.file.path, message: messageOf(error) })
  }
}

/** Restores the originals of a conversion, all or none. Throws if a file was changed since. */
export async function undoConversion(store: TeamStore, time: string): Promise<{ restored: string[] }> {
  const name = time.startsWith("convert-") ? time : `convert-${time}`
  if (!/^convert-[\w-]+$/.test(name)) throw new DreyError(`"${time}" is not the name of a backup`)
  const folders = store.folders.filter(({ path }) => existsSync(join(path, "backups", name, "manifest.json")))
  if (folders.length === 0) {
    throw new DreyError(`No conversion ${time} was found`, {
      hint: `Backups are in ${store.folders[0]?.name ?? ".squad"}/backups.`,
      exitCode: exitCode.no,
    })
  }
  const restore = async (rest: StoreFolder[], ready: Restoration[]): Promise<Restoration[]> => {
    const [folder, ...others] = rest
    if (folder) return withStore(folder, () => restore(others, [...ready, ...planUndo(folder, name)]))
    for (const { from, to, replaces } of ready) copyFileVerified(from, to, { replaces }) // all folders are locked and all files checked
    return ready
  }
  const restored = await restore(folders, [])
  return { restored: restored.map(({ path }) => path) }
}

type Restoration = { path: string; from: string; to: string; replaces: string }

/** The files to restore, after checking that neither they nor their backups were changed. */
function planUndo(folder: StoreFolder, name: string): Restoration[] {
  const backup = `backups/${name}`
  return readManifest(requireInRepository(folder, `${backup}/manifest.json`)).files.flatMap(
    ({ path, sha256: before, sha256After }) => {
      const shown = `${folder.name}/${path}`
      const to = requireInRepository(folder, path)
      const current = readTextFile(to, { name: shown }).sha256
      if (current === before) return [] // never converted, or already restored
      if (current !== sha256After) {
        throw new DreyError(`${shown} was changed after the conversion; nothing was restored`, {
          hint: `The original is in ${folder.name}/backups/${name}/${path}.`,
          exitCode: exitCode.no,
        })
      }
      const from = requireInRepository(folder, `${backup}/${path}`)
      if (readTextFile(from).sha256 !== before) {
        throw new DreyError(`The backup of ${shown} was changed; nothing was restored`, {
          exitCode: exitCode.no,
        })
      }
      return [{ path: shown, from, to, replaces: sha256After }]
    },
  )
}

function readManifest(path: string): BackupManifest {
  const { text } = readTextFile(path)
  try {
    const manifest: unknown = JSON.parse(text)
    if (isManifest(manifest)) return manifest
  } catch (cause) {
    throw new DreyError(`${path} is not valid JSON, so nothing was restored`, { cause })
  }
  throw new DreyError(`${path} is not a backup manifest, so nothing was restored`)
}

/** The manifest is in the repository, so a clone may bring a foreign one. */
function isManifest(value: unknown): value is BackupManifest {
  const isFile = (file: unknown) =>
    isRecord(file) && [file.path, file.sha256, file.sha256After].every((each) => typeof each === "string")
  return isRecord(value) && Array.isArray(value.files) && value.files.every(isFile)
}

/** `convert-20261115T220600Z`, with a number appended if two conversions happen in the same second. */
function freeBackupName(folder: StoreFolder, now: Date): string {
  const base = `convert-${now.toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`
  for (let attempt = 1; ; attempt++) {
    const name = attempt === 1 ? base : `${base}-${attempt}`
    if (!existsSync(join(folder.path, "backups", name))) return name
  }
}

function messageOf(error: unknown): string {
  if (error instanceof DreyError) return error.message
  throw error
}
