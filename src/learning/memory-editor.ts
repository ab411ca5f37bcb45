import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { removeFromHome } from "../disk/home-files.ts"
import { withLock } from "../disk/lock.ts"
import { fileError } from "../disk/text-files.ts"
import { cleanMemoryText, longestMemory, toOneLine } from "../formats/text.ts"
import type { CommitPolicy, MemoryEdit } from "../memories/learned-store.ts"
import type { Memory } from "../memories/memory.ts"
import { clearNote } from "../memories/proposal.ts"
import { entryEditor } from "../team/edit/entry-editor.ts"
import type { AvailableUndo, EditableItem, EditContext, EditOutcome, Editor } from "../team/edit/item-edit.ts"
import { storeReader } from "../team/team-entries.ts"
import { offerUndo, undoChange } from "../team/undo.ts"
import { commitPolicyOf } from "./learner.ts"
import { isCopy, type LearningParts, type LearningProject, whyCopy } from "./learning-parts.ts"

/** Edits single learned memories; each change is in the memory's history and can be undone. */
export function memoryEditor(parts: LearningParts, project: LearningProject): Editor {
  const { store, now, policyFor } = parts
  const find = async (id: string) => (await store.find(id)).find((memory) => memory.id === id)
  const change = async (id: string, version: string, edit: MemoryEdit, summary: string): Promise<EditOutcome> => {
    const memory = await find(id)
    if (memory && isCopy(parts, memory)) return { kind: "refused", reason: whyCopy }
    const outcome = await store.editMemory({ id, version: Number(version) }, edit, now().toISOString())
    if (outcome.kind !== "done") return outcome
    return { kind: "done", id: edit.kind === "forget" ? null : outcome.id, summary, change: keyOf(outcome.edit) }
  }
  return {
    async read(id) {
      const memory = await find(id)
      return memory && describe(memory, isCopy(parts, memory))
    },
    async edit(id, { version, title, markdown, tags }) {
      if (tags?.some((tag) => tag.trim() !== "")) return { kind: "refused", reason: "a learned memory has no tags" }
      const text = toOneLine(markdown ?? title ?? "")
      const reason = whyNoMemory(text)
      if (reason !== undefined) return { kind: "refused", reason }
      return change(id, version, { kind: "reword", text }, `Edited: ${text}`)
    },
    async supersede(id, { version, title, markdown, reason = "stated by the user" }) {
      const text = toOneLine(markdown.trim() === "" ? title : markdown)
      const why = whyNoMemory(text)
      if (why !== undefined) return { kind: "refused", reason: why }
      const memory = await find(id)
      if (!memory) return { kind: "changed" }
      const expires = expiryOf(memory, commitPolicyOf(policyFor(project.root, memory)), now())
      return change(id, version, { kind: "replace", text, reason, expires }, `Replaced by: ${text}`)
    },
    replaceBy: async () => ({ kind: "refused", reason: "a learned memory is replaced by its new text" }),
    pin: (id, { version, pinned }) => change(id, version, { kind: "pin", pinned }, pinned ? "Pinned" : "Unpinned"),
    forget: (id, { version, reason = "forgotten by the user" }) =>
      change(id, version, { kind: "forget", reason }, "Forgotten"),
    async nextUndo() {
      const last = await store.lastEdit(project.id)
      return last && { key: keyOf(last.edit), summary: `"${last.action}": ${last.text}`, at: last.ts }
    },
    async undo(key) {
      const id = await store.undoEdit(project.id, Number(key.slice(prefix.length)), now().toISOString())
      return id === undefined ? { kind: "changed" } : { kind: "done", id, summary: "Undone", change: null }
    },
  }
}

const prefix = "learned:"

function keyOf(edit: number): string {
  return prefix + edit
}

function isLearnedKey(key: string): boolean {
  return key.startsWith(prefix)
}

function describe({ id, version, text, pinned, status }: Memory, isCopy: boolean): EditableItem {
  const may: true | string = status === "deprecated" ? "it is no longer active" : isCopy ? whyCopy : true
  const can = { edit: may, supersede: may, pin: may, forget: may }
  return { id, version: String(version), title: text, markdown: text, tags: [], pinned, can, path: "", line: 0 }
}

/** Text that is too long is refused rather than truncated: the user's words are kept whole. */
function whyNoMemory(text: string): string | undefined {
  if (text === "") return "the text is empty"
  if (cleanMemoryText(text) === text) return undefined
  return `a memory is one or two sentences, at most ${longestMemory} characters`
}

