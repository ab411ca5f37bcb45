import { withStore } from "../change.ts"
import { carryOut, type Planned, refuseChange } from "../edit/change-item.ts"
import { clearChange } from "../edit/clear-change.ts"
import { withWords } from "../edit/edit-entry.ts"
import type { EditOutcome } from "../edit/editor.ts"
import { type EntryDesk, findEntry } from "../edit/find-entry.ts"
import { whatCanBeDone } from "../edit/what-can-be-done.ts"
import { listInbox } from "../merge/read-inbox.ts"
import type { StoreReading } from "../read-store.ts"
import { storeReader } from "../store-reader.ts"
import { startWork, type Work } from "../tidy/work.ts"
import type { InboxContent, InboxDesk, MergeInto } from "./inbox-desk.ts"
import { listInboxContent } from "./list-inbox.ts"
import { findWaiting, readWaiting, type Waiting, type WaitingFile } from "./read-waiting.ts"
import { planRefusal } from "./refuse-proposal.ts"
import { planAcceptance, planAddition } from "./take-proposal.ts"

export type InboxOptions = Omit<EntryDesk, "read"> & {
  /** Called with the id of a learned memory and why its proposal was rejected; undefined if it was accepted after all. */
  noteRefusal: (memory: string, reason: string | undefined) => Promise<void>
}

/** Caches the parsed files between calls. */
export function openInbox({ noteRefusal, ...options }: InboxOptions): InboxDesk {
  const desk: EntryDesk = { ...options, read: storeReader() }
  const { store, folder, now } = desk.context
  const list = inboxLister(desk)

  const change = async (
    command: string,
    key: string,
    version: string,
    plan: (work: Work, waiting: Waiting) => Planned,
  ): Promise<EditOutcome & { memory?: string | undefined }> =>
    withStore(folder, () => {
      const work = startWork(store, folder, now())
      const waiting = findWaiting(work, key)
      if (waiting?.version !== version) return { kind: "changed" }
      const memory = waiting.entry.extensions.find(({ name }) => name === "memory")?.value
      return { ...carryOut(work, command, () => plan(work, waiting)), memory }
    })
  const noted = async ({ memory, ...outcome }: EditOutcome & { memory?: string | undefined }, reason?: string) => {
    if (outcome.kind === "done" && memory !== undefined) await noteRefusal(memory, reason)
    return outcome
  }

  return {
    async list() {
      return list(startWork(store, folder, now()))
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

function planMerge(work: Work, desk: EntryDesk, waiting: Waiting, { into, how }: MergeInto): Planned {
  const target = findEntry(desk, into)
  if (target?.kind !== "entry") return { kind: "refused", reason: "no entry with that id to merge it into" }
  const may = whatCanBeDone(desk, target)[how === "append" ? "edit" : "supersede"]
  if (may !== true) return { kind: "refused", reason: may }
  if (how === "append") return planAddition(work, desk, waiting, target)
  const { entry } = waiting
  const supersedes = [...new Set([...entry.supersedes, into])]
  return planAcceptance(work, desk, waiting, { ...entry, supersedes })
}

/** Parses only changed files, and compares again only if something changed. */
function inboxLister(desk: EntryDesk): (work: Work) => InboxContent {
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

function textOf({ draft }: Work, path: string): string | undefined {
  try {
    return draft.text(path) ?? ""
  } catch {
    return undefined // reading the file reports the error
  }
}
