import type { Diagnostic } from "../../formats/diagnostics.ts"
import { readEntries, type Segment } from "../../formats/read-entries.ts"
import { contextAt, type Draft } from "../draft.ts"
import { versionOf } from "../edit/find-entry.ts"
import { readMemoryConfig } from "../memory/memory-config.ts"
import { type InboxFile, type Proposal, readInboxFile } from "../merge/read-inbox.ts"
import type { Work } from "../tidy/work.ts"

/** A proposal with its file in the inbox. */
export type Waiting = Proposal & {
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
  | { kind: "proposals"; proposals: Waiting[] }
  | Extract<InboxFile, { kind: "forbidden" | "left" }>
)

/** Reads the proposals of one inbox file, as a merge does. */
export function readWaiting(work: Work, path: string): WaitingFile {
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
  const proposals = file.proposals.map((proposal, index): Waiting => {
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
export function findWaiting(work: Work, key: string): Waiting | undefined {
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

function diagnosticsAt({ draft, roster }: Work, path: string): Diagnostic[] {
  try {
    return readEntries(draft.text(path) ?? "", contextAt(path, roster)).diagnostics
  } catch {
    return [] // unreadable: the file's `why` explains it
  }
}
