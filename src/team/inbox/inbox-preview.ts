import type { Diagnostic } from "../../formats/diagnostics.ts"
import type { Entry } from "../../formats/entry.ts"
import { type MarkField, markEntry } from "../../formats/entry-placing.ts"
import { writeEntry } from "../../formats/entry-writer.ts"
import { lookUp, type Roster } from "../../formats/legacy/roster.ts"
import { hunkOf, insertionHunk, linesOf } from "../../formats/line-diff.ts"
import { referenceResolver } from "../../formats/references.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { type ChangePlan, contextAt, type PlannedEntry } from "../change-plan.ts"
import { toMarkdown } from "../edit/entry-text.ts"
import { nameOf, withDecisions } from "../merge/inbox-merge.ts"
import { updatesFor } from "../merge/merged-records.ts"
import { findNearDuplicates, likenessOf } from "../merge/near-duplicates.ts"
import { missingNames, type Placement, proposalPlacer } from "../merge/proposals.ts"
import type { StoreEntry, StoreReading } from "../team-entries.ts"
import { checkContent, type FileDiagnostic } from "../validation.ts"
import type { BrokenInboxFile, InboxContent, InboxProposal, WaitingFile, WaitingProposal } from "./contents.ts"

/** Lists all proposals with the changes they would make. Nothing is written. */
export function listInboxContent(
  work: ChangePlan,
  reading: StoreReading,
  files: readonly WaitingFile[],
  options: { squadUi: boolean },
): InboxContent {
  const inForce = entriesInForce(reading)
  const waiting = files.flatMap((file) => (file.kind === "proposals" ? file.proposals : []))
  const { pairs, like } = compare(inForce, waiting)
  const resolve = referenceResolver(reading.entries)
  const preview = mergePreview(work, reading, options)
  const proposals = files.flatMap((file) =>
    file.kind !== "proposals"
      ? []
      : file.proposals.map((each): InboxProposal => {
          const { key, version, id, entry, line } = each
          const path = `${work.draft.folder.name}/${each.path}`
          const replaced = each.entry.supersedes.flatMap((reference) => {
            const target = resolve(reference)
            return inForce.filter((one) => target.kind === "found" && one.id === target.id)
          })
          const against = [
            ...replaced.map((one) => beside(one, likenessOf(one.entry, entry), "supersedes")),
            ...(like.get(key) ?? [])
              .filter(({ one }) => !replaced.includes(one))
              .map(({ one, likeness }) => beside(one, likeness, "near-duplicate")),
          ]
          const diagnostics = file.diagnostics.filter((found) => found.line >= line && found.line <= each.endLine)
          return {
            ...{ key, version, id, entry, line, path, against },
            markdown: toMarkdown(entry),
            from: whoProposes(each, work.roster),
            diff: preview(each),
            diagnostics: diagnostics.map((found) => inFile(path, found)),
          }
        }),
  )
  return { proposals, nearDuplicates: pairs, broken: brokenFiles(work, reading, files) }
}

/** An entry superseded only by a proposal is active until the proposal is accepted. */
function entriesInForce({ entries }: StoreReading): StoreEntry[] {
  const proposed = new Set(entries.filter(({ source }) => source === "inbox").map(({ id }) => id))
  return entries.filter(
    ({ source, supersededBy }) => source === "decisions" && supersededBy.every((id) => proposed.has(id)),
  )
}

/** More than anyone reviews at once; resolved pairs make room for others. */
const mostPairs = 100

type Like = { one: StoreEntry; likeness: number }

