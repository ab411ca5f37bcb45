import { DreyError } from "../../errors.ts"
import { type ReadContext, type ReadEntry, readEntries, type Segment } from "../../formats/entries.ts"
import { withGap } from "../../formats/entry-placing.ts"
import { undated } from "../../formats/legacy/fallbacks.ts"
import { isProfileSection, isSectionName, isSubSectionName, parseLabels } from "../../formats/legacy/labels.ts"
import { firstSentence } from "../../formats/legacy/summary.ts"
import { findFences, headingLevel, headingText } from "../../formats/markdown.ts"
import { collapseWhiteSpace, dominantLineEnd, splitLines } from "../../formats/source-text.ts"
import { truncate } from "../../formats/text.ts"
import { dateOf } from "../../formats/timestamp.ts"
import { alreadyStored } from "../../governance/cleared.ts"
import { bytesOf, type ChangePlan, contextAt, keepByteOrderMark, readDraft } from "../change-plan.ts"
import { isIgnoredByGit } from "../git/repository.ts"
import { listEntryFiles } from "../team-files.ts"
import type { CondensedSentence, OlderEntry } from "./condensed-digest.ts"
import { byAge, type HistoryParts, readHistoryParts } from "./history-parts.ts"
import { archivesFor, moveEntries } from "./move-entries.ts"

/** What a model made of the older entries of a history, if they are the same as when it was asked. */
export type Condense = (path: string, older: readonly OlderEntry[]) => CondensedSentence[] | undefined

/** `except` are archives to leave. */
type SummaryOptions = { except?: ReadonlySet<string>; condense?: Condense }

/** Plans which of the oldest parts of each history above the limit move to its archive. */
export function summarizeHistories(work: ChangePlan, limit: number, { except, condense }: SummaryOptions = {}): void {
  for (const { path, source } of listEntryFiles(work.draft.folder)) {
    if (source !== "history" || except?.has(archiveOf(path.slice(work.draft.folder.name.length + 1)))) continue
    try {
      summarizeHistory(work, path.slice(work.draft.folder.name.length + 1), { limit, condense })
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      work.notes.push(error.message) // report a damaged history and continue with the others
    }
  }
}

type HistoryLimit = { limit: number; condense: Condense | undefined }

function summarizeHistory(work: ChangePlan, path: string, { limit, condense }: HistoryLimit): void {
  const { draft, roster } = work
  const before = draft.text(path) ?? ""
  if (bytesOf(before) <= limit) return
  const first = archiveOf(path)
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
    condense && ((older) => condense(path, older)),
  )
  const after = keepByteOrderMark(before, insertDigest(text, lines, context))
  draft.put(path, after)
  const last = work.actions.at(-1)
  if (last) last.bytesSaved = bytesOf(before) - bytesOf(after)
  if (bytesOf(after) > limit) work.notes.push(whyNotSmaller(path, after, limit))
}

function archiveOf(path: string): string {
  return path.replace(/history\.md$/, "history-archive.md")
}

/** An undated section that was archived with the entry above it has its id, which opens both. */
type Archived = OlderEntry

function newestFirst(segments: readonly Segment[], now: Date): Archived[] {
  const entries = [...segments.keys()].filter((index) => segments[index]?.entry)
  const newest = byAge(segments, entries, now).reverse()
  const known = new Map(newest.map((index) => [segments[index]?.entry?.id, segments[index]])) // an archive may hold copies
  return [...known.values()].flatMap((segment) => (segment?.entry ? archivedWith(segment.entry, segment.text) : []))
}

