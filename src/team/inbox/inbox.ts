import type { Entry } from "../../formats/entry.ts"
import { normalizeEntry, writeEntry } from "../../formats/entry-writer.ts"
import { alreadyStored, generated } from "../../governance/cleared.ts"
import { withStore } from "../change.ts"
import { type ChangePlan, freePath, startPlan } from "../change-plan.ts"
import { planEdit, toMarkdown, withWords } from "../edit/entry-text.ts"
import {
  allowedActions,
  applyEdit,
  clearChange,
  type EditContext,
  type EditOutcome,
  type FoundEntry,
  findEntry,
  noteChange,
  type PlannedEdit,
  putRecord,
  refuseChange,
} from "../edit/item-edit.ts"
import { auditTitle } from "../governed/governed-context.ts"
import { classOfType, loadIndex } from "../governed/load-index.ts"
import { pathBelow } from "../governed/memory-index.ts"
import { mergeOne } from "../merge/inbox-merge.ts"
import { updateIndex } from "../merge/merged-records.ts"
import { listInbox, missingNames, pinned } from "../merge/proposals.ts"
import { type StoreReading, storeReader } from "../team-entries.ts"
import {
  findWaiting,
  type InboxContent,
  type MergeIntoRequest,
  readWaiting,
  type TeamInbox,
  type WaitingFile,
  type WaitingProposal,
} from "./contents.ts"
import { refusedPath } from "./file-proposals.ts"
import { listInboxContent } from "./inbox-preview.ts"

export type InboxOptions = Omit<EditContext, "read"> & {
  /** Called with the id of a learned memory and why its proposal was rejected; undefined if it was accepted after all. */
  noteRefusal: (memory: string, reason: string | undefined) => Promise<void>
}

/** Caches the parsed files between calls. */
export function openInbox({ noteRefusal, ...options }: InboxOptions): TeamInbox {
  const desk: EditContext = { ...options, read: storeReader() }
  const { store, folder, now } = desk.context
  const list = inboxLister(desk)

  const change = async (
    command: string,
    key: string,
    version: string,
    plan: (work: ChangePlan, waiting: WaitingProposal) => PlannedEdit,
  ): Promise<EditOutcome & { memory?: string | undefined }> =>
    withStore(folder, () => {
      const work = startPlan(store, folder, now())
      const waiting = findWaiting(work, key)
      if (waiting?.version !== version) return { kind: "changed" }
      const memory = waiting.entry.extensions.find(({ name }) => name === "memory")?.value
      return { ...applyEdit(work, command, () => plan(work, waiting)), memory }
    })
  const noted = async ({ memory, ...outcome }: EditOutcome & { memory?: string | undefined }, reason?: string) => {
    if (outcome.kind === "done" && memory !== undefined) await noteRefusal(memory, reason)
    return outcome
  }

  return {
    async list() {
      return list(startPlan(store, folder, now()))
    },
    async accept(key, { version, title, markdown }) {
      if (title?.trim() === "") return { kind: "refused", reason: "it needs a title" }
      const cleared = clearChange(desk, { title, text: markdown })
      if (cleared.kind === "refused") return refuseChange(desk, cleared.reason)
      const { title: newTitle, text } = cleared.texts
      const isReworded = newTitle !== undefined || text !== undefined
      return noted(
        await change("accept", key, version, (work, waiting) => {
          const words = { title: newTitle, markdown: text }
          const entry = isReworded ? withWords(waiting.entry, words) : waiting.entry
          return planAcceptance(work, desk, waiting, entry)
        }),
      )
    },
    async mergeInto(key, request) {
      return noted(
        await change("merge into", key, request.version, (work, waiting) => planMerge(work, desk, waiting, request)),
      )
    },
    async refuse(key, { version, reason }) {
      const cleared = clearChange(desk, { reason })
      if (cleared.kind === "refused") return refuseChange(desk, cleared.reason)
      const why = cleared.texts.reason.trim()
      if (why === "") return { kind: "refused", reason: "a reason is required, so that its author can learn from it" }
      return noted(await change("refuse", key, version, (work, waiting) => planRefusal(work, desk, waiting, why)), why)
    },
  }
}

function planMerge(
  work: ChangePlan,
  desk: EditContext,
  waiting: WaitingProposal,
  { into, how }: MergeIntoRequest,
): PlannedEdit {
  const target = findEntry(desk, into)
  if (target?.kind !== "entry") return { kind: "refused", reason: "no entry with that id to merge it into" }
  const may = allowedActions(desk, target)[how === "append" ? "edit" : "supersede"]
  if (may !== true) return { kind: "refused", reason: may }
  if (how === "append") return planAddition(work, desk, waiting, target)
  const { entry } = waiting
  const supersedes = [...new Set([...entry.supersedes, into])]
  return planAcceptance(work, desk, waiting, { ...entry, supersedes })
}

