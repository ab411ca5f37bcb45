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
export type Edit = {
  version: string
  title?: string | undefined
  markdown?: string | undefined
  tags?: string[] | undefined
}
export type Supersede = { version: string; title: string; markdown: string; reason?: string | undefined }
export type Pin = { version: string; pinned: boolean }
export type Forget = { version: string; reason?: string | undefined }

/** The last change, which can be undone. */
export type UndoOffer = { key: string; summary: string; at: string }

/** Changes one item at a time on behalf of the user. Each change is checked, audited, and can be undone. */
export type Editor = {
  /** undefined if no entry or memory has this id; skills and session notes cannot be edited. */
  read(id: string): Promise<EditableItem | undefined>
  /** Rewrites an item in place. It keeps its id, except for a learned memory, which gets a new one. */
  edit(id: string, change: Edit): Promise<EditOutcome>
  /** Adds a successor dated now; the old item stays and links to it. */
  supersede(id: string, change: Supersede): Promise<EditOutcome>
  /** A pinned item is never archived, and only the user can end it. */
  pin(id: string, change: Pin): Promise<EditOutcome>
  forget(id: string, change: Forget): Promise<EditOutcome>
  /** The change that `undo` would revert: the last one of the team's files by any command, or of learned memory by this editor. */
  nextUndo(): Promise<UndoOffer | undefined>
  /** Undoes the last change if it is still the one with this key. */
  undo(key: string): Promise<EditOutcome>
}
