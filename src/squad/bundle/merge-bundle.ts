import type { Entry } from "../../formats/entry.ts"
import { bodyHash } from "../../formats/entry-id.ts"
import { makeRoster, type Roster, rosterNamesOf } from "../../formats/legacy/roster.ts"
import { normalizeEntry } from "../../formats/normalize-entry.ts"
import { type ReadEntry, readEntries, type Segment } from "../../formats/read-entries.ts"
import { timestampFromDate } from "../../formats/timestamp.ts"
import { writeEntry } from "../../formats/write-entry.ts"
import { generated, joinCleared } from "../../governance/cleared.ts"
import { appendEntries } from "../append-entries.ts"
import { moveEntries } from "../archive/move-entries.ts"
import { contextAt, type Draft } from "../draft.ts"
import type { Store } from "../find-store.ts"
import { mergeIndex } from "../git/merge-records.ts"
import { listEntryFiles, readRoster } from "../list-files.ts"
import { readEntryFile } from "../read-store.ts"
import type { BundleFiles } from "./bundle.ts"
import { type ClearedPiece, clearFile, isEntryFile, type Refusal } from "./clear-file.ts"
import { importHistory, importNote } from "./import-history.ts"

type Report = { added: string[]; different: string[]; refused: Refusal[] }

/** Adds the missing entries and files of a bundle. Entries are matched by id in any file; existing ones are unchanged. */
export function mergeBundle(
  store: Store,
  draft: Draft,
  files: BundleFiles,
  label: string,
  now: Date,
  report: Report,
): void {
  // Read legacy entries with the names of both teams, as they will be read once the other team's agents are imported.
  const roster = makeRoster([...readRoster(store).values(), ...namesOf(files)])
  const known = new Map<string, ReadEntry>()
  for (const file of store.folders.flatMap(listEntryFiles))
    for (const entry of readEntryFile(file, roster, now).read.entries) known.set(entry.id, entry)
  for (const [path, text] of files) {
    if (path.startsWith("skills/")) continue
    const { pieces, refused } = clearFile(path, text, roster)
    report.refused.push(...refused)
    if (isEntryFile(path)) mergeEntryFile(path, pieces, { draft, known, roster, label, now, report })
    else if (path === "memory/index.json") mergeIndexFile(draft, pieces)
    else if (draft.text(path) === null && pieces[0] && !isDeleted(draft, path, text)) draft.put(path, pieces[0].text)
  }
}

function namesOf(files: BundleFiles): string[] {
  const agents = [...files.keys()].map((path) => /^agents\/([^/_][^/]*)\//.exec(path)?.[1])
  return [...agents.filter((name) => name !== undefined), ...rosterNamesOf(files.get("team.md") ?? "")]
}

type Merging = {
  draft: Draft
  known: Map<string, ReadEntry>
  roster: Roster
  label: string
  now: Date
  report: Report
}

function mergeEntryFile(path: string, pieces: ClearedPiece[], merging: Merging): void {
  const { draft, roster, label, now } = merging
  const context = contextAt(path, roster)
  const text = joinCleared(pieces.map((piece) => piece.text))
  const read = readEntries(text, context)
  const fresh = new Set(read.segments.filter(({ entry }) => entry && isNew(entry, merging)))
  if (fresh.size === 0) return
  const isHistory = /^agents\/[^/]+\/history\.md$/.test(path)
  const target = path.startsWith("decisions/inbox/") ? freePath(draft, path) : path
  const present = draft.text(target)
  if (present === null) {
    const kept = read.segments.filter((segment) => !segment.entry || fresh.has(segment))
    const texts = kept.map((segment) => ({ text: generated(segment.text) }))
    draft.put(target, isHistory ? importHistory(texts, label, now) : joinCleared(texts.map((each) => each.text)))
    return
  }
  const wanted = new Set([...read.segments.keys()].filter((index) => fresh.has(read.segments[index] as Segment)))
  const moved = moveEntries(read, { text, context }, { text: present, context }, wanted)
  const others = [...moved.stuck].map((index) => read.segments[index]?.entry).filter((entry) => entry !== undefined)
  const further = others.map(({ entry, id }) => writeEntry({ ...entry, id }))
  const note = isHistory ? [writeEntry(noteOf(label, now))] : []
  draft.put(target, generated(appendEntries(moved.archive, [...further, ...note], context)))
}

function isNew(entry: ReadEntry, { known, report }: Merging): boolean {
  const present = known.get(entry.id)
  if (!present) {
    report.added.push(entry.id)
    return true
  }
  if (bodyHash(present.entry) !== bodyHash(entry.entry)) report.different.push(entry.id)
  return false
}

/** Records where the entries above it came from, as an entry of its own, so that it is not parsed as part of another. */
function noteOf(label: string, now: Date): Entry {
  const details = importNote(label, now)
  const title = `Imported from ${label}`
  return normalizeEntry({ type: "note", timestamp: timestampFromDate(now), author: "Drey", title, details })
}

function mergeIndexFile(draft: Draft, pieces: ClearedPiece[]): void {
  const ours = draft.text("memory/index.json") ?? ""
  const theirs = pieces[0]?.text ?? ""
  draft.put("memory/index.json", generated(mergeIndex({ ours, theirs })))
}

/** A memory that this team deleted is not imported again from another team's copy. */
function isDeleted(draft: Draft, path: string, text: string): boolean {
  const id = path.startsWith("memory/") ? /^id:[ \t]*([\w-]+)[ \t]*$/m.exec(text)?.[1] : undefined
  return id !== undefined && draft.text(`memory/tombstones/${id}.json`) !== null
}

function freePath(draft: Draft, path: string): string {
  for (let copy = 1; ; copy++) {
    const candidate = copy === 1 ? path : path.replace(/\.md$/i, `-${copy}.md`)
    if (draft.text(candidate) === null) return candidate
  }
}