const dayMs = 86_400_000

/** The usual trial period of a new memory. */
function expiryOf({ tier }: Memory, { emergencyDays, shortTermDays }: CommitPolicy, now: Date): string | undefined {
  if (tier === "long_term") return undefined
  return new Date(now.getTime() + (tier === "emergency" ? emergencyDays : shortTermDays) * dayMs).toISOString()
}

export type ForgetReport = { forgotten: string[]; purged: boolean }

type ForgetRequest = {
  purge: boolean
  reason: string
  now: string
  /** The folder with the indexes of all checkouts. */
  indexFolder: string
}

/** Ends memories; `purge` removes everything but their ids, so that they are not learned again. */
export async function forget(
  { store }: LearningParts,
  ids: readonly string[],
  { indexFolder, ...request }: ForgetRequest,
): Promise<ForgetReport> {
  const forgotten = await store.forget(ids, request)
  if (request.purge && forgotten.length > 0) await removeIndexes(indexFolder)
  return { forgotten, purged: request.purge }
}

/**
 * An index keeps deleted text until the space is reused. It is derived data, and the next process that needs it
 * rebuilds it.
 */
async function removeIndexes(folder: string): Promise<void> {
  const names = existsSync(folder) ? readdirSync(folder) : []
  for (const name of new Set(names.flatMap((each) => /^[0-9a-f]+\.db/.exec(each)?.[0] ?? [])))
    await withLock(join(folder, `${name}.lock`), () => {
      for (const part of names.filter((each) => each.startsWith(name) && !/\.lock(?:-\w+)?$/.test(each)))
        remove(join(folder, part))
    })
}

function remove(path: string): void {
  try {
    removeFromHome(path)
  } catch (error) {
    throw fileError(path, error)
  }
}

/** Flags a memory that the team declined, or removes the flag; retries if the memory changed meanwhile. */
export async function noteRefusal(
  { store, now }: LearningParts,
  project: LearningProject,
  id: string,
  reason: string | undefined,
): Promise<void> {
  for (;;) {
    const memory = (await store.find(id)).find((each) => each.id === id)
    const isNoted = memory?.flags.includes("refused") === true
    if (!memory || memory.status === "deprecated" || isNoted === (reason !== undefined)) return
    const { version, status, tier, expires } = memory
    const flags = isNoted ? memory.flags.filter((flag) => flag !== "refused") : [...memory.flags, "refused"]
    const said = reason === undefined ? "the team accepted it after all" : `the team declined it: ${clearNote(reason)}`
    const decision = { memory: id, version, result: "flag" as const, status, tier, expires, flags, reason: said }
    const applied = await store.applyDecisions(project.id, [decision], now().toISOString(), { isEvaluation: false })
    if (applied.length > 0) return
  }
}

type EditorOptions = Omit<EditContext, "read"> & { learned: () => Promise<Editor> }

/** Routes a change by id to the entry editor or the memory editor. Files are read only once. */
export function openEditor({ learned, ...desk }: EditorOptions): Editor {
  const { store, now } = desk.context
  const entries = entryEditor({ ...desk, read: storeReader() })
  const editorOf = async (id: string) => (/^m-[0-9a-f]{16}$/.test(id) ? learned() : entries)
  return {
    read: async (id) => (await editorOf(id)).read(id),
    edit: async (id, change) => (await editorOf(id)).edit(id, change),
    supersede: async (id, change) => (await editorOf(id)).supersede(id, change),
    replaceBy: async (id, change) => (await editorOf(id)).replaceBy(id, change),
    pin: async (id, change) => (await editorOf(id)).pin(id, change),
    forget: async (id, change) => (await editorOf(id)).forget(id, change),
    async nextUndo() {
      return later(offerUndo(store), await (await learned()).nextUndo())
    },
    async undo(key): Promise<EditOutcome> {
      const editor = await learned()
      const last = later(offerUndo(store), await editor.nextUndo())
      if (last?.key !== key) return { kind: "changed" }
      return isLearnedKey(key) ? editor.undo(key) : undoChange(store, key, now())
    },
  }
}

function later(one: AvailableUndo | undefined, other: AvailableUndo | undefined): AvailableUndo | undefined {
  if (!one || !other) return one ?? other
  return one.at > other.at ? one : other
}