/** Near-duplicate pairs of active entries, and the near-duplicates of each proposal by its key. */
function compare(inForce: readonly StoreEntry[], waiting: readonly WaitingProposal[]) {
  const byId = new Map(inForce.map((entry) => [entry.id, entry]))
  const keys = new Set(waiting.map(({ key }) => key))
  const items = [...inForce, ...waiting.map(({ key, entry }) => ({ id: key, entry }))]
  const pairs: InboxContent["nearDuplicates"] = []
  const like = new Map<string, Like[]>()
  for (const { one, other, similarity: likeness } of findNearDuplicates(items, (first) => !keys.has(first))) {
    const entry = byId.get(one)
    const second = byId.get(other)
    if (entry && second) pairs.push({ one: entry, other: second, likeness })
    else if (entry) like.set(other, [...(like.get(other) ?? []), { one: entry, likeness }])
  }
  const mostAlike = pairs.sort((one, other) => other.likeness - one.likeness).slice(0, mostPairs)
  return { pairs: mostAlike, like }
}

function beside(
  entry: StoreEntry,
  likeness: number,
  relation: "near-duplicate" | "supersedes",
): InboxProposal["against"][number] {
  return { entry, markdown: toMarkdown(entry.entry), likeness, relation }
}

function whoProposes({ entry }: WaitingProposal, roster: Roster): InboxProposal["from"] {
  const origin = entry.extensions.find(({ name }) => name.toLowerCase() === "origin")?.value
  if (origin !== undefined) return origin === "learned" ? "learned" : "import"
  return lookUp(entry.author, roster) === undefined ? "person" : "agent"
}

/** Inbox files that cannot be accepted, and other team files that must be fixed by hand. */
function brokenFiles({ draft }: ChangePlan, reading: StoreReading, files: readonly WaitingFile[]): BrokenInboxFile[] {
  const inbox = files.flatMap((file): BrokenInboxFile[] => {
    if (file.kind === "proposals") return []
    const path = `${draft.folder.name}/${file.path}`
    const found = file.diagnostics.map((each) => inFile(path, each))
    if (file.kind === "left") return [{ path, problem: file.why, diagnostics: found }]
    const [first] = file.lines
    const problem = `line ${first?.line ?? 1} contains forbidden content: ${first?.reason} (${first?.rule})`
    return [{ path, problem, diagnostics: [...checkContent(path, file.text), ...found] }]
  })
  const known = new Set(inbox.map(({ path }) => path))
  const unreadable = reading.unreadable.map(({ path, message }) => ({ path, problem: message, diagnostics: [] }))
  const conflicts = reading.files.flatMap(({ path, read }): BrokenInboxFile[] => {
    const marker = read.diagnostics.find(({ code }) => code === "conflict-marker")
    const problem = `line ${marker?.line} has an unresolved merge conflict`
    return marker ? [{ path, problem, diagnostics: read.diagnostics.map((each) => inFile(path, each)) }] : []
  })
  return [...inbox, ...[...unreadable, ...conflicts].filter(({ path }) => !known.has(path))]
}

function inFile(path: string, diagnostic: Diagnostic): FileDiagnostic {
  return { path, ...diagnostic }
}

type FileDiff = InboxProposal["diff"][number]

/**
 * Previews the merge of each proposal without running a merge for each. It uses the merge's own functions for the placement, the text,
 * the marks on superseded entries, and the notified agents.
 */
function mergePreview(
  work: ChangePlan,
  reading: StoreReading,
  options: { squadUi: boolean },
): (proposal: WaitingProposal) => FileDiff[] {
  const { folder } = work.draft
  const settled = settledIn(reading, folder.name)
  const place = proposalPlacer(settled, work.now)
  const resolve = referenceResolver(settled)
  const insertion = insertionInto(work, settled, options)
  const file = (path: string, lines: string[]): FileDiff => ({ path: `${folder.name}/${path}`, lines })

  return ({ id, entry, path, whole, rest }) => {
    const { review: _, ...accepted } = entry
    const [placement] = place([{ id, entry: accepted }])
    if (!placement) return []
    const gone = file(path, hunkOf(whole, rest))
    if (placement.kind === "copy")
      return [...markContributors(work, settled, placement).map(({ path: at, lines }) => file(at, lines)), gone]
    const marks = placement.entry.supersedes.flatMap((reference) => {
      const target = resolve(reference)
      const old = target.kind === "found" ? settled.find((each) => each.id === target.id) : undefined
      const value = nameOf(settled, placement.id, placement.entry)
      return old ? markLines(work, old, { field: "supersededBy", value, title: placement.entry.title }) : []
    })
    const news = updatesFor(work, placement.entry).map(({ path: at, before, after }) => file(at, hunkOf(before, after)))
    const added = file("decisions.md", insertion(placement.entry))
    return [...unite([added, ...marks.map(({ path: at, lines }) => file(at, lines))]), ...news, gone]
  }
}

