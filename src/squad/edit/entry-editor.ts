import { changeItem, refuseChange } from "./change-item.ts"
import { planMemoryEdit, planMemoryPin, planMemorySuccessor } from "./change-memory.ts"
import { clearChange } from "./clear-change.ts"
import { planEdit, withWords } from "./edit-entry.ts"
import type { EditableItem, Editor } from "./editor.ts"
import { toMarkdown } from "./entry-text.ts"
import { type EntryDesk, type Found, findEntry } from "./find-entry.ts"
import { forgetEntry } from "./forget-entry.ts"
import { isPinned, withPin } from "./pin-entry.ts"
import { planSupersede } from "./supersede-entry.ts"
import { whatCanBeDone } from "./what-can-be-done.ts"

export type EntryEditor = Pick<Editor, "read" | "edit" | "supersede" | "pin" | "forget">

/** Edits single entries and governed memories in place. */
export function entryEditor(desk: EntryDesk): EntryEditor {
  return {
    async read(id) {
      const found = findEntry(desk, id)
      return found && describe(desk, found)
    },
    async edit(id, { version, title, markdown, tags }) {
      if (title?.trim() === "") return { kind: "refused", reason: "it needs a title" }
      const cleared = clearChange(desk, { title, text: markdown, tags: tags?.join(", ") })
      if (cleared.kind === "refused") return refuseChange(desk, cleared.reason)
      const { texts } = cleared
      const newTags = texts.tags?.split(",").map((tag) => tag.trim())
      return changeItem(desk, id, { action: "edit", version }, (found, work) => {
        if (found.kind === "governed") {
          if (newTags?.some((tag) => tag !== "")) return { kind: "refused", reason: "a governed memory has no tags" }
          return planMemoryEdit(work, desk, found, { title: texts.title, markdown: texts.text })
        }
        const entry = withWords(found.own.entry, { title: texts.title, markdown: texts.text, tags: newTags })
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

function describe(desk: EntryDesk, found: Found): EditableItem {
  const { id, version } = found
  const can = whatCanBeDone(desk, found)
  if (found.kind === "governed") {
    const { title, content, loadGuidance } = found.memory
    const path = `${desk.context.folder.name}/${found.path}`
    return { id, version, title, markdown: content, tags: [], pinned: loadGuidance === "ALWAYS", can, path, line: 1 }
  }
  const { entry, path, line } = found.own
  const { title, tags } = entry
  return { id, version, title, markdown: toMarkdown(entry), tags, pinned: isPinned(entry), can, path, line }
}
