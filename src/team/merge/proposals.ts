import { basename, dirname, join } from "node:path"
import { namesIn } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { readFrontMatter } from "../../formats/blocks.ts"
import { type EntriesFile, type ReadEntry, readEntries } from "../../formats/entries.ts"
import { type Entry, type Extension, isScope } from "../../formats/entry.ts"
import { normalizeEntry } from "../../formats/entry-writer.ts"
import { bodyHash, derivedId } from "../../formats/ids.ts"
import type { Roster } from "../../formats/legacy/roster.ts"
import { collapseWhiteSpace, splitLines } from "../../formats/source-text.ts"
import { instantOf, type Timestamp, timestampFromDate } from "../../formats/timestamp.ts"
import { defaultLoadGuidance, memoryClasses, readLoadGuidance } from "../../governance/classify.ts"
import { clearText, generated, type PersonalDataPolicy } from "../../governance/cleared.ts"
import { detectForbidden } from "../../governance/detect-forbidden.ts"
import { findInPath, findSensitive } from "../../governance/redaction.ts"
import { type ChangePlan, contextAt, type Draft, type PlannedEntry } from "../change-plan.ts"
import { listEntryFiles } from "../team-files.ts"
import { reviewOfAgentRule } from "../team-rules.ts"

/** A proposed entry in normalized form with its id. */
export type MergeProposal = { id: string; entry: Entry }

/** Where a text contains forbidden content; never the value. */
type ForbiddenLine = { line: number; reason: string; rule: string }

export type InboxFile =
  | { kind: "proposals"; path: string; memoryId: string | undefined; proposals: MergeProposal[] }
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
} & Metadata
type ProposalContext = { isPolicy: boolean; review: string | undefined; now: Date; front: Front | undefined }

