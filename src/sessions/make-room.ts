import type { EntrySection } from "../formats/session/agent-memory.ts"
import type { LinkedEntry, StayReason } from "./find-staying.ts"

/** A file above `most` is archived; if moving old entries is not enough, until it is down to `roomy`. */
export const fileBytes = { most: 100_000, roomy: 80_000 }

/** The size of a file and of each list item. */
export type FileSizes = { bytes: number; bytesOf: (section: EntrySection | "history", index: number) => number }

/** What is removed from a file that is too large. */
export type Room = {
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
export function makeRoom(
  sizes: FileSizes,
  leaving: readonly LinkedEntry[],
  staying: ReadonlyMap<LinkedEntry, StayReason>,
  { spans, newest }: { spans: number; newest: LinkedEntry | undefined },
): Room {
  const room: Room = { leaving: new Set(), dropContents: [], moveSpans: 0, bytesLeft: sizes.bytes + spanBytes }
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

function letGo(room: Room, sizes: FileSizes, leaving: LinkedEntry): void {
  const { section, index, entry } = leaving
  room.leaving.add(leaving)
  room.bytesLeft -= sizes.bytesOf(section, index) - Buffer.byteLength(entry.id) - bytesPerId
}

/** Size of the placeholder for a removed content. */
const contentMarkBytes = 150

function dropContents(room: Room, order: readonly LinkedEntry[]): void {
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
  room: Room,
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
