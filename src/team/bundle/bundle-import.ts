import { existsSync, readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { renameFileDurable } from "../../disk/atomic-write.ts"
import { compareVersions } from "../../disk/templates.ts"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { type ReadEntry, readEntries, type Segment } from "../../formats/entries.ts"
import type { Entry } from "../../formats/entry.ts"
import { appendEntries } from "../../formats/entry-placing.ts"
import { normalizeEntry, writeEntry } from "../../formats/entry-writer.ts"
import { bodyHash } from "../../formats/ids.ts"
import { makeRoster, type Roster, rosterNamesOf } from "../../formats/legacy/roster.ts"
import { headingLevel } from "../../formats/markdown.ts"
import { readSkill } from "../../formats/skill.ts"
import { timestampFromDate } from "../../formats/timestamp.ts"
import { alreadyStored, type Cleared, clearText, generated, joinCleared } from "../../governance/cleared.ts"
import { moveEntries } from "../archive/move-entries.ts"
import { applyChange, type FileChange, withStore } from "../change.ts"
import { contextAt, type Draft, openDraft } from "../change-plan.ts"
import { mergeIndex } from "../git/merge-records.ts"
import { readEntryFile } from "../team-entries.ts"
import { listEntryFiles, listSkills, readRoster } from "../team-files.ts"
import { folderOf, type StoreFolder, type TeamStore } from "../team-folder.ts"
import {
  type BundleFiles,
  type ClearedPiece,
  clearFile,
  isEntryFile,
  type RefusedPiece,
  readBundle,
  topFiles,
} from "./bundle.ts"

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
  refused: RefusedPiece[]
  /** Where the previous team folder was moved to. */
  movedTo?: string
}

type BundlePlan = Omit<BundleImport, "kind" | "files" | "movedTo"> & { changes: FileChange[] }

