import { DreyError, exitCode } from "../errors.ts"
import { type AgentMemory, type EntrySection, entrySections } from "../formats/session/agent-memory.ts"
import { editYaml } from "../formats/session/yaml-editor.ts"
import { momentOf } from "./agent-entries.ts"
import { type AgentFile, eachAgent } from "./agent-files.ts"
import { archiveEdits, type Sources, sourcesIn, trimEdits } from "./archive-summary.ts"
import { type LocatedEntry, listEntries, qualifiedId, referencesOf } from "./entry-references.ts"
import type { Archiving } from "./session-api.ts"
import { type AgentMemoryFile, newFileText, type SessionFiles } from "./session-files.ts"

/**
 * Archives old entries of every agent of a session. Call it under the session's lock; `dryRun` only returns the plan.
 */
export function archiveSession(files: SessionFiles, now: Date, options: { dryRun?: boolean } = {}): Archiving[] {
  return eachAgent(files, (place) =>
    options.dryRun ? foretell(readMemory(files, place), now) : carryOut(files, place, now),
  )
}

/** Archives one agent's file if it is too large or too old; otherwise returns undefined. */
export function archiveAgent(files: SessionFiles, place: AgentFile, now: Date): Archiving | undefined {
  const live = readMemory(files, place)
  return planFor(live, sourcesIn(live)).due === undefined ? undefined : carryOut(files, place, now)
}

const mostTries = 5

/**
 * The archive is written and verified before the file is trimmed: a process killed in between leaves entries in both
 * files, which is harmless. Readers prefer the agent's file, and the next run does not add them again.
 */
function carryOut(files: SessionFiles, place: AgentFile, now: Date): Archiving {
  for (let tries = 0; tries < mostTries; tries++) {
    const live = files.change("memory", place.path, () => []) // read as one that may be written, before anything is
    const sources = sourcesIn(live)
    const plan = planFor(live, sources)
    const edits = trimEdits(live, plan, now)
    if (edits.length === 0) return describeArchiving(live, plan, live.bytes)
    if (plan.move.length + plan.moveSpans > 0) {
      files.change(
        "memory",
        place.archivePath,
        (archive) => archiveEdits(archive, live, plan, sources, now),
        () => newArchive(files, live, now),
      )
      requireArchived(files, place, plan)
    }
    let isAsPlanned = true
    const trimmed = files.change("memory", place.path, (current) => {
      isAsPlanned = current.text === live.text // otherwise it was edited in the meantime, and the edit is not in the archive
      return isAsPlanned ? edits : []
    })
    if (isAsPlanned) return describeArchiving(live, plan, trimmed.bytes)
  }
  throw new DreyError(`${place.path} is being changed by another process; nothing was archived`, {
    hint: "Try again later.",
    exitCode: exitCode.no,
  })
}

function readMemory(files: SessionFiles, { path }: AgentFile): AgentMemoryFile {
  const live = files.read("memory", path)
  if (live) return live
  throw new DreyError(`${path} does not exist`)
}

function planFor({ data, bytes }: AgentMemoryFile, sources: Sources): ArchivePlan {
  return planArchive(data, { bytes, bytesOf: (section, index) => Buffer.byteLength(sources(section, index)) })
}

function foretell(live: AgentMemoryFile, now: Date): Archiving {
  const plan = planFor(live, sourcesIn(live))
  return describeArchiving(live, plan, Buffer.byteLength(editYaml(live.document, trimEdits(live, plan, now))))
}

function describeArchiving(live: AgentMemoryFile, plan: ArchivePlan, bytesAfter: number): Archiving {
  const idsOf = (section: EntrySection) => plan.move.filter((moved) => moved.section === section).map(({ id }) => id)
  return {
    agent: live.data.agent,
    moved: { discoveries: idsOf("discoveries"), attempts: idsOf("attempts"), decisions: idsOf("decisions") },
    contentsDropped: plan.dropContents.length,
    bytesBefore: live.bytes,
    bytesAfter,
    stillTooLarge: bytesAfter > fileBytes.most,
  }
}

/** Starts when the memory started: none of its entries is older than the file. */
function newArchive({ id }: SessionFiles, { data: { agent, createdAt } }: AgentMemoryFile, now: Date): string {
  return newFileText("agent-memory", id, { agent, createdAt, updatedAt: now.toISOString() })
}

function requireArchived(files: SessionFiles, place: AgentFile, plan: ArchivePlan): void {
  const archive = files.read("memory", place.archivePath)
  for (const section of entrySections) {
    const present = new Set(archive?.data[section].map(({ id }) => id))
    const missing = plan.move.find((moved) => moved.section === section && !present.has(moved.id))
    if (missing)
      throw new Error(`${place.archivePath} does not hold ${missing.id} after it was written; nothing was archived`)
  }
}

