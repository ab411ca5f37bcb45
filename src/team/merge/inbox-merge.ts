import type { ReadEntry } from "../../formats/entries.ts"
import type { Entry } from "../../formats/entry.ts"
import { appendEntries, markEntry } from "../../formats/entry-placing.ts"
import { writeEntry } from "../../formats/entry-writer.ts"
import type { Roster } from "../../formats/legacy/roster.ts"
import { linkEntries, referenceResolver } from "../../formats/references.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { differenceOf, hasNegation, overlapOf } from "../../formats/text-difference.ts"
import { instantOf, type Timestamp, toMarkdownTimestamp } from "../../formats/timestamp.ts"
import { alreadyStored, type PersonalDataPolicy } from "../../governance/cleared.ts"
import { moveToArchive } from "../archive/decision-archive.ts"
import { type ChangePlan, contextAt, type PlannedEntry, readDraft, settledEntries } from "../change-plan.ts"
import { isIgnoredByGit } from "../git/repository.ts"
import { readMemoryConfig } from "../governed/governed-context.ts"
import { isRuleEntry, markedGuidance } from "../team-rules.ts"
import { noteMerged, noteQuarantined, notifyAgents, updateIndex } from "./merged-records.ts"
import { consolidate, findNearDuplicates, type NearDuplicateEntry } from "./near-duplicates.ts"
import {
  type InboxFile,
  listInbox,
  missingNames,
  type Placement,
  placeProposals,
  type Quarantined,
  quarantine,
  readInboxFile,
  uniteContributors,
} from "./proposals.ts"

export type MergeOptions = {
  /** Combine near-duplicates; by default they are only reported. */
  consolidate?: boolean
  /** Only these files of the inbox, by their paths below the team folder. */
  only?: readonly string[]
  /** Also merge proposals that need review: the user accepted them. */
  acceptReview?: boolean
  /** An agent runs the merge: policies written by users are not merged either. */
  isAgent?: boolean
  squadUi?: boolean
  /** The caller does not report near-duplicates. */
  skipSimilar?: boolean
}

export type MergeReport = {
  /** Ids of the entries that are new in decisions.md. */
  merged: string[]
  duplicates: { path: string; of: string }[]
  quarantined: Quarantined[]
  /** Files that stay in the inbox, with the reason; `waits`: it needs review by the user. */
  left: { path: string; why: string; waits?: true }[]
  nearDuplicates: (NearDuplicateEntry & { titles: [string, string] })[]
  consolidated: { id: string; originals: string[] }[]
  /** Agents whose histories got a note about new entries. */
  told: string[]
}

type Proposals = Extract<InboxFile, { kind: "proposals" }>

const decisions = "decisions.md"

/** Plans the merge of the inbox into decisions.md. */
export function mergeInbox(work: ChangePlan, options: MergeOptions = {}): MergeReport {
  const { draft, roster, now } = work
  draft.text(decisions) // if it cannot be read, nothing may leave the inbox
  const paths = options.only ?? listInbox(draft)
  const personalData = personalDataPolicy(work)
  const read = paths.map((path) => readInboxFile(draft, path, { roster, now, personalData }))
  const settled = settledEntries(work, options.acceptReview && !options.consolidate ? concerns(read) : undefined)
  const files = read.map(options.acceptReview ? acceptReview : leaveToPerson(settled, options))
  const quarantined = files.flatMap((file) => (file.kind === "forbidden" ? quarantine(work, file) : []))
  for (const file of quarantined) noteQuarantined(work, file)
  const left = files.flatMap((file): MergeReport["left"] => {
    if (file.kind !== "left") return []
    const { kind: _, ...leftFile } = file
    return [leftFile]
  })
  const readable = files.filter((file): file is Proposals => file.kind === "proposals")

  const proposals = readable.flatMap((file) => file.proposals)
  const placements = placeProposals(proposals, settled, now)
  for (const [index, proposal] of proposals.entries()) {
    const placement = placements[index]
    if (placement) noteMerged(work, proposal, placement)
  }
  const added = uniteContributors(placements)
  appendDecisions(work, added, options.squadUi === true)
  for (const { entry, id } of added) linkBack(work, settled, id, entry)
  for (const placement of placements) if (placement.kind === "copy") addContributors(work, placement)
  updateIndex(work, movedMemories(readable, placements))
  for (const { path } of readable) draft.put(path, null)
  const told = notifyAgents(
    work,
    added.map(({ entry }) => entry),
  )
  describe(work, readable, added.length, placements.length - added.length)

  const near = options.skipSimilar
    ? []
    : similarDecisions(work, new Set(added.map(({ id }) => id)), options.consolidate === true)
  const consolidated = options.consolidate ? consolidateAll(work, near, settled, options.squadUi === true) : []
  return {
    merged: added.map(({ id }) => id),
    duplicates: duplicatesIn(readable, placements),
    quarantined,
    left,
    nearDuplicates: near,
    consolidated,
    told,
  }
}

