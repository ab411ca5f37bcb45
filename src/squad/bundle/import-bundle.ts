import { existsSync, readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { readTextFile } from "../../disk/read-text-file.ts"
import { renameFileDurable } from "../../disk/rename-file.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { alreadyStored, clearText, joinCleared } from "../../governance/cleared.ts"
import { applyChange, type FileChange, withStore } from "../change.ts"
import { openDraft } from "../draft.ts"
import { folderOf, type Store, type StoreFolder } from "../find-store.ts"
import { readRoster } from "../list-files.ts"
import { type BundleFiles, topFiles } from "./bundle.ts"
import { clearFile, type Refusal } from "./clear-file.ts"
import { importHistory } from "./import-history.ts"
import { planSkills, type SkillImport } from "./import-skills.ts"
import { mergeBundle } from "./merge-bundle.ts"
import { readBundle } from "./read-bundle.ts"

export type ImportMode = "new" | "force" | "merge"

export type BundleImportOptions = { mode: ImportMode; skillsOnly: boolean; dryRun: boolean }

export type BundleImport = {
  kind: "bundle"
  /** Files of the team folder that were, or would be, written. */
  files: string[]
  /** New entries; only counted when merging. */
  added: string[]
  /** Entries whose id exists with a different text; the existing text is kept. */
  different: string[]
  skills: SkillImport[]
  refused: Refusal[]
  /** Where the previous team folder was moved to. */
  movedTo?: string
}

type Plan = Omit<BundleImport, "kind" | "files" | "movedTo"> & { changes: FileChange[] }

/** Imports another team's export: into a repository without a team folder, replacing the existing one, or merged into it. */
export async function importBundle(
  store: Store,
  path: string,
  options: BundleImportOptions,
  now: Date,
): Promise<BundleImport> {
  const files = readBundle(readTextFile(path).text, path)
  const label = labelOf(path)
  const existing = store.folders.find(isInUse)
  const mode = options.skillsOnly || !existing ? options.mode : requireMode(existing, options.mode)
  const folder = existing ?? folderOf(store)
  const replaces = mode === "force" && existing !== undefined && !options.skillsOnly
  const plan = () => planImport(store, folder, files, { label, mode, replaces, skillsOnly: options.skillsOnly }, now)
  if (options.dryRun) return toResult(plan())
  if (!replaces) return withStore(folder, () => apply(folder, plan(), now))
  // Plan before the old folder is moved: files that the bundle lacks are copied from it.
  const planned = await withStore(folder, plan)
  const movedTo = await moveAside(store.root, folder, now)
  const result = await withStore(folder, () => apply(folder, planned, now, { movedAside: movedTo }))
  return { ...result, movedTo }
}

function apply(folder: StoreFolder, plan: Plan, now: Date, options: { movedAside?: string } = {}): BundleImport {
  applyChange(folder, "import", plan.changes, now, options)
  return toResult(plan)
}

function toResult({ changes, added, different, skills, refused }: Plan): BundleImport {
  return { kind: "bundle", files: changes.map(({ path }) => path), added, different, skills, refused }
}

function planImport(
  store: Store,
  folder: StoreFolder,
  files: BundleFiles,
  { label, mode, replaces, skillsOnly }: { label: string; mode: ImportMode; replaces: boolean; skillsOnly: boolean },
  now: Date,
): Plan {
  const draft = openDraft(folder, { isEmpty: replaces }) // a replacement starts empty, although the old folder is still there
  const plan: Plan = { changes: [], added: [], different: [], skills: [], refused: [] }
  planSkills(store, draft, files, replaces, plan)
  if (!skillsOnly) {
    if (mode === "merge") mergeBundle(store, draft, files, label, now, plan)
    else writeAll(store, draft, files, label, now, plan.refused)
    if (replaces) keepWhatIsMissing(folder, files, draft)
  }
  plan.changes = draft.changes()
  return plan
}

function writeAll(
  store: Store,
  draft: ReturnType<typeof openDraft>,
  files: BundleFiles,
  label: string,
  now: Date,
  refused: Refusal[],
): void {
  const roster = readRoster(store)
  for (const [path, text] of files) {
    if (path.startsWith("skills/")) continue
    const cleared = clearFile(path, text, roster)
    refused.push(...cleared.refused)
    if (cleared.pieces.length === 0) continue
    const isHistory = /^agents\/[^/]+\/history\.md$/.test(path)
    const pieces = cleared.pieces.map((piece) => piece.text)
    draft.put(path, isHistory ? importHistory(cleared.pieces, label, now) : joinCleared(pieces))
  }
}

/** A bundle without decisions or a team must not delete the existing ones. */
function keepWhatIsMissing(old: StoreFolder, files: BundleFiles, draft: ReturnType<typeof openDraft>): void {
  for (const name of Object.keys(topFiles)) {
    const path = join(old.path, name)
    if (!files.has(name) && existsSync(path)) draft.put(name, alreadyStored(readTextFile(path).text))
  }
}

/** The other team's name in histories: the file's name, unless it contains forbidden content. */
function labelOf(path: string): string {
  const name = basename(path)
    .replace(/\.json$/i, "")
    .replace(/\s+/g, " ")
  const clearing = clearText(name)
  return clearing.kind === "cleared" ? clearing.text : "another team"
}

function requireMode(existing: StoreFolder, mode: ImportMode): ImportMode {
  if (mode !== "new") return mode
  throw new DreyError(`${existing.path} already exists; nothing was imported`, {
    hint: "Add --merge to merge both by id, or --force to move the existing folder aside.",
    exitCode: exitCode.no,
  })
}

/** A team folder with only Drey's own files, such as the lock and the sessions, does not count as in use. */
function isInUse({ path }: StoreFolder): boolean {
  return readdirSync(path).some((name) => name !== ".drey" && name !== "sessions")
}

/** Renames the whole folder: no file in it changes, and Drey's records of it move along. */
async function moveAside(root: string, folder: StoreFolder, now: Date): Promise<string> {
  const time = now.toISOString().slice(0, 19).replace(/[-:]/g, "")
  let name = `${folder.name}-archive-${time}Z`
  for (let attempt = 2; existsSync(join(root, name)); attempt++) name = `${folder.name}-archive-${time}Z-${attempt}`
  await withStore(folder, () => renameFileDurable(folder.path, join(root, name)))
  return name
}
