import type { Diagnostic } from "../../formats/diagnostics.ts"
import { readEntries, type Segment } from "../../formats/entries.ts"
import type { Entry } from "../../formats/entry.ts"
import { type ChangePlan, contextAt, type Draft } from "../change-plan.ts"
import { type EditOutcome, versionOf } from "../edit/item-edit.ts"
import { readMemoryConfig } from "../governed/governed-context.ts"
import { type InboxFile, type MergeProposal, readInboxFile } from "../merge/proposals.ts"
import type { StoreEntry } from "../team-entries.ts"
import type { FileDiagnostic } from "../validation.ts"

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
export type BrokenInboxFile = { path: string; problem: string; diagnostics: FileDiagnostic[] }

export type NearPair = { one: StoreEntry; other: StoreEntry; likeness: number }

/** `nearDuplicates` are pairs of active entries. */
export type InboxContent = { proposals: InboxProposal[]; nearDuplicates: NearPair[]; broken: BrokenInboxFile[] }

/** `title` and `markdown` replace the proposal's own texts. */
export type AcceptRequest = { version: string; title?: string | undefined; markdown?: string | undefined }
/** `into` is the id of an active entry that the proposal is appended to or supersedes. */
export type MergeIntoRequest = { version: string; into: string; how: "append" | "supersede" }
export type RefuseRequest = { version: string; reason: string }

/** The inbox, one proposal at a time, on behalf of the user. Each change is checked, audited, and can be undone. */
export type TeamInbox = {
  /**
   * The proposals that wait, and the files that cannot be read.
   * @example const { proposals } = await drey.team.inbox.list()
   */
  list(): Promise<InboxContent>
  /**
   * Merges this proposal into the decisions.
   * @example await drey.team.inbox.accept(proposal.key, { version: proposal.version })
   */
  accept(key: string, change: AcceptRequest): Promise<EditOutcome>
  /**
   * Appends it to an active entry, or replaces that entry by it.
   * @example await drey.team.inbox.mergeInto(proposal.key, { version: proposal.version, into: "sem-1f0c22", how: "append" })
   */
  mergeInto(key: string, change: MergeIntoRequest): Promise<EditOutcome>
  /**
   * Rejects it with the reason; a promoted learned memory is not proposed again.
   * @example await drey.team.inbox.refuse(proposal.key, { version: proposal.version, reason: "Not true any more" })
   */
  refuse(key: string, change: RefuseRequest): Promise<EditOutcome>
}

/** A proposal with its file in the inbox. */
export type WaitingProposal = MergeProposal & {
  key: string
  version: string
  /** Of its file, below the team folder. */
  path: string
  line: number
  endLine: number
  /** The whole file, the proposal's part of it, and the rest. */
  whole: string
  text: string
  rest: string
  /** Its id in governed memory. */
  memoryId: string | undefined
}

export type WaitingFile = { path: string; text: string; diagnostics: Diagnostic[] } & (
  | { kind: "proposals"; proposals: WaitingProposal[] }
  | Extract<InboxFile, { kind: "forbidden" | "left" }>
)

/** Reads the proposals of one inbox file, as a merge does. */
export function readWaiting(work: ChangePlan, path: string): WaitingFile {
  const { draft, roster, now } = work
  const file = readInboxFile(draft, path, {
    roster,
    now,
    personalData: readMemoryConfig(draft.folder).config.personalData,
  })
  if (file.kind === "left") return { ...file, text: "", diagnostics: diagnosticsAt(work, path) }
  const text = draft.text(path) ?? ""
  const { segments, entries, diagnostics } = readEntries(text, contextAt(path, roster))
  if (file.kind === "forbidden") return { ...file, diagnostics }
  const parts = partsOf(segments)
  const proposals = file.proposals.map((proposal, index): WaitingProposal => {
    const own = parts[index] ?? ""
    const { line = 1, endLine = 1 } = entries[index] ?? {}
    const key = `${draft.folder.name}/${path}${index === 0 ? "" : `#${index + 1}`}`
    const rest = parts.filter((_, other) => other !== index).join("")
    const { memoryId } = file
    return { ...proposal, key, version: versionOf(own), path, line, endLine, whole: text, text: own, rest, memoryId }
  })
  return { kind: "proposals", path, text, diagnostics, proposals }
}

/** The current proposal with that key. */
export function findWaiting(work: ChangePlan, key: string): WaitingProposal | undefined {
  const path = pathOf(work.draft, key)
  const file = path === undefined ? undefined : readWaiting(work, path)
  return file?.kind === "proposals" ? file.proposals.find((each) => each.key === key) : undefined
}

/** Keys are untrusted input: only paths in an inbox are accepted. */
function pathOf({ folder }: Draft, key: string): string | undefined {
  const path = key.replace(/#\d+$/, "").slice(folder.name.length + 1)
  const isInbox = /^(?:decisions\/inbox|memory\/policy-inbox)\/(?!\.)[^\\]+\.md$/i.test(path) && !/\/\./.test(path)
  return isInbox && key.startsWith(`${folder.name}/`) ? path : undefined
}

/** The text around the entries of a file belongs to the entry before it, or the first, as it does in a merge. */
function partsOf(segments: readonly Segment[]): string[] {
  const parts: string[] = []
  let isFirst = true
  for (const { text, entry } of segments) {
    if (parts.length === 0 || (entry && !isFirst)) parts.push(text)
    else parts.push((parts.pop() ?? "") + text)
    if (entry) isFirst = false
  }
  return parts
}

function diagnosticsAt({ draft, roster }: ChangePlan, path: string): Diagnostic[] {
  try {
    return readEntries(draft.text(path) ?? "", contextAt(path, roster)).diagnostics
  } catch {
    return [] // unreadable: the file's `why` explains it
  }
}