/** Parses only changed files, and compares again only if something changed. */
function inboxLister(desk: EditContext): (work: ChangePlan) => InboxContent {
  let known = new Map<string, WaitingFile>()
  let last: { reading: StoreReading; files: WaitingFile[]; content: InboxContent } | undefined
  return (work) => {
    const reading = desk.read(desk.context.store, work.now)
    const names = [...work.roster.values()].join("\n")
    const files = listInbox(work.draft).map((path) => {
      const text = textOf(work, path)
      const before = known.get(`${path}\n${names}`)
      return before !== undefined && text !== undefined && before.text === text ? before : readWaiting(work, path)
    })
    known = new Map(files.map((file) => [`${file.path}\n${names}`, file]))
    const isSame =
      last?.reading === reading &&
      last.files.length === files.length &&
      files.every((file, index) => file === last?.files[index])
    if (!last || !isSame) last = { reading, files, content: listInboxContent(work, reading, files, desk) }
    return last.content
  }
}

function textOf({ draft }: ChangePlan, path: string): string | undefined {
  try {
    return draft.text(path) ?? ""
  } catch {
    return undefined // reading the file reports the error
  }
}

/** Plans the merge of one proposal with the texts of `entry`; other proposals in its file stay in the inbox. */
function planAcceptance(work: ChangePlan, desk: EditContext, waiting: WaitingProposal, entry: Entry): PlannedEdit {
  const path = setOut(work, waiting, entry)
  const outcome = mergeOne(work, path, { acceptReview: true, squadUi: desk.squadUi })
  if (outcome.kind === "refused") return outcome
  for (const record of work.audit) record.reason = `${record.reason}; accepted by ${auditTitle(desk.user, "a person")}`
  if (outcome.kind === "merged") return { kind: "planned", id: outcome.id, summary: `Accepted “${entry.title}”` }
  return { kind: "planned", id: outcome.of, summary: `“${entry.title}” already exists` }
}

/** Plans appending a proposal's text to an active entry; its author becomes a contributor. */
function planAddition(work: ChangePlan, desk: EditContext, waiting: WaitingProposal, into: FoundEntry): PlannedEdit {
  const { entry: own } = into.own
  const { entry } = waiting
  const before = own.details ?? (own.summary === own.title ? "" : own.summary)
  const section = `#### ${entry.title} — ${entry.author}\n\n${toMarkdown(entry)}`.trim()
  const { details = "" } = normalizeEntry({ ...own, details: [before, section].filter(Boolean).join("\n\n") })
  const names = missingNames(own, [entry.author, ...entry.contributors])
  const grown = { ...own, details, contributors: [...own.contributors, ...names] }
  const summary = `Added “${entry.title}” to “${own.title}”`
  takeOut(work, waiting)
  updateIndex(work, [{ memoryId: waiting.memoryId, from: waiting.path, to: pathBelow(into.file), anchor: into.id }])
  return planEdit(work, desk, into, grown, { summary, reason: "Merged from the inbox into this entry" })
}

/** Removes the proposal from the inbox, and its file if it becomes empty. */
function takeOut({ draft }: ChangePlan, { path, rest }: WaitingProposal): void {
  draft.put(path, rest.trim() === "" ? null : alreadyStored(rest))
}

/** Writes the proposal to an inbox file of its own, for the merge. */
function setOut(work: ChangePlan, waiting: WaitingProposal, entry: Entry): string {
  const isAlone = waiting.rest.trim() === ""
  if (isAlone && entry === waiting.entry) return waiting.path
  const text = generated(writeEntry(pinned(entry, waiting.id)))
  const path = isAlone ? waiting.path : freePath(work.draft, waiting.path)
  if (!isAlone) takeOut(work, waiting)
  work.draft.put(path, text)
  return path
}

/** Plans the rejection of a proposal: it is moved to `.refused`, so that it is not proposed again. */
function planRefusal(work: ChangePlan, desk: EditContext, waiting: WaitingProposal, reason: string): PlannedEdit {
  const { draft, now } = work
  const { id, entry, path, text } = waiting
  const to = freePath(draft, refusedPath(path))
  draft.put(to, alreadyStored(text))
  takeOut(work, waiting)
  const place = `${draft.folder.name}/${path}`
  const record = loadIndex(desk.context.store, draft.folder, now).records.find((each) => each.path === place)
  const deletedAt = now.toISOString()
  if (record) putRecord(work, record, { status: "deleted", loadGuidance: "ARCHIVE", deletedAt })
  const said = `Refused by a person: ${reason}`
  const memoryClass = record?.class ?? classOfType[entry.type]
  noteChange(work, desk, {
    action: "reject",
    entry,
    id,
    class: memoryClass,
    path: `${draft.folder.name}/${to}`,
    reason: said,
  })
  return { kind: "planned", id: null, summary: `Refused “${entry.title}”` }
}
