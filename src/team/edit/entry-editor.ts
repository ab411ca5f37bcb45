import { readEntries } from "../../formats/entries.ts"
import type { Entry } from "../../formats/entry.ts"
import { appendEntries, markEntry } from "../../formats/entry-placing.ts"
import { normalizeEntry, writeEntry } from "../../formats/entry-writer.ts"
import { derivedId } from "../../formats/ids.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { timestampFromDate } from "../../formats/timestamp.ts"
import { defaultLoadGuidance } from "../../governance/classify.ts"
import { alreadyStored, type Cleared, generated } from "../../governance/cleared.ts"
import { isPinned, withPin } from "../archive/retention.ts"
import { withStore } from "../change.ts"
import { type ChangePlan, freePath, startPlan } from "../change-plan.ts"
import { auditNames, auditTitle, isTitleGiven } from "../governed/governed-context.ts"
import { deleteCopies, writeTombstone } from "../governed/lifecycle.ts"
import { classOfType } from "../governed/load-index.ts"
import {
  folderOfClass,
  markSuperseded,
  memoryFileName,
  rewriteMemoryFile,
  writeMemoryFile,
} from "../governed/memory-file.ts"
import { type IndexRecord, pathBelow } from "../governed/memory-index.ts"
import { mergeOne } from "../merge/inbox-merge.ts"
import { contextOf } from "../team-entries.ts"
import { fromMarkdown, planEdit, removeEntry, toMarkdown, withWords, wouldChangeOthers } from "./entry-text.ts"
import {
  allowedActions,
  applyEdit,
  changeItem,
  check,
  clearChange,
  type EditableItem,
  type EditContext,
  type EditOutcome,
  type Editor,
  type ForgetEntryRequest,
  type FoundEntry,
  type FoundItem,
  type FoundMemory,
  findEntry,
  noteChange,
  type PlannedEdit,
  putRecord,
  refuseChange,
} from "./item-edit.ts"

export type EntryEditor = Pick<Editor, "read" | "edit" | "supersede" | "replaceBy" | "pin" | "forget">

/** Edits single entries and governed memories in place. */
export function entryEditor(desk: EditContext): EntryEditor {
  return {
    async read(id) {
      const found = findEntry(desk, id)
      return found && describe(desk, found)
    },
    async edit(id, { version, type, title, markdown, tags }) {
      if (title?.trim() === "") return { kind: "refused", reason: "it needs a title" }
      const cleared = clearChange(desk, { title, text: markdown, tags: tags?.join(", ") })
      if (cleared.kind === "refused") return refuseChange(desk, cleared.reason)
      const { texts } = cleared
      const newTags = texts.tags?.split(",").map((tag) => tag.trim())
      return changeItem(desk, id, { action: "edit", version }, (found, work) => {
        if (found.kind === "governed") {
          if (type !== undefined)
            return { kind: "refused", reason: "a governed memory has a class instead; use drey memory promote" }
          if (newTags?.some((tag) => tag !== "")) return { kind: "refused", reason: "a governed memory has no tags" }
          return planMemoryEdit(work, desk, found, { title: texts.title, markdown: texts.text })
        }
        const entry = withWords(found.own.entry, { type, title: texts.title, markdown: texts.text, tags: newTags })
        return planEdit(work, desk, found, entry, { summary: `Edited “${entry.title}”`, reason: "Edited by a person" })
      })
    },
    async supersede(id, { version, title, markdown, reason }) {
      if (title.trim() === "") return { kind: "refused", reason: "it needs a title" }
      const cleared = clearChange(desk, { title, text: markdown, reason, author: desk.user })
      if (cleared.kind === "refused") return refuseChange(desk, cleared.reason)
      const { title: newTitle, text, reason: why, author } = cleared.texts
      return changeItem(desk, id, { action: "supersede", version }, (found, work) =>
        found.kind === "governed"
          ? planMemorySuccessor(work, desk, found, { title: newTitle, markdown: text, author })
          : planSupersede(work, desk, found, { title: newTitle, markdown: text, reason: why }),
      )
    },
    replaceBy: (id, { version, by }) =>
      changeItem(desk, id, { action: "supersede", version }, (found, work) => planLink(work, desk, found, by)),
    pin: (id, { version, pinned }) =>
      changeItem(desk, id, { action: "pin", version }, (found, work) => {
        if (found.kind === "governed") return planMemoryPin(work, desk, found, pinned)
        const summary = `${pinned ? "Pinned" : "Unpinned"} “${found.own.entry.title}”`
        const reason = pinned ? "Pinned by a person" : "Unpinned by a person"
        return planEdit(work, desk, found, withPin(found.own.entry, pinned), { summary, reason })
      }),
    forget: (id, change) => forgetEntry(desk, id, change),
  }
}

