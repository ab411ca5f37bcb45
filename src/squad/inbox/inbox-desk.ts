import type { Entry } from "../../formats/entry.ts"
import type { StoreEntry } from "../collect-entries.ts"
import type { EditOutcome } from "../edit/editor.ts"
import type { FileDiagnostic } from "../validate-store.ts"

/** A proposed entry. Paths are from the repository root. */
export type InboxProposal = {
  /** Identifies it in the calls below: the path of its file, with `#2` and so on for further entries. */
  key: string
  version: string
  id: string
  entry: Entry
  /** Its text without heading and metadata. */
  markdown: string
  /** Its origin: an agent, a promoted learned memory, an import from another tool, or a user. */
  from: "agent" | "learned" | "import" | "person"
  path: string
  line: number
  /** Active entries that are near-duplicates, or that it supersedes. */
  against: { entry: StoreEntry; markdown: string; likeness: number; relation: "near-duplicate" | "supersedes" }[]
  /** The changes that accepting it would make, as a unified diff per file. */
  diff: { path: string; lines: string[] }[]
  diagnostics: FileDiagnostic[]
}

/** An inbox file that cannot be accepted until it is fixed. */
export type BrokenFile = { path: string; problem: string; diagnostics: FileDiagnostic[] }

export type NearPair = { one: StoreEntry; other: StoreEntry; likeness: number }

/** `nearDuplicates` are pairs of active entries. */
export type InboxContent = { proposals: InboxProposal[]; nearDuplicates: NearPair[]; broken: BrokenFile[] }

/** `title` and `markdown` replace the proposal's own texts. */
export type Accept = { version: string; title?: string | undefined; markdown?: string | undefined }
/** `into` is the id of an active entry that the proposal is appended to or supersedes. */
export type MergeInto = { version: string; into: string; how: "append" | "supersede" }
export type Refuse = { version: string; reason: string }

/** The inbox, one proposal at a time, on behalf of the user. Each change is checked, audited, and can be undone. */
export type InboxDesk = {
  list(): Promise<InboxContent>
  /** Merges this proposal into the decisions. */
  accept(key: string, change: Accept): Promise<EditOutcome>
  mergeInto(key: string, change: MergeInto): Promise<EditOutcome>
  /** Rejects it with the reason; a promoted learned memory is not proposed again. */
  refuse(key: string, change: Refuse): Promise<EditOutcome>
}