function personalDataPolicy({ draft, notes }: ChangePlan): PersonalDataPolicy {
  const { config, warnings } = readMemoryConfig(draft.folder)
  for (const warning of warnings)
    notes.push(warning.startsWith(draft.folder.path) ? warning : `memory/config.json: ${warning}`)
  return config.personalData
}

/** Leaves files that need review; the policy folder contains only files written by users. */
function leaveToPerson(
  settled: readonly PlannedEntry[],
  { isAgent = false }: MergeOptions,
): (file: InboxFile) => InboxFile {
  const decided = settled.filter(({ path }) => path.startsWith("decisions"))
  const { supersededBy } = linkEntries(decided)
  const active = decided.filter(({ id, entry }) => !supersededBy.has(id) && entry.supersededBy.length === 0)
  const resolve = referenceResolver(decided)
  return (file) => {
    if (file.kind !== "proposals") return file
    if (!isAgent && file.path.startsWith("memory/policy-inbox/")) return file
    for (const { entry } of file.proposals) {
      const targets = entry.supersedes.map(resolve)
      const replaced = new Set(targets.flatMap((target) => (target.kind === "found" ? [target.id] : [])))
      const why = reviewReason(entry, active, replaced)
      if (why !== undefined) return { kind: "left", path: file.path, why, waits: true }
    }
    return file
  }
}

/**
 * Whether a file may have a copy of a proposal, its id or an entry of the same second: the files of a large team are then searched, not
 * parsed. A proposal that supersedes something may concern any file.
 */
function concerns(files: readonly InboxFile[]): ((text: string) => boolean) | undefined {
  const proposals = files.flatMap((file) => (file.kind === "proposals" ? file.proposals : []))
  if (proposals.some(({ entry }) => entry.supersedes.length > 0)) return undefined
  const near = proposals.flatMap(({ id, entry }) => [id, ...daysAround(entry.timestamp)])
  const titles = proposals.map(({ entry }) => entry.title.normalize("NFC"))
  const patterns = titles.map(titlePattern)
  const areAscii = titles.every((title) => /^[ -~]*$/.test(title)) // normalizing a large file takes longer than the search
  return (text) => {
    if (near.some((each) => text.includes(each))) return true
    const searched = areAscii ? text : text.normalize("NFC")
    return patterns.some((pattern) => pattern.test(searched))
  }
}

/** With the day before and after it: a time may be written with another offset. */
function daysAround(timestamp: Timestamp): string[] {
  return [-1, 0, 1].map((days) => new Date(instantOf(timestamp) + days * 86_400_000).toISOString().slice(0, 10))
}

/** Matches a title with any marks and white space between its words. */
function titlePattern(title: string): RegExp {
  const words = title.match(/[\p{L}\p{N}]+/gu) ?? []
  return new RegExp(words.join("[^\\p{L}\\p{N}]+"), "iu")
}

function acceptReview(file: InboxFile): InboxFile {
  if (file.kind !== "proposals") return file
  const proposals = file.proposals.map(({ id, entry: { review: _, ...entry } }) => ({ id, entry }))
  return { ...file, proposals }
}

type Added = { id: string; entry: Entry }

/** Appends the entries and parses the text again: each must be found by its id, and the old ones must be unchanged. */
function appendDecisions(work: ChangePlan, added: readonly Added[], squadUi: boolean): void {
  if (added.length === 0) return
  const { draft, roster } = work
  const before = readDraft(draft, decisions, roster).entries
  draft.put(
    decisions,
    alreadyStored(withDecisions(draft.text(decisions), before.length === 0, added, { roster, squadUi })),
  )
  verify(before, added, readDraft(draft, decisions, roster).entries)
}