function toProposal(
  read: EntriesFile,
  own: ReadEntry,
  { isPolicy, review, now, front }: ProposalContext,
): MergeProposal {
  const id = front?.id ?? own.id
  const isUndated = own.format === "legacy" && own.reading.dateSource === "none"
  const entry = normalizeEntry({
    ...own.entry,
    ...(isPolicy ? { type: "directive" as const } : {}),
    ...(front?.scope === undefined || own.scopeExplicit ? {} : { scope: front.scope }),
    tags: [...own.entry.tags, ...(front?.tags ?? [])],
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
  const metadata = metadataOf(value("metadata"))
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
    ...metadata,
    extensions: withGuidance(metadata.extensions, memoryClass, value("loadGuidance")),
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

type Metadata = { scope?: string; tags: string[]; extensions: Extension[] }

/** What SEM has a field for becomes that field; all other metadata is kept unchanged. */
function metadataOf(text: string | undefined): Metadata {
  if (text === undefined || text === "{}") return { tags: [], extensions: [] }
  try {
    const { loadGuidance, scope, tags, ...rest } = JSON.parse(text) as Record<string, unknown>
    const hasScope = typeof scope === "string" && isScope(scope)
    const others = { ...rest, ...(scope === undefined || hasScope ? {} : { scope }) }
    const guidance = typeof loadGuidance === "string" ? [{ name: "loadGuidance", value: loadGuidance }] : []
    const kept = Object.keys(others).length > 0 ? [{ name: "metadata", value: JSON.stringify(others) }] : []
    return {
      ...(hasScope ? { scope } : {}),
      tags: tags === undefined ? [] : [String(tags)],
      extensions: [...guidance, ...kept],
    }
  } catch {
    return { tags: [], extensions: [{ name: "metadata", value: text }] } // not JSON: keep the text
  }
}

/** Where a proposal goes. `id` is the entry's id from now on. */
export type Placement =
  | { kind: "new"; id: string; entry: Entry }
  | { kind: "copy"; id: string; path: string | undefined; authors: string[] }

/**
 * Decides for each proposal whether the team already has it. The same id with the same text, or the same title and text among
 * the current decisions, is a copy. The same id with another text is another entry and gets its own id.
 */
export function placeProposals(
  proposals: readonly MergeProposal[],
  settled: readonly PlannedEntry[],
  now: Date,
): Placement[] {
  return proposalPlacer(settled, now)(proposals)
}

/** Places several proposals, each as if it were the only one. */
export function proposalPlacer(
  settled: readonly PlannedEntry[],
  now: Date,
): (proposals: readonly MergeProposal[]) => Placement[] {
  const decided = settled.filter(({ path }) => /^decisions/i.test(path))
  const byId = new Map(decided.map((entry) => [entry.id, { entry: entry.entry, path: entry.path }]))
  const standing = new Map<string, { id: string; path: string | undefined }>()
  for (const { id, entry, path } of decided) if (!/archive/i.test(path)) standing.set(textKey(entry), { id, path })
  const times = new Set(settled.map(({ entry }) => instantOf(entry.timestamp)))

  return (proposals) => {
    const addedTexts = new Map<string, { id: string; path: undefined }>()
    const addedTimes = new Set<number>()
    const added = new Map<string, { entry: Entry }>()
    return proposals.map(({ id, entry }): Placement => {
      const authors = [entry.author, ...entry.contributors]
      const namesake = byId.get(id) ?? added.get(id)
      if (namesake && sameBody(namesake.entry, entry)) return { kind: "copy", id, path: byId.get(id)?.path, authors }
      const twin = addedTexts.get(textKey(entry)) ?? standing.get(textKey(entry))
      if (twin) return { kind: "copy", id: twin.id, path: twin.path, authors }
      const ownId = namesake ? `${id}-${bodyHash(normalizeEntry(entry)).slice(0, 4)}` : id
      if (namesake && (byId.has(ownId) || added.has(ownId)))
        return { kind: "copy", id: ownId, path: byId.get(ownId)?.path, authors }
      const timestamp = freeSecond(entry.timestamp, (instant) => times.has(instant) || addedTimes.has(instant), now)
      const placed = timestamp === undefined ? { ...entry, id: ownId } : pinned({ ...entry, timestamp }, ownId)
      addedTimes.add(instantOf(placed.timestamp))
      added.set(ownId, { entry: placed })
      addedTexts.set(textKey(placed), { id: ownId, path: undefined })
      return { kind: "new", id: ownId, entry: placed }
    })
  }
}

/** Adds the authors of copies to new entries. Authors of copies of existing entries are added to their files elsewhere. */
export function uniteContributors(placements: readonly Placement[]): Extract<Placement, { kind: "new" }>[] {
  const added = placements.filter((placement) => placement.kind === "new")
  return added.map((placement) => {
    const copies = placements.filter((other) => other.kind === "copy" && other.id === placement.id)
    const names = copies.flatMap((copy) => (copy.kind === "copy" ? copy.authors : []))
    const { entry } = placement
    const contributors = missingNames(entry, names)
    return contributors.length === 0
      ? placement
      : { ...placement, entry: { ...entry, contributors: [...entry.contributors, ...contributors] } }
  })
}

/** The names that are neither author nor contributors of the entry. */
export function missingNames(entry: Entry, names: readonly string[]): string[] {
  const known = new Set([entry.author, ...entry.contributors, "unknown"].map((name) => name.toLowerCase()))
  return names.filter((name) => {
    const isNew = !known.has(name.toLowerCase())
    known.add(name.toLowerCase())
    return isNew
  })
}

function sameBody(one: Entry, other: Entry): boolean {
  return bodyHash(normalizeEntry(one)) === bodyHash(normalizeEntry(other))
}

function textKey(entry: Entry): string {
  const title = collapseWhiteSpace(entry.title.normalize("NFC")).toLowerCase()
  return `${entry.type}\n${title}\n${bodyHash(normalizeEntry(entry))}`
}

const aheadMs = 60_000

/** Moves forward second by second until the time is unique, but never into the future. */
function freeSecond(timestamp: Timestamp, isTaken: (instant: number) => boolean, now: Date): Timestamp | undefined {
  let instant = instantOf(timestamp)
  if (!isTaken(instant)) return timestamp
  while (isTaken(instant)) instant += 1000
  if (instant > now.getTime() + aheadMs) return undefined
  const offset = timestamp.slice(-6)
  const minutes = (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4))) * (offset.startsWith("-") ? -1 : 1)
  return new Date(instant + minutes * 60_000).toISOString().slice(0, 19) + offset
}

export type Quarantined = { path: string; to: string; lines: ForbiddenLine[] }

const folder = "decisions/inbox/.quarantine"

/** Moves a file with forbidden content to a git-ignored folder that is never read, and logs the violated rule. */
export function quarantine(
  work: ChangePlan,
  file: { path: string; text: string; lines: ForbiddenLine[] },
): Quarantined {
  const { draft, now } = work
  const name = safeName(basename(file.path), file.lines)
  const to = freePath(work, folder, name)
  draft.put(`${folder}/.gitignore`, generated("*\n"))
  const hasSafeName = name === basename(file.path)
  draft.move({ from: file.path, to, ...(hasSafeName ? {} : { back: freePath(work, dirname(file.path), name) }) })
  const report = `${folder}/report.txt`
  const time = now.toISOString()
  const said = file.lines.map(({ line, reason, rule }) => `${time} ${basename(to)}:${line} ${reason} (${rule})\n`)
  draft.put(report, generated(`${draft.text(report) ?? ""}${said.join("")}`))
  const [first] = file.lines
  work.actions.push({
    type: "cleanup",
    target: to,
    description: `quarantined because of line ${first?.line ?? 1}: ${first?.reason ?? "forbidden content"}`,
    bytesSaved: 0,
  })
  return { path: hasSafeName ? file.path : to, to, lines: file.lines }
}

/** The name may contain a secret too. */
function safeName(name: string, lines: readonly ForbiddenLine[]): string {
  return detectForbidden(name.replace(/\.md$/i, "")).length === 0 ? name : `line-${lines[0]?.line ?? 1}.md`
}

function freePath({ draft }: ChangePlan, parent: string, name: string): string {
  for (let number = 1; ; number++) {
    const path = `${parent}/${number === 1 ? name : name.replace(/(\.md)?$/i, `-${number}$1`)}`
    if (draft.text(path) === null && draft.moves().every(({ back }) => back !== path)) return path
  }
}
