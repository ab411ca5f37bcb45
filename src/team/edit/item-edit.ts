import { existsSync } from "node:fs"
import { join } from "node:path"
import { sha256 } from "../../disk/hash.ts"
import { requireInRepository } from "../../disk/safe-paths.ts"
import { readTextFile } from "../../disk/text-files.ts"
import type { Entry, EntryType } from "../../formats/entry.ts"
import { writeEntry } from "../../formats/entry-writer.ts"
import { undated } from "../../formats/legacy/fallbacks.ts"
import { missingLines } from "../../formats/legacy/missing-lines.ts"
import { splitLines } from "../../formats/source-text.ts"
import { dateOf } from "../../formats/timestamp.ts"
import type { AuditRecord } from "../../governance/audit.ts"
import { defaultLoadGuidance } from "../../governance/classify.ts"
import { type Cleared, clearText, generated } from "../../governance/cleared.ts"
import { detectForbidden } from "../../governance/detect-forbidden.ts"
import { applyChange, withStore } from "../change.ts"
import { type ChangePlan, startPlan } from "../change-plan.ts"
import { auditTitle, type GovernedContext, readMemoryConfig } from "../governed/governed-context.ts"
import { loadIndex } from "../governed/load-index.ts"
import { type MemoryFile, readMemoryFile } from "../governed/memory-file.ts"
import { type IndexRecord, pathBelow } from "../governed/memory-index.ts"
import { indexPath, patchIndex } from "../journal.ts"
import { writeAudit } from "../merge/merged-records.ts"
import type { StoreEntry, StoreFile, StoreReader } from "../team-entries.ts"

/** The result of a requested change. */
export type EditOutcome =
  /** `id` is the item to show next, null if there is none; `change` is the key for `undo`, null if nothing had to change. */
  | { kind: "done"; id: string | null; summary: string; change: string | null }
  /** The item was changed or deleted in the meantime. Nothing was written. */
  | { kind: "changed" }
  | { kind: "refused"; reason: string } // never contains the text

export type EditAction = "edit" | "supersede" | "pin" | "forget"

/** An entry or a learned memory as the user edits it. */
export type EditableItem = {
  id: string
  /** The version of the current text; a change must name the version it is based on. */
  version: string
  title: string
  /** The text without its heading and metadata. */
  markdown: string
  tags: string[]
  pinned: boolean
  /** Whether each action is allowed, or why not. */
  can: Record<EditAction, true | string>
  /** Path from the repository root; "" for a learned memory, which has no file. */
  path: string
  line: number
}

/** New texts for an item; omitted fields stay. */
export type EditRequest = {
  version: string
  /** What an entry is; the type of a memory cannot be changed. */
  type?: EntryType | undefined
  title?: string | undefined
  markdown?: string | undefined
  tags?: string[] | undefined
}
export type SupersedeRequest = { version: string; title: string; markdown: string; reason?: string | undefined }
/** `by` is the id of an entry that exists. */
export type ReplaceRequest = { version: string; by: string }
export type PinRequest = { version: string; pinned: boolean }
export type ForgetEntryRequest = { version: string; reason?: string | undefined }

/** The last change, which can be undone. */
export type AvailableUndo = { key: string; summary: string; at: string }

/** Changes one item at a time on behalf of the user. Each change is checked, audited, and can be undone. */
export type Editor = {
  /**
   * undefined if no entry or memory has this id; skills and session notes cannot be edited.
   * @example const item = await drey.team.editor.read("sem-1f0c22")
   */
  read(id: string): Promise<EditableItem | undefined>
  /**
   * Rewrites an item in place. It keeps its id, except for a learned memory, which gets a new one.
   * @example await drey.team.editor.edit(item.id, { version: item.version, title: "Log in with passkeys" })
   */
  edit(id: string, change: EditRequest): Promise<EditOutcome>
  /**
   * Adds a successor dated now; the old item stays and links to it.
   * @example await drey.team.editor.supersede(item.id, { version: item.version, title: "Use passkeys", markdown: "Only." })
   */
  supersede(id: string, change: SupersedeRequest): Promise<EditOutcome>
  /**
   * Marks an entry as superseded by another one that exists.
   * @example await drey.team.editor.replaceBy(item.id, { version: item.version, by: "sem-2e8d41" })
   */
  replaceBy(id: string, change: ReplaceRequest): Promise<EditOutcome>
  /**
   * A pinned item is never archived, and only the user can end it.
   * @example await drey.team.editor.pin(item.id, { version: item.version, pinned: true })
   */
  pin(id: string, change: PinRequest): Promise<EditOutcome>
  /**
   * Ends an item, with the reason on record.
   * @example await drey.team.editor.forget(item.id, { version: item.version, reason: "Out of date" })
   */
  forget(id: string, change: ForgetEntryRequest): Promise<EditOutcome>
  /**
   * The change that `undo` would revert: the last one of the team's files by any command, or of learned memory by this editor.
   * @example const change = await drey.team.editor.nextUndo()
   */
  nextUndo(): Promise<AvailableUndo | undefined>
  /**
   * Undoes the last change if it is still the one with this key.
   * @example await drey.team.editor.undo(change.key)
   */
  undo(key: string): Promise<EditOutcome>
}