function archivedWith(read: ReadEntry, text: string): Archived[] {
  const { title, summary, timestamp } = read.entry
  const date = dateOf(timestamp)
  const entry = { id: read.id, day: date === undated ? "Undated" : date, title, summary }
  const { lines } = splitLines(text)
  const { fenced } = findFences(lines)
  const own = read.format === "legacy" && read.unit === "entry" ? headingLevel(lines[0] ?? "") : 0
  const isSection = (line: string, index: number) =>
    index > 0 && !fenced[index] && headingLevel(line) > 0 && headingLevel(line) <= own
  const starts = lines.flatMap((line, index) => (isSection(line, index) ? [index] : []))
  const sections = starts.map((start, position) => ({
    ...entry,
    title: headingText(lines[start] ?? "", headingLevel(lines[start] ?? "")),
    summary: firstSentence(lines.slice(start + 1, starts[position + 1]).join("\n")),
  }))
  return [entry, ...sections.filter(({ summary }) => summary !== "")]
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

const digestTitle = "Summary of archived entries"

/** The approximate size of one sentence in the digest. */
const sentenceBytes = 180

/** Digest lines end with an id and a Markdown line break. They are not list items, which would be parsed as entries. */
const digest = new RegExp(
  [
    `^## ${digestTitle}[ \\t]*\\r?\\n(?:[ \\t]*\\r?\\n)*`,
    "(?:\\d+ older entr[^\\n]*(?:\\n|$)(?:[ \\t]*\\r?\\n)*)?",
    "(?:(?:\\d{4}-\\d\\d|Undated)[^\\n]*\\] {2}\\r?(?:\\n|$))*(?:[ \\t]*\\r?\\n)*",
  ].join(""),
  "gm",
)

/** Removes the digest that an earlier archiving wrote; text that users added below its heading stays. */
function withoutDigest(text: string): string {
  return text.replace(digest, "")
}

/**
 * Summarizes the archive, newest first, in at most `room` bytes: a sentence each for the newest entries, a few words each
 * for older ones, and only ids, one line per month, for the oldest.
 */
function writeDigest(
  newestFirst: readonly Archived[],
  room: number,
  condense: ((older: readonly Archived[]) => CondensedSentence[] | undefined) | undefined,
): string[] {
  const shortIds = shortenIds([...new Set(newestFirst.map(({ id }) => id))])
  const rows = newestFirst.map((archived) => ({
    day: archived.day,
    sentence: `${archived.day}: ${sentenceOf(archived)} [${archived.id}]  `,
    phrase: `${phraseOf(archived)} [${shortIds.get(archived.id)}]`,
    shortId: shortIds.get(archived.id) ?? archived.id,
  }))
  const size = (shown: DigestSize) => Buffer.byteLength(digestLines(rows, shown).join("\r\n"))
  const most = (upTo: number, bytes: number, shownAt: (count: number) => DigestSize) => {
    let count = upTo
    while (count > 0 && size(shownAt(count)) > bytes) count--
    return count
  }
  const listed = most(rows.length, room, (count) => ({ listed: count, phrases: 0, sentences: 0 }))
  const free = room - size({ listed, phrases: 0, sentences: 0 })
  const areAllShort = size({ listed, phrases: 0, sentences: listed }) <= room
  const forSentences = areAllShort ? room : room - free / 2
  const sentences = most(listed, forSentences, (count) => ({ listed, phrases: 0, sentences: count }))
  const phrases = most(listed - sentences, room, (count) => ({ listed, phrases: count, sentences }))
  const older = newestFirst.slice(sentences, listed)
  const condensed = older.length === 0 ? undefined : condense?.(older)
  const said =
    condensed && digestLines(rows, { listed, phrases: 0, sentences, condensed: toLines(condensed, older, shortIds) })
  return said && Buffer.byteLength(said.join("\r\n")) <= room ? said : digestLines(rows, { listed, phrases, sentences })
}

/** A model's sentences as lines of the digest, each dated by its newest entry, with the ids that it covers. */
function toLines(
  sentences: readonly CondensedSentence[],
  older: readonly Archived[],
  shortIds: ReadonlyMap<string, string>,
): CondensedLines {
  const days = new Map(older.map(({ id, day }) => [id, day]))
  const lines = sentences.map(({ topic, text, ids }) => {
    const newest =
      ids
        .map((id) => days.get(id) ?? "")
        .sort()
        .at(-1) ?? ""
    return `${newest.slice(0, 7)}, ${topic}: ${text} [${ids.map((id) => shortIds.get(id) ?? id).join(" ")}]  `
  })
  return { lines, covered: new Set(sentences.flatMap(({ ids }) => ids.map((id) => shortIds.get(id) ?? id))) }
}

/** `covered` are the short ids that the lines name. */
type CondensedLines = { lines: string[]; covered: ReadonlySet<string> }

type DigestRow = { day: string; sentence: string; phrase: string; shortId: string }

/** How many of the newest entries get a sentence, how many after them a phrase, and how many are listed at all. */
type DigestSize = { listed: number; phrases: number; sentences: number; condensed?: CondensedLines }

function digestLines(rows: readonly DigestRow[], { listed, phrases, sentences, condensed }: DigestSize): string[] {
  const days = rows.flatMap(({ day }) => (day === "Undated" ? [] : [day])).sort()
  const period = days.length === 0 ? "" : ` (${days[0]} to ${days.at(-1)})`
  const noun = rows.length === 1 ? "older entry" : "older entries"
  const unlisted = rows.length - listed
  const rest = unlisted === 0 ? "" : ` The oldest ${unlisted} are only there.`
  const head = `${rows.length} ${noun}${period} in history-archive.md, newest first. Open one with "drey show ID".${rest}`
  const months = new Map<string, { phrases: string[]; ids: string[] }>()
  for (const [at, { day, phrase, shortId }] of rows.slice(sentences, listed).entries()) {
    if (condensed?.covered.has(shortId)) continue
    const month = months.get(day.slice(0, 7)) ?? { phrases: [], ids: [] }
    months.set(day.slice(0, 7), month)
    if (at < phrases) month.phrases.push(phrase)
    else month.ids.push(shortId)
  }
  const grouped = [...months].map(([month, { phrases, ids }]) => {
    const others = ids.length === 0 ? [] : [`${phrases.length === 0 ? "" : "also "}[${[...new Set(ids)].join(" ")}]`]
    return `${month}: ${[...phrases, ...others].join("; ")}  `
  })
  return [
    `## ${digestTitle}`,
    "",
    head,
    "",
    ...rows.slice(0, sentences).map(({ sentence }) => sentence),
    ...(condensed?.lines ?? []),
    ...grouped,
    "",
  ]
}

/** The shortest unique prefix of each id. Commands accept a prefix, with or without "sem-". */
function shortenIds(ids: readonly string[]): Map<string, string> {
  const bare = ids.map((id) => id.replace(/^sem-/, ""))
  const shorten = (own: string, id: string) => {
    for (let length = 6; length < 12; length++) {
      const start = own.slice(0, length)
      if (bare.every((other) => other === own || !other.startsWith(start))) return start
    }
    return id
  }
  return new Map(ids.map((id, at) => [id, shorten(bare[at] ?? id, id)]))
}

/** An entry in one sentence: title and summary, without generic or repeated text. */
function sentenceOf(archived: Archived): string {
  const title = plainWords(archived.title)
  const summary = plainWords(archived.summary)
  if (isOnlyName(title) && summary !== "") return cutAtSpace(summary, 150)
  if (saysNothing(archived.summary) || title.endsWith("…") || core(title).includes(core(summary))) return title
  return cutAtSpace(core(summary).includes(core(title)) ? summary : `${title.replace(/[.:]$/, "")}: ${summary}`, 150)
}

function phraseOf(archived: Archived): string {
  const title = plainWords(archived.title)
  return cutAtSpace((isOnlyName(title) && plainWords(archived.summary)) || title, 48)
}

function core(text: string): string {
  return text.replace(/[.…:]+$/, "").toLowerCase()
}

function cutAtSpace(text: string, most: number): string {
  const cut = truncate(text, most)
  return cut === text ? text : cut.replace(/[\s,;:—–-]+\S*…$/, "…")
}

/** Strips Markdown, comments, and brackets that could be mistaken for an id. */
function plainWords(text: string): string {
  const plain = text
    .replace(/<!--|-->|[*`]|~~|__/g, "")
    .replace(/^[\s#>|-]+|[\s|—–-]+$/g, "")
    .replaceAll("[", "(")
    .replaceAll("]", ")")
  return collapseWhiteSpace(plain)
}

/** "Status", "Outcome" or "Team update (2026-02-16)" name a kind of text, not its subject. */
function isOnlyName(title: string): boolean {
  const label = parseLabels(`**${title}:** x`, true)[0]
  return (
    /^team update\b[^\p{L}]*$/iu.test(title) ||
    isSectionName(title) ||
    isSubSectionName(title) ||
    (label !== undefined && label.field !== "text")
  )
}

/** A table row, "Status: done", a list of files, or a single word. */
function saysNothing(summary: string): boolean {
  const field = parseLabels(summary, true)[0]?.field
  const isField = field !== undefined && field !== "details" && field !== "rationale" && field !== "text"
  const words = summary.replace(/\S*[./\\]\w\S*/g, "").match(/\p{L}{2,}/gu) ?? []
  return isField || /^\s*\|/.test(summary) || words.length < 2
}

/** Inserts the digest before the first section that is not about the agent, so that text added later does not become part of it. */
function insertDigest(text: string, lines: readonly string[], context: ReadContext): string {
  const lineEnd = dominantLineEnd(text)
  const section = [...lines, ""].join(lineEnd)
  const learnings = `## Learnings${lineEnd}${lineEnd}`
  const source = splitLines(text)
  const { fenced } = findFences(source.lines)
  const at = source.lines.findIndex(
    (own, index) => !fenced[index] && own.startsWith("## ") && !isProfileSection(own.slice(3)),
  )
  const before = readEntries(text, context).entries
  const first = before[0]
  const candidates = [
    ...(at === -1 ? [] : [insertAt(text, source.starts[at] ?? 0, section, lineEnd)]),
    ...(first ? [insertAt(text, source.starts[first.line - 1] ?? 0, `${section}${learnings}`, lineEnd)] : []),
    `${withGap(text, lineEnd)}${section}${learnings}`,
  ]
  const fitting = candidates.find((candidate) => {
    const after = readEntries(candidate, context).entries
    return after.length === before.length && after.every(({ id }, index) => id === before[index]?.id)
  })
  return fitting ?? text // the digest is optional: the archive is complete
}

function insertAt(text: string, at: number, section: string, lineEnd: string): string {
  return `${withGap(text.slice(0, at), lineEnd)}${section}${text.slice(at)}`
}