/** What archiving would do to one agent's file. Indexes refer to the current file. */
export type ArchivePlan = Pick<SizeLimits, "dropContents" | "moveSpans"> & {
  /** Why it should run automatically. */
  due: "size" | "age" | undefined
  /** Section by section, in the order of the file. */
  move: { section: EntrySection; index: number; id: string }[]
}

/** Decides which entries of a memory are archived: all that need not stay and, if the file is still too large, more of the old ones. */
export function planArchive(memory: AgentMemory, sizes: FileSizes): ArchivePlan {
  const { entries, newest, staying } = findEntriesToKeep(memory)
  const old = entries.filter((each) => !staying.has(each))
  const room =
    sizes.bytes > fileBytes.most
      ? makeRoom(sizes, old, staying, { spans: memory.history.length, newest })
      : { leaving: new Set(old), dropContents: [], moveSpans: 0, bytesLeft: sizes.bytes }
  return {
    due: isWorthIt(sizes, room) ? "size" : reachesBack(old, newest) ? "age" : undefined,
    move: entries.filter((each) => room.leaving.has(each)).map(toPlace),
    dropContents: room.dropContents,
    moveSpans: room.moveSpans,
  }
}

/** Not repeatedly for a file that stays too large whatever is moved. */
function isWorthIt({ bytes }: FileSizes, { bytesLeft }: SizeLimits): boolean {
  const { most, roomy } = fileBytes
  return bytes > most && (bytesLeft <= most || bytes - bytesLeft >= most - roomy)
}

const maxAgeMs = 4 * 3_600_000

/** Twice as long as recent entries are kept, so that not every entry that stops being recent triggers a move. */
function reachesBack(old: readonly LinkedEntry[], newest: LinkedEntry | undefined): boolean {
  return old.some(({ time }) => (newest?.time ?? 0) - time > maxAgeMs)
}

function toPlace({ section, index, entry }: LinkedEntry): ArchivePlan["move"][number] {
  return { section, index, id: entry.id }
}

/** An entry with its time and the entries of the same memory that it refers to. */
type LinkedEntry = LocatedEntry & { time: number; refersTo: LinkedEntry[] }

type StayReason = "recent" | "in progress" | "critical" | "blocker" | "no valid time" | { referredToBy: string }

const recentMs = 2 * 3_600_000

/**
 * Decides which entries of a memory stay where agents read them: recent ones, those still needed, and what those refer to, directly or
 * indirectly. "Now" is the time of the newest entry, so the same memory always gives the same result.
 */
export function findEntriesToKeep(memory: AgentMemory): {
  entries: LinkedEntry[]
  newest: LinkedEntry | undefined
  staying: Map<LinkedEntry, StayReason>
} {
  const entries = linkEntries(memory)
  const newest = entries.reduce<LinkedEntry | undefined>(newerOf, undefined)
  const named = namedByBlockers(memory)
  const staying = new Map<LinkedEntry, StayReason>()
  for (const each of entries) {
    const reason = named.has(each.entry.id) ? "blocker" : ownReason(each, newest?.time ?? 0)
    if (reason) staying.set(each, reason)
  }
  for (const [each] of staying) // also over entries added in the meantime
    for (const target of each.refersTo) if (!staying.has(target)) staying.set(target, { referredToBy: each.entry.id })
  return { entries, newest, staying }
}

function linkEntries(memory: AgentMemory): LinkedEntry[] {
  const entries = listEntries(memory).map((placed): LinkedEntry => {
    return { ...placed, time: momentOf(placed.entry), refersTo: [] }
  })
  const byKey = new Map(
    entries.flatMap((each) =>
      [each.entry.id, qualifiedId(memory.agent, each.entry.id)].map((name) => [`${each.section} ${name}`, each]),
    ),
  )
  for (const each of entries)
    for (const { section, id } of referencesOf(each.entry)) {
      const target = byKey.get(`${section} ${id}`)
      if (target && target !== each) each.refersTo.push(target)
    }
  return entries
}

/** Of two at the same time, the later in the file. */
function newerOf(newest: LinkedEntry | undefined, each: LinkedEntry): LinkedEntry | undefined {
  return each.time >= (newest?.time ?? -Infinity) ? each : newest
}

function ownReason({ entry, time }: LinkedEntry, now: number): StayReason | undefined {
  if (entry.result === "in_progress") return "in progress"
  if (entry.importance === "critical") return "critical"
  if (!Number.isFinite(time)) return "no valid time"
  return now - time <= recentMs ? "recent" : undefined
}