/** The text of decisions.md with new entries in it. */
export function withDecisions(
  text: string | null,
  isEmpty: boolean,
  added: readonly Pick<Added, "entry">[],
  { roster, squadUi }: { roster: Roster; squadUi: boolean },
): string {
  const old = text ?? "# Team decisions\n"
  const start = isEmpty ? old.replace(/^No decisions recorded yet\.[ \t]*\r?\n(?:[ \t]*\r?\n)?/m, "") : old
  const lineEnd = dominantLineEnd(old)
  const pieces = added.map(({ entry }) => writeEntry(entry, { lineEnd, squadUi }))
  return appendEntries(start, pieces, contextAt(decisions, roster))
}

function verify(before: readonly ReadEntry[], added: readonly Added[], after: readonly ReadEntry[]): void {
  const expected = [...before.map(({ id }) => id), ...added.map(({ id }) => id)].sort()
  const found = after.map(({ id }) => id).sort()
  const missing = expected.find((id, index) => id !== found[index])
  if (missing !== undefined || expected.length !== found.length)
    throw new Error(`The merged text of ${decisions} does not hold entry ${missing ?? "by entry what it should"}.`)
}

/** Links each superseded entry to the new one. */
function linkBack(work: ChangePlan, settled: readonly PlannedEntry[], id: string, entry: Entry): void {
  if (entry.supersedes.length === 0) return
  const { draft, roster } = work
  const standing = [...settled, ...readDraft(draft, decisions, roster).entries]
  const resolve = referenceResolver(standing)
  const pathOf = new Map(settled.map((old) => [old.id, old.path]))
  for (const reference of entry.supersedes) {
    const target = resolve(reference)
    if (target.kind !== "found" || target.id === id) continue
    const path = pathOf.get(target.id) ?? decisions
    const mark = { field: "supersededBy" as const, value: nameOf(standing, id, entry), title: entry.title }
    draft.put(path, alreadyStored(markEntry(draft.text(path) ?? "", contextAt(path, roster), target.id, mark)))
  }
}

/** How other entries refer to a new one: by its time if unique, else by its id. */
export function nameOf(standing: readonly ReadEntry[], id: string, entry: Entry): string {
  const instant = instantOf(entry.timestamp)
  const isUnique = standing.every((other) => other.id === id || instantOf(other.entry.timestamp) !== instant)
  return isUnique && entry.precision === "second" ? toMarkdownTimestamp(entry.timestamp) : id
}

function addContributors(
  { draft, roster }: ChangePlan,
  { id, path, authors }: Extract<Placement, { kind: "copy" }>,
): void {
  if (path === undefined) return // a copy of another new entry, which has them already
  const context = contextAt(path, roster)
  const standing = readDraft(draft, path, roster).entries.find((entry) => entry.id === id)
  if (!standing) return
  for (const name of missingNames(standing.entry, authors)) {
    const mark = { field: "contributors" as const, value: name, title: standing.entry.title }
    draft.put(path, alreadyStored(markEntry(draft.text(path) ?? "", context, id, mark)))
  }
}

function movedMemories(files: readonly Proposals[], placements: readonly Placement[]) {
  let at = 0
  return files.flatMap(({ path, memoryId, proposals }) => {
    const first = placements[at]
    at += proposals.length
    if (!first) return []
    const to = (first.kind === "copy" ? first.path : undefined) ?? decisions
    return [{ memoryId, from: path, to, anchor: first.id }]
  })
}

function duplicatesIn(files: readonly Proposals[], placements: readonly Placement[]): MergeReport["duplicates"] {
  const paths = files.flatMap(({ path, proposals }) => proposals.map(() => path))
  return placements.flatMap((placement, index) =>
    placement.kind === "copy" ? [{ path: paths[index] ?? "", of: placement.id }] : [],
  )
}

function describe(work: ChangePlan, files: readonly Proposals[], added: number, copies: number): void {
  if (files.length === 0) return
  const entries = `${added} ${added === 1 ? "entry" : "entries"} from ${files.length} inbox ${files.length === 1 ? "file" : "files"}`
  const also = copies > 0 ? `, ${copies} already there` : ""
  work.actions.push({ type: "merge", target: decisions, description: entries + also, bytesSaved: 0 })
}