type SettledEntry = PlannedEntry & { text: string }

function settledIn(reading: StoreReading, folder: string): SettledEntry[] {
  return reading.files
    .filter((file) => file.source !== "inbox" && file.folder.name === folder)
    .flatMap(({ path, read }) =>
      read.segments.flatMap(({ entry, text }) =>
        entry ? [{ ...entry, path: path.slice(folder.length + 1), text }] : [],
      ),
    )
}

/** New decisions all go to the same place, so it is computed once. */
function insertionInto(
  { draft, roster }: ChangePlan,
  settled: readonly SettledEntry[],
  { squadUi }: { squadUi: boolean },
): (entry: Entry) => string[] {
  const text = draft.text("decisions.md")
  const isEmpty = settled.every(({ path }) => path !== "decisions.md")
  let known: { before: string; behind: number; after: string } | undefined
  const lineEnd = dominantLineEnd(text ?? "")
  return (entry) => {
    const piece = writeEntry(entry, { lineEnd, squadUi })
    if (text === null || isEmpty)
      return hunkOf(text ?? "", withDecisions(text, isEmpty, [{ entry }], { roster, squadUi }))
    known ??= findInsertion(text, withDecisions(text, isEmpty, [{ entry }], { roster, squadUi }), piece)
    return insertionHunk(known.before + piece + known.after, known.behind)
  }
}

/** The blank lines inserted with a piece, and the number of the line before it. */
function findInsertion(text: string, whole: string, piece: string) {
  const at = whole.lastIndexOf(piece)
  let start = 0
  while (start < at && text[start] === whole[start]) start++
  const after = whole.slice(at + piece.length, whole.length - (text.length - start))
  return { before: whole.slice(start, at), behind: linesOf(text.slice(0, start)).length, after }
}

type MarkLines = { path: string; lines: string[] }

function markLines(
  { roster }: ChangePlan,
  old: SettledEntry,
  mark: { field: MarkField; value: string; title: string },
): MarkLines[] {
  const marked = markEntry(old.text, contextAt(old.path, roster), old.id, mark)
  return marked === old.text ? [] : [{ path: old.path, lines: hunkOf(old.text, marked, old.line) }]
}

function markContributors(
  work: ChangePlan,
  settled: readonly SettledEntry[],
  { id, path, authors }: Extract<Placement, { kind: "copy" }>,
): MarkLines[] {
  const standing = settled.find((each) => each.id === id && each.path === path)
  if (!standing) return []
  const value = missingNames(standing.entry, authors).join(", ")
  return value === "" ? [] : markLines(work, standing, { field: "contributors", value, title: standing.entry.title })
}

/** The hunks of one file in the order of its lines. */
function unite(files: readonly FileDiff[]): FileDiff[] {
  const byPath = new Map<string, string[][]>()
  for (const { path, lines } of files) byPath.set(path, [...(byPath.get(path) ?? []), lines])
  const place = ([head]: string[]) => Number(/^@@ -(\d+)/.exec(head ?? "")?.[1] ?? 0)
  return [...byPath].map(([path, hunks]) => ({
    path,
    lines: hunks.sort((one, other) => place(one) - place(other)).flat(),
  }))
}