/** The words of open blockers, any of which may be an entry's id. */
function namedByBlockers({ context }: AgentMemory): Set<string> {
  const words = (context?.blockers ?? []).flatMap((blocker) => blocker.split(/[\s,;:()[\]"'`]+/))
  return new Set(words.map((word) => word.replace(/\.$/, "")))
}

/** A file above `most` is archived; if moving old entries is not enough, until it is down to `roomy`. */
export const fileBytes = { most: 100_000, roomy: 80_000 }

/** The size of a file and of each list item. */
type FileSizes = { bytes: number; bytesOf: (section: EntrySection | "history", index: number) => number }

/** What is removed from a file that is too large. */
type SizeLimits = {
  leaving: Set<LinkedEntry>
  /** Artifacts whose content is removed. */
  dropContents: { attempt: number; artifact: number }[]
  /** How many of the oldest archive summaries are moved too. */
  moveSpans: number
  /** The size of the file afterwards, at most. */
  bytesLeft: number
}

/**
 * Shrinks a file, starting with what matters least: artifact contents, archive summaries, then the oldest unreferenced
 * entries. Critical entries go last; entries in progress and the newest entry are always kept.
 */
function makeRoom(
  sizes: FileSizes,
  leaving: readonly LinkedEntry[],
  staying: ReadonlyMap<LinkedEntry, StayReason>,
  { spans, newest }: { spans: number; newest: LinkedEntry | undefined },
): SizeLimits {
  const room: SizeLimits = { leaving: new Set(), dropContents: [], moveSpans: 0, bytesLeft: sizes.bytes + spanBytes }
  for (const each of leaving) letGo(room, sizes, each)
  const order = oldestFirst([...staying.keys()])
  if (room.bytesLeft > fileBytes.most) dropContents(room, order)
  if (room.bytesLeft > fileBytes.most)
    while (room.moveSpans < spans - 1 && room.bytesLeft > fileBytes.roomy)
      room.bytesLeft -= sizes.bytesOf("history", room.moveSpans++)
  if (room.bytesLeft > fileBytes.most) {
    const movable = order.filter((each) => each !== newest && staying.get(each) !== "in progress")
    letOldestGo(room, sizes, staying, movable)
  }
  return room
}

/** Size of an archive summary per id: quotes, indentation, and the summary with its dates. */
const bytesPerId = 12
const spanBytes = 2_600

function letGo(room: SizeLimits, sizes: FileSizes, leaving: LinkedEntry): void {
  const { section, index, entry } = leaving
  room.leaving.add(leaving)
  room.bytesLeft -= sizes.bytesOf(section, index) - Buffer.byteLength(entry.id) - bytesPerId
}

/** Size of the placeholder for a removed content. */
const contentMarkBytes = 150

function dropContents(room: SizeLimits, order: readonly LinkedEntry[]): void {
  for (const { section, index, entry } of order) {
    if (section !== "attempts" || !Array.isArray(entry.artifacts)) continue
    for (const [artifact, { content }] of entry.artifacts.entries()) {
      if (room.bytesLeft <= fileBytes.roomy) return
      const bytes = Buffer.byteLength(content ?? "")
      if (bytes < 2 * contentMarkBytes) continue
      room.dropContents.push({ attempt: index, artifact })
      room.bytesLeft -= bytes - contentMarkBytes
    }
  }
}

function letOldestGo(
  room: SizeLimits,
  sizes: FileSizes,
  staying: ReadonlyMap<LinkedEntry, StayReason>,
  movable: readonly LinkedEntry[],
): void {
  const referrers = countReferrers(staying.keys())
  const isFree = (each: LinkedEntry) => !room.leaving.has(each) && (referrers.get(each) ?? 0) === 0
  /** Also moves entries that were only kept because this one refers to them. */
  const letGoWithGrounds = (each: LinkedEntry): void => {
    letGo(room, sizes, each)
    for (const target of each.refersTo) {
      referrers.set(target, (referrers.get(target) ?? 0) - 1)
      if (isFree(target) && typeof staying.get(target) === "object") letGoWithGrounds(target)
    }
  }
  for (const [isCritical, enough] of [[false, fileBytes.roomy] as const, [true, fileBytes.most] as const]) {
    const candidates = movable.filter((each) => (staying.get(each) === "critical") === isCritical)
    for (let before = -1; before !== room.leaving.size; ) {
      before = room.leaving.size
      for (const each of candidates) {
        if (room.bytesLeft <= enough) return
        if (isFree(each)) letGoWithGrounds(each) // its references may become free in the next round
      }
    }
  }
}

function countReferrers(entries: Iterable<LinkedEntry>): Map<LinkedEntry, number> {
  const referrers = new Map<LinkedEntry, number>()
  for (const { refersTo } of entries)
    for (const target of refersTo) referrers.set(target, (referrers.get(target) ?? 0) + 1)
  return referrers
}

/** Entries without a valid time come first; equal times keep the order of the file. */
function oldestFirst(entries: readonly LinkedEntry[]): LinkedEntry[] {
  return entries.toSorted((one, other) => one.time - other.time || one.index - other.index)
}