/** Near-duplicate pairs with at least one new entry, or all pairs if `all` is set. */
function similarDecisions(work: ChangePlan, added: ReadonlySet<string>, all: boolean): MergeReport["nearDuplicates"] {
  if (added.size === 0 && !all) return []
  const standing = readDraft(work.draft, decisions, work.roster).entries.filter(
    ({ entry }) => entry.supersededBy.length === 0,
  )
  const titles = new Map(standing.map(({ id, entry }) => [id, entry.title]))
  return findNearDuplicates(standing, (one, other) => all || added.has(one) || added.has(other)).map((pair) => ({
    ...pair,
    titles: [titles.get(pair.one) ?? "", titles.get(pair.other) ?? ""],
  }))
}

function consolidateAll(
  work: ChangePlan,
  pairs: readonly NearDuplicateEntry[],
  settled: readonly PlannedEntry[],
  squadUi: boolean,
): MergeReport["consolidated"] {
  const { draft, roster, now } = work
  const target = "decisions-archive.md"
  if (pairs.length > 0 && isIgnoredByGit(draft.folder.path, target)) {
    work.refused.push(`${target} is ignored by git, so nothing was consolidated.`)
    return []
  }
  return consolidate(pairs, readDraft(draft, decisions, roster).entries, now).map(({ entry, id, originals }) => {
    const [placed] = placeProposals([{ id, entry }], settledEntries(work), now)
    if (placed?.kind !== "new") return { id, originals }
    appendDecisions(work, [placed], squadUi)
    linkBack(work, settled, placed.id, placed.entry)
    const moved = moveToArchive(work, target, new Set(originals))
    const description = `${originals.length} near-duplicates combined, ${moved} originals archived in ${target}`
    work.actions.push({ type: "merge", target: decisions, description, bytesSaved: 0 })
    return { id: placed.id, originals }
  })
}

/** The result for a single entry: merged, a copy of an existing one, or left in the inbox. */
export type MergeOutcome =
  | { kind: "merged"; id: string }
  | { kind: "copy"; of: string }
  | { kind: "refused"; reason: string }

/** Plans the merge of one inbox file with one entry. */
export function mergeOne(work: ChangePlan, path: string, options: Omit<MergeOptions, "only">): MergeOutcome {
  const { merged, duplicates, left, quarantined } = mergeInbox(work, { ...options, only: [path], skipSimilar: true })
  const [id] = merged
  if (id !== undefined) return { kind: "merged", id }
  const [copy] = duplicates
  if (copy) return { kind: "copy", of: copy.of }
  return { kind: "refused", reason: left[0]?.why ?? quarantined[0]?.lines[0]?.reason ?? "it contains no entry" }
}

/** An active entry that a proposal is compared with. */
export type ActiveEntries = { id: string; entry: Entry }

/**
 * Why a proposal needs review by the user; undefined for entries that agents may add by themselves. `replaced` are the ids
 * of the entries that it supersedes.
 */
function reviewReason(
  entry: Entry,
  active: readonly ActiveEntries[],
  replaced: ReadonlySet<string>,
): string | undefined {
  if (entry.review !== undefined) return entry.review
  if (markedGuidance(entry) === "ALWAYS") return "it is marked [ALWAYS], which makes it a rule"
  if (isRuleEntry(entry)) return "it is a rule"
  const origin = entry.extensions.find(({ name }) => name.toLowerCase() === "origin")?.value
  if (origin === "learned") return "it is a learned memory proposed to the team"
  if (origin !== undefined) return `it is imported (${origin})`
  const rule = active.find((each) => replaced.has(each.id) && isRuleEntry(each.entry))
  if (rule) return `it replaces the rule "${rule.entry.title}"`
  const opposite = active.find((each) => !replaced.has(each.id) && contradicts(entry, each.entry))
  return opposite && `it contradicts "${opposite.entry.title}"`
}

/** The share of common words above which two sentences have the same subject. */
const sameSubject = 0.6
const longestSentence = 200

/** One affirms what the other denies, in nearly the same words. Paraphrases are not recognized. */
function contradicts(one: Entry, other: Entry): boolean {
  return sentencesOf(one).some((sentence) =>
    sentencesOf(other).some(
      (opposite) =>
        (hasNegation(sentence) || hasNegation(opposite)) &&
        overlapOf(sentence, opposite) >= sameSubject &&
        differenceOf(sentence, opposite).contradicts,
    ),
  )
}

function sentencesOf({ title, summary }: Entry): string[] {
  return [title, summary].map((text) => text.slice(0, longestSentence))
}
