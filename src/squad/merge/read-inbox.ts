import { basename, join } from "node:path"
import { namesIn } from "../../disk/list-folder.ts"
import { DreyError } from "../../errors.ts"
import type { Entry, Extension } from "../../formats/entry.ts"
import { derivedId } from "../../formats/entry-id.ts"
import { readFrontMatter } from "../../formats/front-matter.ts"
import type { Roster } from "../../formats/legacy/roster.ts"
import { normalizeEntry } from "../../formats/normalize-entry.ts"
import { type EntriesFile, type ReadEntry, readEntries } from "../../formats/read-entries.ts"
import { splitLines } from "../../formats/source-text.ts"
import { timestampFromDate } from "../../formats/timestamp.ts"
import { defaultLoadGuidance, memoryClasses, readLoadGuidance } from "../../governance/classify.ts"
import { clearText, type PersonalDataPolicy } from "../../governance/cleared.ts"
import { detectForbidden } from "../../governance/detect-forbidden.ts"
import { findInPath, findSensitive } from "../../governance/find-sensitive.ts"
import { reviewOfAgentRule } from "../agent-rules.ts"
import { contextAt, type Draft } from "../draft.ts"
import { listEntryFiles } from "../list-files.ts"

/** A proposed entry in normalized form with its id. */
export type Proposal = { id: string; entry: Entry }

/** Where a text contains forbidden content; never the value. */
export type ForbiddenLine = { line: number; reason: string; rule: string }

export type InboxFile =
  | { kind: "proposals"; path: string; memoryId: string | undefined; proposals: Proposal[] }
  | { kind: "forbidden"; path: string; text: string; lines: ForbiddenLine[] }
  | { kind: "left"; path: string; why: string; waits?: true }

/** The files to merge: the decisions inbox and the policies of governed memory. */
export function listInbox(draft: Draft): string[] {
  const inbox = listEntryFiles(draft.folder)
    .filter(({ source }) => source === "inbox")
    .map(({ path }) => path.slice(draft.folder.name.length + 1))
  const policies = join(draft.folder.path, "memory", "policy-inbox")
  const names = namesIn(policies).filter((name) => /^[^.].*\.md$/i.test(name))
  return [...inbox, ...names.map((name) => `memory/policy-inbox/${name}`)]
}

type InboxContext = { roster: Roster; now: Date; personalData: PersonalDataPolicy }

/** Reads one inbox file in any supported format, after the governance check. */
export function readInboxFile(draft: Draft, path: string, { roster, now, personalData }: InboxContext): InboxFile {
  let text: string
  try {
    text = draft.text(path) ?? ""
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { kind: "left", path, why: error.message }
  }
  const clearing = clearText(text, personalData)
  if (clearing.kind === "refused") return { kind: "forbidden", path, text, lines: forbiddenLines(text) }
  // The title may be derived from the file's name, so the name is checked too.
  const name = clearText(basename(path).replace(/\.md$/i, ""), personalData)
  if (name.kind === "refused") return { kind: "forbidden", path, text, lines: forbiddenNames(path, name.reason) }
  const context = { ...contextAt(path, roster), fileName: `${name.text}.md` }
  const read = readEntries(clearing.text, context)
  const conflict = read.diagnostics.find(({ code }) => code === "conflict-marker")
  if (conflict) return { kind: "left", path, why: `line ${conflict.line} has an unresolved merge conflict` }
  const front = frontOf(clearing.text)
  const isPolicy = path.startsWith("memory/policy-inbox/") || front?.isPolicy === true
  // Policies written by users have their own folder: a policy in the decisions inbox was proposed by an agent.
  const review = path.startsWith("decisions/inbox/") && front?.isPolicy === true ? reviewOfAgentRule : undefined
  const proposals = read.entries.map((entry, index) =>
    toProposal(read, entry, { isPolicy, review, now, front: index === 0 ? front : undefined }),
  )
  if (proposals.length === 0 && clearing.text.trim() !== "") return { kind: "left", path, why: "it contains no entry" }
  return { kind: "proposals", path, memoryId: front?.id, proposals }
}

function forbiddenLines(text: string): ForbiddenLine[] {
  const found = detectForbidden(text).map(({ start, reason, rule }) => ({
    line: text.slice(0, start).split("\n").length,
    reason,
    rule,
  }))
  if (found.length > 0) return found
  return findSensitive(text).map(({ line, rule }) => ({ line, reason: "PII-like identifier", rule }))
}

function forbiddenNames(path: string, reason: string): ForbiddenLine[] {
  const rule = findInPath(basename(path)).found[0]?.rule ?? "file-name"
  return [{ line: 1, reason: `${reason} in the file's name`, rule }]
}

