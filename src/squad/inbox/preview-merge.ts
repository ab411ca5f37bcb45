import type { Entry } from "../../formats/entry.ts"
import { referenceResolver } from "../../formats/references.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { writeEntry } from "../../formats/write-entry.ts"
import { contextAt } from "../draft.ts"
import { type MarkField, markEntry } from "../mark-entry.ts"
import { nameOf, withDecisions } from "../merge/merge-inbox.ts"
import { missingNames, type Placement, proposalPlacer } from "../merge/place-proposals.ts"
import { updatesFor } from "../merge/team-updates.ts"
import type { StoreReading } from "../read-store.ts"
import type { PlacedEntry, Work } from "../tidy/work.ts"
import type { InboxProposal } from "./inbox-desk.ts"
import type { Waiting } from "./read-waiting.ts"
import { diffInsertion, diffTexts, linesOf } from "./unified-diff.ts"

type FileDiff = InboxProposal["diff"][number]

/**
 * Previews the merge of each proposal without running a merge for each. It uses the merge's own functions for the placement, the text,
 * the marks on superseded entries, and the notified agents.
 */
export function mergePreview(
  work: Work,
  reading: StoreReading,
  options: { squadUi: boolean },
): (proposal: Waiting) => FileDiff[] {
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
    const gone = file(path, diffTexts(whole, rest))
    if (placement.kind === "copy")
      return [...markContributors(work, settled, placement).map(({ path: at, lines }) => file(at, lines)), gone]
    const marks = placement.entry.supersedes.flatMap((reference) => {
      const target = resolve(reference)
      const old = target.kind === "found" ? settled.find((each) => each.id === target.id) : undefined
      const value = nameOf(settled, placement.id, placement.entry)
      return old ? markLines(work, old, { field: "supersededBy", value, title: placement.entry.title }) : []
    })
    const news = updatesFor(work, placement.entry).map(({ path: at, before, after }) =>
      file(at, diffTexts(before, after)),
    )
    const added = file("decisions.md", insertion(placement.entry))
    return [...unite([added, ...marks.map(({ path: at, lines }) => file(at, lines))]), ...news, gone]
  }
}

type SettledEntry = PlacedEntry & { text: string }

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
  { draft, roster }: Work,
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
      return diffTexts(text ?? "", withDecisions(text, isEmpty, [{ entry }], { roster, squadUi }))
    known ??= findInsertion(text, withDecisions(text, isEmpty, [{ entry }], { roster, squadUi }), piece)
    return diffInsertion(known.before + piece + known.after, known.behind)
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
  { roster }: Work,
  old: SettledEntry,
  mark: { field: MarkField; value: string; title: string },
): MarkLines[] {
  const marked = markEntry(old.text, contextAt(old.path, roster), old.id, mark)
  return marked === old.text ? [] : [{ path: old.path, lines: diffTexts(old.text, marked, old.line) }]
}

function markContributors(
  work: Work,
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
