import { type EntriesFile, type ReadEntry, readEntries, type Segment } from "../../formats/entries.ts"
import { undated } from "../../formats/legacy/fallbacks.ts"
import { linkEntries } from "../../formats/references.ts"
import { dateOf, type Timestamp } from "../../formats/timestamp.ts"
import { alreadyStored } from "../../governance/cleared.ts"
import { currentText } from "../change.ts"
import { bytesOf, type ChangePlan, contextAt, keepByteOrderMark, settledEntries } from "../change-plan.ts"
import { blameOf, isIgnoredByGit } from "../git/repository.ts"
import { listEntryFiles } from "../team-files.ts"
import { archivesFor, moveEntries } from "./move-entries.ts"
import { decisionsLimit, hasOwnDate, type RetentionContext, retentionOf } from "./retention.ts"

export type ArchiveOptions = {
  /** One archive per quarter, `decisions/archive/2026-Q1.md`, instead of `decisions-archive.md`. */
  quarterly?: boolean
  /** In how many contexts an entry was included; the least used entries are archived first. */
  usesOf?: (id: string) => number
}

/** Plans which entries to archive from each decisions.md over the limit. Explains why a file stays above it. */
export function archiveDecisions(work: ChangePlan, options: ArchiveOptions = {}): void {
  for (const { path, source } of listEntryFiles(work.draft.folder)) {
    if (source === "decisions" && /\/decisions\.md$/.test(path))
      archiveFile(work, path.slice(work.draft.folder.name.length + 1), options)
  }
}

function archiveFile(work: ChangePlan, path: string, options: ArchiveOptions): void {
  const { draft, roster } = work
  const before = draft.text(path)
  if (before === null || bytesOf(before) < decisionsLimit) return
  const standing = {
    now: work.now,
    isSuperseded: supersession(work),
    gitTimes: gitTimesOf(work, path, readEntries(before, contextAt(path, roster))),
    usesOf: options.usesOf ?? (() => 0),
  }
  const archived = new Map<string, number>()
  makeRoom(work, { path, gate: decisionsLimit, standing, options, archived })
  const after = draft.text(path) ?? ""
  let bytesSaved = bytesOf(before) - bytesOf(after)
  for (const [target, count] of archived) {
    const description = `${count} ${count === 1 ? "entry" : "entries"} to ${draft.folder.name}/${target}; still found by search and context`
    work.actions.push({ type: "archive", target: path, description, bytesSaved })
    bytesSaved = 0 // reported once, even with several archives
  }
  if (bytesOf(after) < decisionsLimit) return
  const { segments } = readEntries(after, contextAt(path, roster))
  work.notes.push(explainSize(path, segments, decisionsLimit, standing))
}

type Room = {
  path: string
  gate: number
  standing: RetentionContext
  options: ArchiveOptions
  /** How many entries went to which archive. */
  archived: Map<string, number>
}

/** Archives entries in order until the file is below the limit or no more entries may be archived. */
function makeRoom(work: ChangePlan, { path, gate, standing, options, archived }: Room): void {
  const { draft, roster } = work
  const context = contextAt(path, roster)
  const tried = new Set<string>()
  let together = false
  for (;;) {
    const text = draft.text(path) ?? ""
    if (bytesOf(text) < gate) return
    const read = readEntries(text, context)
    const next = whoseTurn(read, standing, tried, together ? Number.POSITIVE_INFINITY : bytesOf(text) - gate + 1)
    if (next.length === 0) {
      // Some entries can only be moved together with entries that come later in the order.
      if (together) return
      together = true
      tried.clear()
      continue
    }
    const byTarget = new Map<string, Set<string>>()
    for (const { entry } of next) {
      const target = targetOf(entry, standing.gitTimes, options)
      byTarget.set(target, (byTarget.get(target) ?? new Set()).add(entry.id))
      tried.add(entry.id)
    }
    for (const [target, ids] of byTarget) {
      if (isIgnoredByGit(draft.folder.path, target)) {
        const note = `${target} is ignored by git, so archived entries would not be committed. Nothing was moved.`
        if (!work.refused.includes(note)) work.refused.push(note)
        continue
      }
      for (const usable of archivesFor(work, target)) {
        const moved = move(work, { path, target: usable }, ids, standing.gitTimes)
        if (moved > 0) archived.set(usable, (archived.get(usable) ?? 0) + moved)
      }
    }
  }
}

/** Moves these entries of decisions.md to an archive; returns how many were moved. */
export function moveToArchive(work: ChangePlan, target: string, ids: ReadonlySet<string>): number {
  return move(work, { path: "decisions.md", target }, ids, new Map())
}

