import { type Filterable, nameKey } from "../../../formats/matches-query.ts"
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

/** As the filters of a query see it; `memory-condition.ts` says the same to the database. */
export function filterableOf({ id, type, source, status, scope, author, tags, flags, at }: ItemRow): Filterable {
  return {
    type,
    source,
    status,
    id: nameKey(id),
    scope: nameKey(scope),
    names: [nameKey(author)],
    tags: [...tags, ...flags].map(nameKey),
    at: at ?? undefined,
  }
}