function describe(desk: EditContext, found: FoundItem): EditableItem {
  const { id, version } = found
  const can = allowedActions(desk, found)
  if (found.kind === "governed") {
    const { title, content, loadGuidance } = found.memory
    const path = `${desk.context.folder.name}/${found.path}`
    return { id, version, title, markdown: content, tags: [], pinned: loadGuidance === "ALWAYS", can, path, line: 1 }
  }
  const { entry, path, line } = found.own
  const { title, tags } = entry
  return { id, version, title, markdown: toMarkdown(entry), tags, pinned: isPinned(entry), can, path, line }
}

/** Texts that passed the governance check. */
export type EntrySuccessor = { title: string; markdown: string; reason: string | undefined }

/** Plans a new entry that supersedes an old one, which is marked and stays. */
function planSupersede(work: ChangePlan, desk: EditContext, found: FoundEntry, words: EntrySuccessor): PlannedEdit {
  const entry = successorOf(found, desk.user, words, work.now)
  const planned = found.own.source === "decisions" ? decide(work, desk, entry) : append(work, desk, found, entry)
  if (planned.kind === "refused") return planned
  const { record } = found
  const { id } = planned
  if (record && id !== null)
    putRecord(work, record, { status: "superseded", loadGuidance: "ARCHIVE", supersededBy: id })
  return planned
}

/** Plans the mark of an entry that another one has already replaced. */
function planLink(work: ChangePlan, desk: EditContext, found: FoundItem, by: string): PlannedEdit {
  const next = findEntry(desk, by)
  if (found.kind === "governed" || next?.kind === "governed")
    return { kind: "refused", reason: "a governed memory is superseded by writing its successor" }
  if (!next || next.id === found.id) return { kind: "refused", reason: "the entry that replaces it was not found" }
  if (next.own.source === "inbox") return { kind: "refused", reason: "the entry that replaces it is still a proposal" }
  if (next.replacedBy === found.id) return { kind: "refused", reason: "it replaces the other one itself" }
  const { own, file, id, record } = found
  const context = contextOf(file, work.roster, work.now)
  const { title } = next.own.entry
  const marked = markEntry(file.content.text, context, own.id, { field: "supersededBy", value: by, title })
  work.draft.put(pathBelow(file), alreadyStored(marked))
  const { entry } = own
  const reason = "Marked by a person as superseded"
  noteChange(work, desk, { action: "write", entry, id, class: classOfType[entry.type], path: file.path, reason })
  if (record) putRecord(work, record, { status: "superseded", loadGuidance: "ARCHIVE", supersededBy: by })
  return { kind: "planned", id, summary: `“${entry.title}” is superseded by “${title}”` }
}

function successorOf({ own, id }: FoundEntry, user: string, words: EntrySuccessor, now: Date): Entry {
  const { type, scope, tags } = own.entry
  const body = fromMarkdown(words.markdown, words.title)
  const rationale = [body.rationale, words.reason ?? ""].filter((part) => part !== "").join("\n\n")
  return normalizeEntry({
    ...{ type, scope, tags, author: user, title: words.title, supersedes: [id] },
    ...{ ...body, rationale },
    timestamp: timestampFromDate(now),
  })
}

/** Like every decision, a successor is merged from the inbox, in the same change. */
function decide(work: ChangePlan, { squadUi }: EditContext, entry: Entry): PlannedEdit {
  const path = freePath(work.draft, `decisions/inbox/${derivedId(entry)}.md`)
  work.draft.put(path, generated(writeEntry(entry)))
  const outcome = mergeOne(work, path, { acceptReview: true, squadUi })
  if (outcome.kind === "refused") return outcome
  if (outcome.kind === "copy") return { kind: "refused", reason: `${outcome.of} already has this text` }
  return { kind: "planned", id: outcome.id, summary: `Replaced by “${entry.title}”` }
}

/** A successor in an agent's history is added to the same file. */
function append(work: ChangePlan, desk: EditContext, { own, file }: FoundEntry, entry: Entry): PlannedEdit {
  const { draft, roster, now } = work
  const path = pathBelow(file)
  const context = contextOf(file, roster, now)
  const id = derivedId(entry)
  const marked = markEntry(file.content.text, context, own.id, { field: "supersededBy", value: id, title: entry.title })
  const lineEnd = dominantLineEnd(marked)
  const text = appendEntries(marked, [writeEntry(entry, { lineEnd, squadUi: desk.squadUi })], context)
  const ids = (each: string) => readEntries(each, context).entries.map((read) => read.id)
  if ([...ids(file.content.text), id].sort().join() !== ids(text).sort().join())
    return { kind: "refused", reason: wouldChangeOthers }
  draft.put(path, alreadyStored(text))
  const reason = "Written by a person in the place of another"
  noteChange(work, desk, { action: "write", entry, id, class: classOfType[entry.type], path: file.path, reason })
  return { kind: "planned", id, summary: `Replaced by “${entry.title}”` }
}