function move(
  { draft, roster }: ChangePlan,
  { path, target }: { path: string; target: string },
  ids: ReadonlySet<string>,
  gitTimes: ReadonlyMap<string, Timestamp>,
): number {
  const source = { text: draft.text(path) ?? "", context: contextAt(path, roster) }
  const archive = { text: draft.text(target) ?? titleOf(target), context: contextAt(target, roster) }
  const read = readEntries(source.text, source.context)
  const wanted = new Set([...read.segments.keys()].filter((index) => ids.has(read.segments[index]?.entry?.id ?? "")))
  const own = read.entries.filter((entry) => entry.format === "legacy" && entry.reading.dateSource === "none")
  const undatedIds = new Set(own.map(({ id }) => id))
  const times = new Map([...gitTimes].filter(([id]) => undatedIds.has(id)))
  const result = moveEntries(read, source, archive, wanted, times)
  if (result.moved.size === 0) return 0
  draft.put(target, alreadyStored(result.archive))
  draft.put(path, keepByteOrderMark(source.text, result.source))
  return result.moved.size
}

type Turn = { entry: ReadEntry; bytes: number; turn: number; uses: number; instant: number }

function whoseTurn(read: EntriesFile, standing: RetentionContext, tried: ReadonlySet<string>, needed: number): Turn[] {
  const turns = read.segments.flatMap(({ entry, text }): Turn[] => {
    if (!entry || tried.has(entry.id)) return []
    const own = retentionOf(entry, standing)
    return own.kind === "may-go" ? [{ entry, bytes: bytesOf(text), ...own }] : []
  })
  turns.sort((one, other) => one.turn - other.turn || one.uses - other.uses || one.instant - other.instant)
  let freed = 0
  const enough = turns.findIndex(({ bytes }) => {
    freed += bytes
    return freed >= needed
  })
  return enough === -1 ? turns : turns.slice(0, enough + 1)
}

function targetOf(entry: ReadEntry, gitTimes: ReadonlyMap<string, Timestamp>, { quarterly }: ArchiveOptions): string {
  if (!quarterly) return "decisions-archive.md"
  const date = dateOf(gitTimes.get(entry.id) ?? entry.entry.timestamp)
  if (date === undated) return "decisions/archive/undated.md"
  return `decisions/archive/${date.slice(0, 4)}-Q${Math.ceil(Number(date.slice(5, 7)) / 3)}.md`
}

function titleOf(target: string): string {
  const quarter = /(\d{4}-Q\d)\.md$/.exec(target)?.[1]
  return quarter ? `# Archived Decisions — ${quarter}\n\n` : "# Archived Decisions\n\n"
}

function supersession(work: ChangePlan): (entry: ReadEntry) => boolean {
  const { supersededBy } = linkEntries(settledEntries(work))
  return (entry) =>
    supersededBy.has(entry.id) ||
    entry.entry.supersededBy.length > 0 ||
    (entry.format === "legacy" && entry.reading.superseded !== undefined)
}

/** Dates for undated entries, from the commit that last changed their heading. */
function gitTimesOf({ draft, roster, now }: ChangePlan, path: string, read: EntriesFile): Map<string, Timestamp> {
  const times = new Map<string, Timestamp>()
  if (read.entries.every((entry) => hasOwnDate(entry, now))) return times
  const blame = blameOf(draft.folder.path, path)
  if (!blame) return times
  // git only knows the file on disk; the draft may contain more.
  for (const entry of readEntries(currentText(draft.folder, path) ?? "", contextAt(path, roster)).entries) {
    const found = hasOwnDate(entry, now) ? undefined : blame(entry.line)
    if (found) times.set(entry.id, found.timestamp)
  }
  return times
}

/** Explains why a file stays above its limit, with sizes and its largest entries. */
function explainSize(path: string, segments: readonly Segment[], gate: number, standing: RetentionContext): string {
  const bytes = { protected: 0, undated: 0, stuck: 0, text: 0 }
  const counts = { ...bytes }
  for (const { entry, text } of segments) {
    const own = entry ? retentionOf(entry, standing) : undefined
    const why = own === undefined ? "text" : own.kind === "stays" ? own.why : "stuck"
    bytes[why] += bytesOf(text)
    counts[why]++
  }
  const say = (why: keyof typeof bytes, words: string) =>
    counts[why] > 0 ? [`${why === "text" ? "" : `${counts[why]} `}${words} (${bytes[why]} B)`] : []
  const reasons = [
    ...say("protected", "permanent, policy or [ALWAYS]"),
    ...say("undated", "without a date, not even in git"),
    ...say("stuck", "that cannot be moved without changing the entries around them"),
    ...say("text", "text that is not an entry"),
  ]
  const total = segments.reduce((sum, { text }) => sum + bytesOf(text), 0)
  const largest = segments
    .flatMap(({ entry, text }) => (entry ? [{ size: bytesOf(text), title: entry.entry.title }] : []))
    .sort((one, other) => other.size - one.size)
    .slice(0, 3)
    .map(({ size, title }) => `"${title}" (${size} B)`)
  return `${path} has ${total} B, more than its limit of ${gate} B. What is left: ${reasons.join(", ")}. Largest: ${largest.join(", ") || "none"}.`
}
