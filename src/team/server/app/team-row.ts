import { type ItemRow, rowOfMemory } from "../../../recall/browse/item-row.ts"
import type { Memory } from "../../../store/memory.ts"
import { fromEpisodes } from "../memories/to-team-memory.ts"

/** A memory of the team as one line of a list: its author is who shared it, and its project is a tag. */
export function teamRow(memory: Memory, now: Date): ItemRow {
  const row = rowOfMemory(memory, now.getTime())
  const { project, contributedBy } = memory
  return {
    ...row,
    author: contributedBy ?? fromEpisodes,
    tags: project === undefined ? row.tags : [...row.tags, project],
  }
}