/** Removes an entry from its file. A governed memory is deleted with a tombstone, including copies at providers. */
async function forgetEntry(
  desk: EditContext,
  id: string,
  { version, reason }: ForgetEntryRequest,
): Promise<EditOutcome> {
  const { context } = desk
  const cleared = clearChange(desk, { reason })
  if (cleared.kind === "refused") return refuseChange(desk, cleared.reason)
  const { outcome, record } = await withStore(context.folder, async (): Promise<Forgetting> => {
    const checked = check(desk, id, { action: "forget", version })
    if (checked.kind !== "free") return { outcome: checked }
    const { found } = checked
    if (found.kind === "governed") return buryRecord(desk, found.record)
    if (found.record) return buryRecord(desk, found.record)
    const work = startPlan(context.store, context.folder, context.now())
    return { outcome: applyEdit(work, "forget", () => planRemoval(work, desk, found, cleared.texts.reason)) }
  })
  if (record) await deleteCopies(context, record)
  return outcome
}

type Forgetting = { outcome: EditOutcome; record?: IndexRecord }

async function buryRecord({ context, user }: EditContext, record: IndexRecord): Promise<Forgetting> {
  const change = (await writeTombstone(context, record.id, user, "local")) ?? null
  return { outcome: { kind: "done", id: null, summary: forgotten(record), change }, record }
}

function planRemoval(work: ChangePlan, desk: EditContext, found: FoundEntry, reason: string | undefined): PlannedEdit {
  const { own, file, id } = found
  if (!removeEntry(work, found)) return { kind: "refused", reason: wouldChangeOthers }
  const said = ["Forgotten by a person", reason].filter(Boolean).join(": ")
  noteChange(work, desk, {
    action: "delete",
    entry: own.entry,
    id,
    class: classOfType[own.entry.type],
    path: file.path,
    reason: said,
  })
  return { kind: "planned", id: null, summary: forgotten(own.entry) }
}

function forgotten({ title }: { title: string }): string {
  return `Forgot “${title}”`
}

/** Plans a new text in the file of a governed memory; the rest of its front matter stays. */
function planMemoryEdit(
  work: ChangePlan,
  desk: EditContext,
  { memory, record, path, text, id }: FoundMemory,
  words: { title?: Cleared | undefined; markdown?: Cleared | undefined },
): PlannedEdit {
  const title = words.title === undefined ? alreadyStored(memory.title) : words.title
  work.draft.put(
    path,
    rewriteMemoryFile(text, { title, ...(words.markdown === undefined ? {} : { content: words.markdown }) }),
  )
  const edited = putRecord(work, record, { title })
  note(work, desk, edited, title !== memory.title || isTitleGiven(desk.context.folder, record), "Edited by a person")
  return { kind: "planned", id, summary: `Edited “${title}”` }
}

/** Pinned memories are always loaded. */
function planMemoryPin(work: ChangePlan, desk: EditContext, found: FoundMemory, pinned: boolean): PlannedEdit {
  const { memory, record, path, text, id } = found
  const loadGuidance = pinned ? "ALWAYS" : defaultLoadGuidance(memory.class)
  work.draft.put(path, rewriteMemoryFile(text, { loadGuidance }))
  const changed = putRecord(work, record, { loadGuidance })
  const reason = pinned ? "Pinned by a person" : "Unpinned by a person"
  note(work, desk, changed, isTitleGiven(desk.context.folder, record), reason)
  return { kind: "planned", id, summary: `${pinned ? "Pinned" : "Unpinned"} “${memory.title}”` }
}

/** Plans a successor of the same class, with links both ways. */
function planMemorySuccessor(
  work: ChangePlan,
  desk: EditContext,
  { memory: old, record, path, text }: FoundMemory,
  words: { title: Cleared; markdown: Cleared; author: Cleared },
): PlannedEdit {
  const { draft, now } = work
  const id = desk.context.makeId()
  const createdAt = now.toISOString()
  const kept = {
    id,
    class: old.class,
    loadGuidance: record.loadGuidance,
    title: words.title,
    createdAt,
    supersedes: old.id,
  }
  const content = words.markdown.trim() === "" ? words.title : words.markdown
  const memory = { ...kept, author: words.author, metadata: {}, content }
  const place = `${folderOfClass(old.class)}/${memoryFileName(memory)}`
  draft.put(place, writeMemoryFile(memory))
  draft.put(path, markSuperseded(text, id))
  putRecord(work, record, { status: "superseded", loadGuidance: "ARCHIVE", supersededBy: id })
  const successor: IndexRecord = {
    ...kept,
    path: `${draft.folder.name}/${place}`,
    status: "active",
    updatedAt: createdAt,
  }
  putRecord(work, successor, {})
  note(work, desk, successor, true, "Written by a person in the place of another")
  return { kind: "planned", id, summary: `Replaced by “${words.title}”` }
}

function note(work: ChangePlan, { user }: EditContext, record: IndexRecord, titleGiven: boolean, reason: string): void {
  work.audit.push({
    timestamp: work.now.toISOString(),
    action: "write",
    id: record.id,
    class: record.class,
    ...auditNames({ title: record.title, path: record.path, titleGiven }, "Changed governed memory"),
    reason,
    actor: auditTitle(user, "unknown"),
    provider: "local",
  })
}
