import { defaultLoadGuidance } from "../../governance/classify.ts"
import { alreadyStored, type Cleared } from "../../governance/cleared.ts"
import {
  folderOfClass,
  markSuperseded,
  memoryFileName,
  rewriteMemoryFile,
  writeMemoryFile,
} from "../memory/entry-file.ts"
import { auditNames, auditTitle, isTitleGiven } from "../memory/memory-context.ts"
import type { IndexRecord } from "../memory/memory-index.ts"
import type { Work } from "../tidy/work.ts"
import { type Planned, putRecord } from "./change-item.ts"
import type { EntryDesk, FoundMemory } from "./find-entry.ts"

/** Plans a new text in the file of a governed memory; the rest of its front matter stays. */
export function planMemoryEdit(
  work: Work,
  desk: EntryDesk,
  { memory, record, path, text, id }: FoundMemory,
  words: { title?: Cleared | undefined; markdown?: Cleared | undefined },
): Planned {
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
export function planMemoryPin(work: Work, desk: EntryDesk, found: FoundMemory, pinned: boolean): Planned {
  const { memory, record, path, text, id } = found
  const loadGuidance = pinned ? "ALWAYS" : defaultLoadGuidance(memory.class)
  work.draft.put(path, rewriteMemoryFile(text, { loadGuidance }))
  const changed = putRecord(work, record, { loadGuidance })
  const reason = pinned ? "Pinned by a person" : "Unpinned by a person"
  note(work, desk, changed, isTitleGiven(desk.context.folder, record), reason)
  return { kind: "planned", id, summary: `${pinned ? "Pinned" : "Unpinned"} “${memory.title}”` }
}

/** Plans a successor of the same class, with links both ways. */
export function planMemorySuccessor(
  work: Work,
  desk: EntryDesk,
  { memory: old, record, path, text }: FoundMemory,
  words: { title: Cleared; markdown: Cleared; author: Cleared },
): Planned {
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

function note(work: Work, { user }: EntryDesk, record: IndexRecord, titleGiven: boolean, reason: string): void {
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
