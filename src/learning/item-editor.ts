import { entryEditor } from "../team/edit/entry-editor.ts"
import type { AvailableUndo, EditContext, EditOutcome, Editor } from "../team/edit/item-edit.ts"
import { storeReader } from "../team/team-entries.ts"
import { offerUndo, undoChange } from "../team/undo.ts"
import { isLearnedKey } from "./memory-editor.ts"

export type EditorOptions = Omit<EditContext, "read"> & { learned: () => Promise<Editor> }

/** Routes a change by id to the entry editor or the memory editor. Files are read only once. */
export function openEditor({ learned, ...desk }: EditorOptions): Editor {
  const { store, now } = desk.context
  const entries = entryEditor({ ...desk, read: storeReader() })
  const editorOf = async (id: string) => (/^m-[0-9a-f]{16}$/.test(id) ? learned() : entries)
  return {
    read: async (id) => (await editorOf(id)).read(id),
    edit: async (id, change) => (await editorOf(id)).edit(id, change),
    supersede: async (id, change) => (await editorOf(id)).supersede(id, change),
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