/** A planned change; its files are already in the draft. */
export type PlannedEdit = { kind: "planned"; id: string | null; summary: string } | { kind: "refused"; reason: string }

type Wanted = { action: EditAction; version: string }

/** Plans and applies a change under the team folder's lock, if the item is still at the version the user read. */
export function changeItem(
  desk: EditContext,
  id: string,
  wanted: Wanted,
  plan: (found: FoundItem, work: ChangePlan) => PlannedEdit,
): Promise<EditOutcome> {
  const { store, folder, now } = desk.context
  return withStore(folder, () => {
    const checked = check(desk, id, wanted)
    if (checked.kind !== "free") return checked
    return applyEdit(startPlan(store, folder, now()), wanted.action, (work) => plan(checked.found, work))
  })
}

/** Checks that an item is still at the version the user read and allows the change. Call it under the team folder's lock. */
export function check(
  desk: EditContext,
  id: string,
  { action, version }: Wanted,
): EditOutcome | { kind: "free"; found: FoundItem } {
  const found = findEntry(desk, id)
  if (found?.version !== version) return { kind: "changed" }
  const may = allowedActions(desk, found)[action]
  return may === true ? { kind: "free", found } : { kind: "refused", reason: may }
}

/** Call it under the team folder's lock. */
export function applyEdit(work: ChangePlan, command: string, plan: (work: ChangePlan) => PlannedEdit): EditOutcome {
  const planned = plan(work)
  if (planned.kind === "refused") return planned
  const { draft, now, audit } = work
  const change = applyChange(draft.folder, command, draft.changes(), now, { moves: draft.moves() })
  if (change) writeAudit(draft.folder, audit)
  return { kind: "done", id: planned.id, summary: planned.summary, change: change?.id ?? null }
}

/** Records a rejected change in the audit log, without its text. */
export async function refuseChange({ context, user }: EditContext, reason: string): Promise<EditOutcome> {
  const { folder, now } = context
  const record = { class: "FORBIDDEN", title: "Rejected change", reason: `Rejected as forbidden memory: ${reason}` }
  await withStore(folder, () =>
    writeAudit(folder, [
      {
        timestamp: now().toISOString(),
        action: "reject",
        ...record,
        actor: auditTitle(user, "unknown"),
        provider: "local",
      },
    ]),
  )
  return { kind: "refused", reason }
}

/** Plans an audit line. A title derived from the text counts as text and is left out. */
export function noteChange(
  work: ChangePlan,
  { user }: EditContext,
  {
    entry,
    ...record
  }: { entry: Pick<Entry, "title" | "summary"> } & Pick<AuditRecord, "action" | "reason"> & {
      id: string
      path: string
      class: string
    },
): void {
  const isText =
    entry.summary !== entry.title && (entry.summary.startsWith(entry.title) || entry.title.startsWith(entry.summary))
  work.audit.push({
    timestamp: work.now.toISOString(),
    ...record,
    title: auditTitle(isText ? undefined : entry.title, "Changed entry"),
    actor: auditTitle(user, "unknown"),
    provider: "local",
  })
}

/** Updates a memory's record in the index. A damaged index is left unchanged: it is rebuilt from the files. */
export function putRecord({ draft, now }: ChangePlan, record: IndexRecord, change: Partial<IndexRecord>): IndexRecord {
  const after = { ...record, updatedAt: now.toISOString(), ...change }
  const patched = patchIndex(draft.text(indexPath), [{ id: record.id, before: record, after }], "after")
  if (patched) draft.put(indexPath, generated(patched.text))
  return after
}

/** What every edit needs. */
export type EditContext = {
  context: GovernedContext
  /** Who makes the changes. */
  user: string
  squadUi: boolean
  read: StoreReader
}

/** An entry of a larger file, or of a file of its own. */
export type FoundEntry = {
  kind: "entry"
  id: string
  version: string
  own: StoreEntry
  file: StoreFile
  /** Its index among the segments of the file. */
  position: number
  /** The entry that replaced it; proposals in the inbox do not count. */
  replacedBy: string | undefined
  /** Its record in the index of governed memory. */
  record: IndexRecord | undefined
}

/** A governed memory in a file with front matter. */
export type FoundMemory = {
  kind: "governed"
  id: string
  version: string
  memory: MemoryFile
  /** Below the team folder. */
  path: string
  text: string
  record: IndexRecord
}

export type FoundItem = FoundEntry | FoundMemory