/** Imports another team's export: into a repository without a team folder, replacing the existing one, or merged into it. */
export async function importBundle(
  store: TeamStore,
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

function apply(folder: StoreFolder, plan: BundlePlan, now: Date, options: { movedAside?: string } = {}): BundleImport {
  applyChange(folder, "import", plan.changes, now, options)
  return toResult(plan)
}

function toResult({ changes, added, different, skills, refused }: BundlePlan): BundleImport {
  return { kind: "bundle", files: changes.map(({ path }) => path), added, different, skills, refused }
}

function planImport(
  store: TeamStore,
  folder: StoreFolder,
  files: BundleFiles,
  { label, mode, replaces, skillsOnly }: { label: string; mode: ImportMode; replaces: boolean; skillsOnly: boolean },
  now: Date,
): BundlePlan {
  const draft = openDraft(folder, { isEmpty: replaces }) // a replacement starts empty, although the old folder is still there
  const plan: BundlePlan = { changes: [], added: [], different: [], skills: [], refused: [] }
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
  store: TeamStore,
  draft: ReturnType<typeof openDraft>,
  files: BundleFiles,
  label: string,
  now: Date,
  refused: RefusedPiece[],
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

type Report = { added: string[]; different: string[]; refused: RefusedPiece[] }

/** Adds the missing entries and files of a bundle. Entries are matched by id in any file; existing ones are unchanged. */
function mergeBundle(
  store: TeamStore,
  draft: Draft,
  files: BundleFiles,
  label: string,
  now: Date,
  report: Report,
): void {
  // Read legacy entries with the names of both teams, as they will be read once the other team's agents are imported.
  const roster = makeRoster([...readRoster(store).values(), ...namesOf(files)])
  const known = new Map<string, ReadEntry>()
  for (const file of store.folders.flatMap(listEntryFiles))
    for (const entry of readEntryFile(file, roster, now).read.entries) known.set(entry.id, entry)
  for (const [path, text] of files) {
    if (path.startsWith("skills/")) continue
    const { pieces, refused } = clearFile(path, text, roster)
    report.refused.push(...refused)
    if (isEntryFile(path)) mergeEntryFile(path, pieces, { draft, known, roster, label, now, report })
    else if (path === "memory/index.json") mergeIndexFile(draft, pieces)
    else if (draft.text(path) === null && pieces[0] && !isDeleted(draft, path, text)) draft.put(path, pieces[0].text)
  }
}

function namesOf(files: BundleFiles): string[] {
  const agents = [...files.keys()].map((path) => /^agents\/([^/_][^/]*)\//.exec(path)?.[1])
  return [...agents.filter((name) => name !== undefined), ...rosterNamesOf(files.get("team.md") ?? "")]
}

type Merging = {
  draft: Draft
  known: Map<string, ReadEntry>
  roster: Roster
  label: string
  now: Date
  report: Report
}

function mergeEntryFile(path: string, pieces: ClearedPiece[], merging: Merging): void {
  const { draft, roster, label, now } = merging
  const context = contextAt(path, roster)
  const text = joinCleared(pieces.map((piece) => piece.text))
  const read = readEntries(text, context)
  const fresh = new Set(read.segments.filter(({ entry }) => entry && isNew(entry, merging)))
  if (fresh.size === 0) return
  const isHistory = /^agents\/[^/]+\/history\.md$/.test(path)
  const target = path.startsWith("decisions/inbox/") ? freePath(draft, path) : path
  const present = draft.text(target)
  if (present === null) {
    const kept = read.segments.filter((segment) => !segment.entry || fresh.has(segment))
    const texts = kept.map((segment) => ({ text: generated(segment.text) }))
    draft.put(target, isHistory ? importHistory(texts, label, now) : joinCleared(texts.map((each) => each.text)))
    return
  }
  const wanted = new Set([...read.segments.keys()].filter((index) => fresh.has(read.segments[index] as Segment)))
  const moved = moveEntries(read, { text, context }, { text: present, context }, wanted)
  const others = [...moved.stuck].map((index) => read.segments[index]?.entry).filter((entry) => entry !== undefined)
  const further = others.map(({ entry, id }) => writeEntry({ ...entry, id }))
  const note = isHistory ? [writeEntry(noteOf(label, now))] : []
  draft.put(target, generated(appendEntries(moved.archive, [...further, ...note], context)))
}

function isNew(entry: ReadEntry, { known, report }: Merging): boolean {
  const present = known.get(entry.id)
  if (!present) {
    report.added.push(entry.id)
    return true
  }
  if (bodyHash(present.entry) !== bodyHash(entry.entry)) report.different.push(entry.id)
  return false
}

/** Records where the entries above it came from, as an entry of its own, so that it is not parsed as part of another. */
function noteOf(label: string, now: Date): Entry {
  const details = importNote(label, now)
  const title = `Imported from ${label}`
  return normalizeEntry({ type: "note", timestamp: timestampFromDate(now), author: "Drey", title, details })
}

function mergeIndexFile(draft: Draft, pieces: ClearedPiece[]): void {
  const ours = draft.text("memory/index.json") ?? ""
  const theirs = pieces[0]?.text ?? ""
  draft.put("memory/index.json", generated(mergeIndex({ ours, theirs })))
}

/** A memory that this team deleted is not imported again from another team's copy. */
function isDeleted(draft: Draft, path: string, text: string): boolean {
  const id = path.startsWith("memory/") ? /^id:[ \t]*([\w-]+)[ \t]*$/m.exec(text)?.[1] : undefined
  return id !== undefined && draft.text(`memory/tombstones/${id}.json`) !== null
}

function freePath(draft: Draft, path: string): string {
  for (let copy = 1; ; copy++) {
    const candidate = copy === 1 ? path : path.replace(/\.md$/i, `-${copy}.md`)
    if (draft.text(candidate) === null) return candidate
  }
}

/** Notes where an agent's history came from, and moves project-specific sections below the portable ones. */
function importHistory(pieces: readonly ClearedPiece[], label: string, now: Date): Cleared {
  const portable: Cleared[] = []
  const project: Cleared[] = []
  let target = portable
  for (const { text } of pieces) {
    const heading = /^(?:\uFEFF)?(#{1,3}[ \t].*)$/m.exec(text)?.[1]
    if (heading !== undefined && text.trimStart().startsWith(heading)) {
      if (isOfProject(heading)) target = project
      else if (isPortable(heading)) target = portable
    }
    target.push(text)
  }
  const note = generated(`> ${importNote(label, now)}\n\n`)
  if (project.length === 0) return joinCleared([note, ...portable])
  const apart = generated(`\n## Project Learnings (from import — ${label})\n\n`)
  return joinCleared([note, ...portable.map(endLine), apart, ...project.map(endLine)])
}

function importNote(label: string, now: Date): string {
  return `Imported from ${label} on ${now.toISOString()}. Portable knowledge comes first; knowledge about that project is in a section of its own below.`
}

/** Sections about one project's files, sprints and pull requests. */
function isOfProject(heading: string): boolean {
  return /^#{1,3}[ \t]*(?:key file paths|file (?:system|structure)|project (?:context|structure|learnings)|sprint|session|PR\s*#)/i.test(
    heading,
  )
}

function isPortable(heading: string): boolean {
  return headingLevel(heading) <= 2 || /^#{1,3}[ \t]*(?:learnings|portable knowledge|team updates)/i.test(heading)
}

function endLine(text: Cleared): Cleared {
  return text.endsWith("\n") ? text : joinCleared([text, generated("\n")])
}

/** The result for one imported skill; `kept` means that the existing one is the same or newer. */
type SkillImport = { name: string; change: "added" | "updated" | "kept" }

/** Plans the import of skills: new ones are added, and of two with the same name the newer version wins. */
function planSkills(
  store: TeamStore,
  draft: Draft,
  files: BundleFiles,
  replaces: boolean,
  plan: { skills: SkillImport[]; refused: RefusedPiece[] },
): void {
  const present = new Map(replaces ? [] : listSkills(store.root).map((skill) => [skill.name, skill.text]))
  for (const [path, text] of files) {
    const name = /^skills\/([^/]+)\/SKILL\.md$/.exec(path)?.[1]
    if (name === undefined) continue
    const { pieces, refused } = clearFile(path, text, readRoster(store))
    plan.refused.push(...refused)
    const [piece] = pieces
    if (!piece) continue
    const known = present.get(name)
    if (known !== undefined && !isNewer(text, known, name)) {
      plan.skills.push({ name, change: "kept" })
      continue
    }
    plan.skills.push({ name, change: known === undefined ? "added" : "updated" })
    draft.put(path, piece.text)
  }
}

function isNewer(text: string, than: string, name: string): boolean {
  return compareVersions(readSkill(text, name).version, readSkill(than, name).version) > 0
}
