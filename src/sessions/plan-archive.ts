import type { AgentMemory, EntrySection } from "../formats/session/agent-memory.ts"
import { findStaying, type LinkedEntry } from "./find-staying.ts"
import { type FileSizes, fileBytes, makeRoom, type Room } from "./make-room.ts"

/** What archiving would do to one agent's file. Indexes are those of the file as it is. */
export type ArchivePlan = Pick<Room, "dropContents" | "moveSpans"> & {
  /** Why it should be done without being asked for. */
  due: "size" | "age" | undefined
  /** Section by section, in the order of the file. */
  move: { section: EntrySection; index: number; id: string }[]
}

/** Says which entries of a memory go to the archive: all that need not stay and, of a file that is still too large, more of the old. */
export function planArchive(memory: AgentMemory, sizes: FileSizes): ArchivePlan {
  const { entries, newest, staying } = findStaying(memory)
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

/** Not again and again for a file that stays too large whatever moves. */
function isWorthIt({ bytes }: FileSizes, { bytesLeft }: Room): boolean {
  const { most, roomy } = fileBytes
  return bytes > most && (bytesLeft <= most || bytes - bytesLeft >= most - roomy)
}

const maxAgeMs = 4 * 3_600_000

/** Twice as far as what is recent, so that not every entry that stops being recent calls for a move of its own. */
function reachesBack(old: readonly LinkedEntry[], newest: LinkedEntry | undefined): boolean {
  return old.some(({ time }) => (newest?.time ?? 0) - time > maxAgeMs)
}

function toPlace({ section, index, entry }: LinkedEntry): ArchivePlan["move"][number] {
  return { section, index, id: entry.id }
}
