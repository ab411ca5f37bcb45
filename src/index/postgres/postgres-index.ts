import type { Ask } from "../../disk/postgres/driver.ts"
import type { Filter, IndexReader, StoredItem } from "../index-store.ts"
import type { Item } from "../item.ts"
import { findMemories } from "./find-memories.ts"
import { list } from "./index-memories.ts"
import { memoryFilter } from "./memory-filter.ts"

export type PostgresIndexOptions = {
  /** Only what this project may see; undefined: all that the transaction can see. */
  project: string | undefined
  /** Memories as items, by id; what the store does not know is left out. */
  itemsOf(ask: Ask, ids: readonly string[]): Promise<Map<string, Item>>
}

export type PostgresIndex = IndexReader & {
  count(filter: Filter, now: number): Promise<number>
  /** So many of what the filter lets through, newest first, from a place on. */
  page(filter: Filter, options: { now: number; limit: number; offset: number }): Promise<StoredItem[]>
}

/** The memories of a tenant as things that can be found, within a transaction that is open. */
export function postgresIndex(ask: Ask, { project, itemsOf }: PostgresIndexOptions): PostgresIndex {
  const mine = "($1::text IS NULL OR project_id IS NULL OR project_id = $1)"
  const ofIds = async (rows: readonly Record<string, unknown>[]): Promise<StoredItem[]> => {
    const numbered = rows as readonly { memory_id: string; row_no: number | null }[]
    const items = await itemsOf(
      ask,
      numbered.map(({ memory_id }) => memory_id),
    )
    return numbered.flatMap(({ memory_id, row_no }) => {
      const item = items.get(memory_id)
      const row = row_no ?? 0
      return item ? [{ ...item, row, origin: "memories", position: row * 10 }] : []
    })
  }
  const page: PostgresIndex["page"] = async (filter, { now, limit, offset }) => {
    const { sql, values } = memoryFilter(filter, now, 4)
    const { rows } = await ask(
      `SELECT memory_id, row_no FROM memories WHERE ${mine} AND ${sql} ORDER BY created_at DESC, memory_id LIMIT $2 OFFSET $3`,
      [project ?? null, limit, offset, ...values],
    )
    return ofIds(rows)
  }
  return {
    origins: async () => new Map(),
    isBehind: async () => false,
    async version() {
      const { rows } = await ask("SELECT seq FROM organisations")
      return Number(rows[0]?.seq ?? 0)
    },
    find: (request) => findMemories(ask, request, project),
    async holding(request) {
      const found = await findMemories(
        ask,
        { ...request, vectors: [], filter: {}, limit: mostHolding, now: 0 },
        project,
      )
      return found.candidates
        .filter(({ words }) => words > 0)
        .sort((one, other) => other.words - one.words || one.row - other.row)
        .map(({ id }) => id)
    },
    async items(ids) {
      const items = await itemsOf(ask, ids)
      return ids.flatMap((id) => {
        const item = items.get(id)
        return item ? [{ ...item, row: 0, origin: "memories", position: 0 }] : []
      })
    },
    async rows(rows) {
      const found = await ask("SELECT memory_id, row_no FROM memories WHERE row_no = ANY ($1::integer[])", [list(rows)])
      const byRow = new Map(found.rows.map((row) => [Number(row.row_no), row]))
      return ofIds(rows.map((row) => byRow.get(row)).filter((row) => row !== undefined))
    },
    select: (filter, { now, limit = mostSelected }) => page(filter, { now, limit, offset: 0 }),
    page,
    async count(filter, now) {
      const { sql, values } = memoryFilter(filter, now, 2)
      const { rows } = await ask(`SELECT count(*) AS n FROM memories WHERE ${mine} AND ${sql}`, [
        project ?? null,
        ...values,
      ])
      return Number(rows[0]?.n ?? 0)
    },
  }
}

/** A tenant may have hundreds of thousands; nobody reads on after this many. */
const mostHolding = 1000
const mostSelected = 1000
