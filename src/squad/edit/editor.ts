/** What came of a change that somebody asked for. */
export type EditOutcome =
  /** `id` is the item to show next, null when there is none any more; `change` takes it back with `undo`, null when nothing had to be done. */
  | { kind: "done"; id: string | null; summary: string; change: string | null }
  /** Somebody else was first: it reads differently by now, or is gone. Nothing was written. */
  | { kind: "changed" }
  | { kind: "refused"; reason: string } // never carries the words

export type EditAction = "edit" | "supersede" | "pin" | "forget"

/** An entry or a learned memory as a person edits it. */
export type EditableItem = {
  id: string
  /** Of what it says now; a change names the version it was made from. */
  version: string
  title: string
  /** The text without its heading and metadata. */
  markdown: string
  tags: string[]
  pinned: boolean
  /** What may be done with it; a text says why not. */
  can: Record<EditAction, true | string>
  /** Where it stands, from the repository; "" for what was learned, which stands in no file. */
  path: string
  line: number
}

/** Other words for the same; what is left out stays. */
export type Edit = {
  version: string
  title?: string | undefined
  markdown?: string | undefined
  tags?: string[] | undefined
}
export type Supersede = { version: string; title: string; markdown: string; reason?: string | undefined }
export type Pin = { version: string; pinned: boolean }
export type Forget = { version: string; reason?: string | undefined }

/** The last change, which can be taken back. */
export type UndoOffer = { key: string; summary: string; at: string }

/** Changes of one item at a time, by a person who has read it. Each passes the gate, is audited and can be taken back. */
export type Editor = {
  /** undefined when there is no entry and no memory of this id; skills and notes of sessions are neither. */
  read(id: string): Promise<EditableItem | undefined>
  /** Writes it anew where it stands; it keeps its id, but for a learned memory, whose better words are a new one. */
  edit(id: string, change: Edit): Promise<EditOutcome>
  /** Puts another in its place, dated now; the old one stays and says by which it was replaced. */
  supersede(id: string, change: Supersede): Promise<EditOutcome>
  /** What is pinned is never archived, and never ended but by a person. */
  pin(id: string, change: Pin): Promise<EditOutcome>
  forget(id: string, change: Forget): Promise<EditOutcome>
  /** What `undo` would take back: the last change of the team's files, by whatever command, or of learned memory by this editor. */
  nextUndo(): Promise<UndoOffer | undefined>
  /** Takes the last change back if it is still the one that is named. */
  undo(key: string): Promise<EditOutcome>
}