type Front = {
  id: string | undefined
  isPolicy: boolean
  supersedes: string[]
  supersededBy: string[]
  extensions: Extension[]
}
type ProposalContext = { isPolicy: boolean; review: string | undefined; now: Date; front: Front | undefined }

function toProposal(read: EntriesFile, own: ReadEntry, { isPolicy, review, now, front }: ProposalContext): Proposal {
  const id = front?.id ?? own.id
  const isUndated = own.format === "legacy" && own.reading.dateSource === "none"
  const entry = normalizeEntry({
    ...own.entry,
    ...(isPolicy ? { type: "directive" as const } : {}),
    ...(review === undefined ? {} : { review }),
    ...(isUndated ? { timestamp: timestampFromDate(now), precision: "second" as const } : {}),
    ...bodyOf(read, own),
    supersedes: [...new Set([...own.entry.supersedes, ...(front?.supersedes ?? [])])],
    supersededBy: [...new Set([...own.entry.supersededBy, ...(front?.supersededBy ?? [])])],
    extensions: [...own.entry.extensions, ...(front?.extensions ?? [])],
  })
  return { id, entry: pinned(entry, id) }
}

/** Writes the id into the entry if it would otherwise change. */
export function pinned(entry: Entry, id: string): Entry {
  if (derivedId(entry) !== id) return { ...entry, id }
  const { id: _, ...derived } = entry
  return derived
}

/** Text between entries would be lost with the file, so it is added to the entry before it, or to the first. */
function bodyOf(read: EntriesFile, own: ReadEntry): { details?: string } {
  const isFirst = read.entries[0] === own
  const at = read.segments.findIndex(({ entry }) => entry === own)
  const before = isFirst ? read.segments.slice(0, at).map(({ text }) => proseOf(text)) : []
  const next = read.segments.findIndex(({ entry }, index) => index > at && entry)
  const after = read.segments.slice(at + 1, next === -1 ? undefined : next).map(({ text }) => proseOf(text))
  const parts = [...before, own.entry.details ?? "", ...after].filter((part) => part !== "")
  return parts.length === 0 ? {} : { details: parts.join("\n\n") }
}

function proseOf(text: string): string {
  const { lines } = splitLines(text)
  const body = lines.slice(readFrontMatter(lines).lines)
  const isProse = body.some((line) => /[\p{L}\p{N}]/u.test(line) && !/^#{1,6}[ \t]/.test(line))
  return isProse ? body.join("\n").trim() : ""
}

/** The front matter of governed memory. */
function frontOf(text: string): Front | undefined {
  const { lines } = splitLines(text)
  const { frontMatter, lines: count } = readFrontMatter(lines)
  if (count === 0) return undefined
  const value = (key: string) =>
    lines
      .slice(1, count)
      .map((line) => new RegExp(`^${key}:[ \\t]*(.+?)[ \\t]*$`).exec(line)?.[1])
      .find((found) => found !== undefined)
  const memoryClass = value("class")?.toUpperCase()
  const extensions = withGuidance(metadataOf(value("metadata")), memoryClass, value("loadGuidance"))
  const list = (key: string) =>
    (value(key) ?? "")
      .replace(/^\[|\]$|"/g, "")
      .split(/,\s*/)
      .filter(Boolean)
  return {
    id: frontMatter.id,
    isPolicy: memoryClass === "POLICY",
    supersedes: list("supersedes"),
    supersededBy: list("supersededBy"),
    extensions,
  }
}

/** Keeps load guidance that differs from the default of the class: it was set for this entry. */
function withGuidance(extensions: Extension[], memoryClass = "", text: string | undefined): Extension[] {
  const guidance = readLoadGuidance(text)
  const known = memoryClasses.find((name) => name === memoryClass)
  const isSaid = extensions.some(({ name }) => name === "loadGuidance")
  if (guidance === undefined || known === undefined || isSaid || guidance === defaultLoadGuidance(known))
    return extensions
  return [{ name: "loadGuidance", value: guidance }, ...extensions]
}

/** Known load guidance becomes a field of its own; all other metadata is kept unchanged. */
function metadataOf(text: string | undefined): Extension[] {
  if (text === undefined || text === "{}") return []
  try {
    const { loadGuidance, ...rest } = JSON.parse(text) as Record<string, unknown>
    const guidance = typeof loadGuidance === "string" ? [{ name: "loadGuidance", value: loadGuidance }] : []
    const others = Object.keys(rest).length > 0 ? [{ name: "metadata", value: JSON.stringify(rest) }] : []
    return [...guidance, ...others]
  } catch {
    return [{ name: "metadata", value: text }] // not JSON: keep the text
  }
}
