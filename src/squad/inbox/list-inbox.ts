import type { Diagnostic } from "../../formats/diagnostics.ts"
import { lookUp, type Roster } from "../../formats/legacy/roster.ts"
import { referenceResolver } from "../../formats/references.ts"
import { checkContent } from "../check-content.ts"
import type { StoreEntry } from "../collect-entries.ts"
import { toMarkdown } from "../edit/entry-text.ts"
import { findNearDuplicates, likenessOf } from "../merge/near-duplicates.ts"
import type { StoreReading } from "../read-store.ts"
import type { Work } from "../tidy/work.ts"
import type { FileDiagnostic } from "../validate-store.ts"
import type { BrokenFile, InboxContent, InboxProposal } from "./inbox-desk.ts"
import { mergePreview } from "./preview-merge.ts"
import type { Waiting, WaitingFile } from "./read-waiting.ts"

/** Lists all proposals with the changes they would make. Nothing is written. */
export function listInboxContent(
  work: Work,
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
function compare(inForce: readonly StoreEntry[], waiting: readonly Waiting[]) {
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

function whoProposes({ entry }: Waiting, roster: Roster): InboxProposal["from"] {
  const origin = entry.extensions.find(({ name }) => name.toLowerCase() === "origin")?.value
  if (origin !== undefined) return origin === "learned" ? "learned" : "import"
  return lookUp(entry.author, roster) === undefined ? "person" : "agent"
}

/** Inbox files that cannot be accepted, and other team files that must be fixed by hand. */
function brokenFiles({ draft }: Work, reading: StoreReading, files: readonly WaitingFile[]): BrokenFile[] {
  const inbox = files.flatMap((file): BrokenFile[] => {
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
  const conflicts = reading.files.flatMap(({ path, read }): BrokenFile[] => {
    const marker = read.diagnostics.find(({ code }) => code === "conflict-marker")
    const problem = `line ${marker?.line} has an unresolved merge conflict`
    return marker ? [{ path, problem, diagnostics: read.diagnostics.map((each) => inFile(path, each)) }] : []
  })
  return [...inbox, ...[...unreadable, ...conflicts].filter(({ path }) => !known.has(path))]
}

function inFile(path: string, diagnostic: Diagnostic): FileDiagnostic {
  return { path, ...diagnostic }
}