/** Finds an entry or governed memory by id. */
export function findEntry({ context, read }: EditContext, id: string): FoundItem | undefined {
  const { store, folder, now } = context
  const reading = read(store, now())
  const own = reading.entries.find((entry) => entry.id === id)
  const { records } = loadIndex(store, folder, now())
  const file = reading.files.find(({ path }) => path === own?.path)
  if (own && file) {
    const record = records.find((each) => (each.anchor ?? each.id) === id && each.status !== "deleted")
    const memory = file.source === "inbox" ? readMemoryFile(file.content.text) : undefined
    if (memory) return record && foundMemory(pathBelow(file), file.content.text, memory, record)
    const position = file.read.segments.findIndex(({ entry }) => entry?.line === own.line)
    const text = file.read.segments[position]?.text ?? ""
    const settled = new Set(reading.entries.filter(({ source }) => source !== "inbox").map((entry) => entry.id))
    const replacedBy = own.supersededBy.find((each) => settled.has(each))
    return { kind: "entry", id, version: versionOf(text), own, file, position, replacedBy, record }
  }
  const record = records.find((each) => each.id === id && each.status !== "deleted" && each.anchor === undefined)
  return record && findMemory(context, record)
}

/** Ignores blank lines after the entry. */
export function versionOf(text: string): string {
  return sha256(text.trimEnd()).slice(0, 16)
}

function findMemory({ folder }: GovernedContext, record: IndexRecord): FoundMemory | undefined {
  const path = pathBelow(record)
  if (path === record.path || path.split("/").includes("..") || !existsSync(join(folder.path, path))) return undefined
  requireInRepository(folder, path)
  const { text } = readTextFile(join(folder.path, path), { name: record.path })
  const memory = readMemoryFile(text)
  return memory && foundMemory(path, text, memory, record)
}

function foundMemory(path: string, text: string, memory: MemoryFile, record: IndexRecord): FoundMemory {
  return { kind: "governed", id: memory.id, version: versionOf(text), memory, path, text, record }
}

/** Which actions are allowed on an entry; a string is the reason why not. */
export function allowedActions(desk: EditContext, found: FoundItem): Record<EditAction, true | string> {
  if (found.kind === "governed") {
    const isAlways = defaultLoadGuidance(found.memory.class) === "ALWAYS"
    const isReplaced = found.memory.supersededBy !== undefined
    return {
      edit: true,
      supersede: isReplaced ? `it was replaced by ${found.memory.supersededBy}` : true,
      pin: isAlways ? "all memories of its class are always loaded" : true,
      forget: true,
    }
  }
  const general = whyLeftAlone(desk, found)
  if (general !== undefined) return { edit: general, supersede: general, pin: general, forget: general }
  const form = whyNotRewritten(found) ?? true
  return { edit: form, supersede: whyNotReplaced(found) ?? true, pin: form, forget: true }
}

function whyLeftAlone({ context }: EditContext, { file, own }: FoundEntry): string | undefined {
  if (file.folder.name !== context.folder.name)
    return `${file.folder.name} is read-only, because ${context.folder.name} exists`
  if (own.source === "archive") return "archived entries cannot be changed"
  const conflict = file.read.diagnostics.find(({ code }) => code === "conflict-marker")
  return conflict && `line ${conflict.line} of ${file.path} has an unresolved merge conflict`
}

function whyNotReplaced({ own, replacedBy }: FoundEntry): string | undefined {
  if (own.source === "inbox") return "it is only a proposal: accept, reject or edit it"
  return replacedBy && `it was replaced by ${replacedBy}`
}

/** Editing a legacy entry converts it to SEM, so the same conditions apply. */
function whyNotRewritten({ own, file, position }: FoundEntry): string | undefined {
  if (own.format === "sem") return undefined
  if (dateOf(own.entry.timestamp) === undated) return `it has no date; add one at ${file.path}:${own.line} first`
  const { lines } = splitLines(file.read.segments[position]?.text ?? "")
  const [lost] = missingLines(lines, writeEntry(own.entry))
  return lost && `line ${own.line + lost.index} of ${file.path} would be lost; edit the file by hand`
}

type Texts = Record<string, string | undefined>

export type ClearedChange<Given extends Texts> =
  | { kind: "cleared"; texts: { [Name in keyof Given]: Given[Name] extends string ? Cleared : Cleared | undefined } }
  | { kind: "refused"; reason: string }

/** Checks the user's texts one by one against governance; a rejection names the rule and the field. */
export function clearChange<Given extends Texts>({ context }: EditContext, given: Given): ClearedChange<Given> {
  const { personalData } = readMemoryConfig(context.folder).config
  const cleared: Record<string, Cleared | undefined> = {}
  for (const [name, text] of Object.entries(given)) {
    const clearing = text === undefined ? undefined : clearText(text, personalData)
    if (clearing?.kind === "refused") {
      const rule = detectForbidden(text ?? "")[0]?.rule
      const reason = `the ${name} contains forbidden content: ${clearing.reason}${rule ? ` (${rule})` : ""}`
      return { kind: "refused", reason }
    }
    cleared[name] = clearing?.text
  }
  return { kind: "cleared", texts: cleared } as ClearedChange<Given> // same keys as given
}
