import { DreyError } from "../../errors.ts"
import type { ReadEntry, Segment } from "../../formats/read-entries.ts"
import { alreadyStored } from "../../governance/cleared.ts"
import { contextAt, keepByteOrderMark, readDraft } from "../draft.ts"
import { isIgnoredByGit } from "../git/git-questions.ts"
import { listEntryFiles } from "../list-files.ts"
import { bytesOf, type Work } from "../tidy/work.ts"
import { archivesFor } from "./archives-for.ts"
import { insertDigest, sentenceBytes, withoutDigest, writeDigest } from "./digest.ts"
import { byAge, type HistoryParts, readHistoryParts } from "./history-parts.ts"
import { moveEntries } from "./move-entries.ts"

/** Plans which of the oldest parts of each history above the limit move to its archive. */
export function summarizeHistories(work: Work, limit: number): void {
  for (const { path, source } of listEntryFiles(work.draft.folder)) {
    if (source !== "history") continue
    try {
      summarizeHistory(work, path.slice(work.draft.folder.name.length + 1), limit)
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      work.notes.push(error.message) // report a damaged history and continue with the others
    }
  }
}

function summarizeHistory(work: Work, path: string, limit: number): void {
  const { draft, roster } = work
  const before = draft.text(path) ?? ""
  if (bytesOf(before) <= limit) return
  const first = path.replace(/history\.md$/, "history-archive.md")
  if (isIgnoredByGit(draft.folder.path, first)) {
    work.refused.push(`${first} is ignored by git, so archived entries would not be committed. Nothing was moved.`)
    return
  }
  const context = contextAt(path, roster)
  const archives = archivesFor(work, first)
  let text = withoutDigest(before)
  let archived = archives.flatMap((target) => readDraft(draft, target, roster).segments)
  let moved = 0
  for (const target of archives) {
    const known = archived.filter(({ entry }) => entry).length
    const room = (more: number) => limit - Math.min(limit / 3, sentenceBytes * (known + more + 1))
    if (bytesOf(text) <= room(0)) break
    const archive = { text: draft.text(target) ?? "# History Archive\n\n", context: contextAt(target, roster) }
    const result = moveOldest(readHistoryParts(text, context, work.now), { text, context }, archive, room)
    if (result.moved === 0) continue
    text = result.source
    moved += result.moved
    draft.put(target, alreadyStored(result.archive))
    archived = archives.flatMap((each) => readDraft(draft, each, roster).segments)
    const description = `${result.moved} older ${result.moved === 1 ? "part" : "parts"} to ${draft.folder.name}/${target}; the agent still finds ${result.moved === 1 ? "it" : "them"}`
    work.actions.push({ type: "compress", target: path, description, bytesSaved: 0 })
  }
  if (moved === 0) {
    work.notes.push(whyNotSmaller(path, before, limit))
    return
  }
  const lines = writeDigest(
    newestFirst(archived, work.now),
    Math.max(limit / 12, Math.min(limit / 3, limit - bytesOf(text)) - 16),
  )
  const after = keepByteOrderMark(before, insertDigest(text, lines, context))
  draft.put(path, after)
  const last = work.actions.at(-1)
  if (last) last.bytesSaved = bytesOf(before) - bytesOf(after)
  if (bytesOf(after) > limit) work.notes.push(whyNotSmaller(path, after, limit))
}

function newestFirst(segments: readonly Segment[], now: Date): ReadEntry[] {
  const entries = [...segments.keys()].filter((index) => segments[index]?.entry)
  return byAge(segments, entries, now)
    .reverse()
    .flatMap((index) => segments[index]?.entry ?? [])
}

type Texts = { text: string; context: ReturnType<typeof contextAt> }

/** Moves the oldest parts until the rest is small enough; if some cannot be moved, newer ones are moved instead. */
function moveOldest(
  parts: HistoryParts,
  source: Texts,
  archive: Texts,
  room: (moved: number) => number,
): { source: string; archive: string; moved: number } {
  const refused = new Set<number>()
  for (;;) {
    const wanted = new Set<number>()
    let bytes = bytesOf(source.text)
    for (const index of parts.oldestFirst) {
      if (bytes <= room(wanted.size)) break
      if (refused.has(index)) continue
      wanted.add(index)
      bytes -= bytesOf(parts.segments[index]?.text ?? "")
    }
    for (const [lead, led] of parts.leadIns) if (led.every((index) => wanted.has(index))) wanted.add(lead)
    const result = moveEntries(parts, source, archive, wanted)
    for (const index of result.stuck) refused.add(index)
    const noneLeft = parts.oldestFirst.every((index) => wanted.has(index) || refused.has(index))
    if (result.stuck.size === 0 || noneLeft || bytesOf(result.source) <= room(result.moved.size))
      return { source: result.source, archive: result.archive, moved: result.moved.size }
  }
}

function whyNotSmaller(path: string, text: string, limit: number): string {
  return `${path} has ${bytesOf(text)} B, more than its limit of ${limit} B. It contains only the agent's profile, rules, permanent entries, and text that cannot be moved unchanged.`
}
