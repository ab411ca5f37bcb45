import type { Entry } from "../../formats/entry.ts"
import type { StoreEntry } from "../collect-entries.ts"
import type { EditOutcome } from "../edit/editor.ts"
import type { FileDiagnostic } from "../validate-store.ts"

/** An entry that waits for the team's word. Paths are from the repository. */
export type InboxProposal = {
  /** Names it in the calls below: the path of its file, with `#2` and so on for a further entry of it. */
  key: string
  version: string
  id: string
  entry: Entry
  /** Its text without heading and metadata. */
  markdown: string
  /** Who proposes it: an agent, a memory that graduated, notes of another tool, a person. */
  from: "agent" | "learned" | "import" | "person"
  path: string
  line: number
  /** Entries in force that say much the same, or that it says it replaces. */
  against: { entry: StoreEntry; markdown: string; likeness: number; relation: "near-duplicate" | "supersedes" }[]
  /** What taking it would change, file by file, as lines of a unified diff. */
  diff: { path: string; lines: string[] }[]
  diagnostics: FileDiagnostic[]
}

/** A file of the inbox that nothing can be taken from as it is. */
export type BrokenFile = { path: string; problem: string; diagnostics: FileDiagnostic[] }

export type NearPair = { one: StoreEntry; other: StoreEntry; likeness: number }

/** `nearDuplicates` are pairs of entries in force. */
export type InboxContent = { proposals: InboxProposal[]; nearDuplicates: NearPair[]; broken: BrokenFile[] }

/** `title` and `markdown` are other words than the proposal's own. */
export type Accept = { version: string; title?: string | undefined; markdown?: string | undefined }
/** `into` is the id of an entry in force, to which the text is added or in whose place the proposal comes. */
export type MergeInto = { version: string; into: string; how: "append" | "supersede" }
export type Refuse = { version: string; reason: string }

/** The inbox as a person goes through it, one proposal at a time. Each change passes the gate, is audited and can be taken back. */
export type InboxDesk = {
  list(): Promise<InboxContent>
  /** Takes this one into the decisions as a merge does. */
  accept(key: string, change: Accept): Promise<EditOutcome>
  mergeInto(key: string, change: MergeInto): Promise<EditOutcome>
  /** Sets it aside with the reason; a memory that graduated is not proposed again. */
  refuse(key: string, change: Refuse): Promise<EditOutcome>
}
