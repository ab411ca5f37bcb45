import type { RunQuery } from "../../disk/postgres/driver.ts"
import { textArray } from "../../disk/postgres/sql.ts"
import type { Filter, FindRequest, IndexReader, StoredItem } from "../index-store.ts"
import { findMemories, type LoadedMemory, memoriesOrigin, memoryFilter, positionOf } from "./memory-search.ts"

export type PostgresIndexOptions = {
  /** Only what this project may see; undefined: all that the transaction can see. */
  project: string | undefined
  /** Loads memories by row number, with what recall shows of them. */
  load(ask: RunQuery, rows: readonly number[]): Promise<LoadedMemory[]>
}

export type PostgresIndex = IndexReader & {
  count(filter: Filter, now: number): Promise<number>
  /** A page of the memories that pass the filter, newest first. */
  page(filter: Filter, options: { now: number; limit: number; offset: number }): Promise<StoredItem[]>
}

/** The memories of a tenant as an index, within an open transaction: nothing is read twice. */
export function postgresIndex(ask: RunQuery, { project, load }: PostgresIndexOptions): PostgresIndex {
  const mine = "($1::text IS NULL OR project_id IS NULL OR project_id = $1)"
  const known = new Map<number, LoadedMemory>()
  const loadRows = async (rows: readonly number[]): Promise<LoadedMemory[]> => {
    const missing = rows.filter((row) => !known.has(row))
    if (missing.length > 0) for (const memory of await load(ask, missing)) known.set(memory.row, memory)
    return rows.map((row) => known.get(row)).filter((memory) => memory !== undefined)
  }
  const storedRows = async (rows: readonly number[]) => (await loadRows(rows)).map(toStored)
  const find = (request: FindRequest) => findMemories(ask, request, { project, load: loadRows })
  const page: PostgresIndex["page"] = async (filter, { now, limit, offset }) => {
    if (leavesOutMemories(filter)) return []
    const { sql, values } = memoryFilter(filter, now, 4)
    // A key matches few rows: find them first, then sort. Otherwise read the newest from an index in that order.
    const found = `SELECT row_no, created_at, memory_id FROM memories WHERE ${mine} AND ${sql}`
    const from = isNarrow(filter) ? `WITH found AS MATERIALIZED (${found}) SELECT row_no FROM found` : found
    const { rows } = await ask(`${from} ORDER BY created_at DESC, memory_id LIMIT $2 OFFSET $3`, [
      project ?? null,
      limit,
      offset,
      ...values,
    ])
    return storedRows(rows.map(({ row_no }) => Number(row_no)))
  }
  return {
    origins: async () => new Map(),
    isBehind: async () => false,
    async version() {
      const { rows } = await ask("SELECT seq FROM organisations")
      return Number(rows[0]?.seq ?? 0)
    },
    find: async (request) =>
      leavesOutMemories(request.filter) ? { candidates: [], terms: [], items: 0 } : find(request),
    async holding(request) {
      const found = await find({ ...request, vectors: [], filter: {}, limit: mostHolding, now: 0 })
      return found.candidates
        .filter(({ words }) => words > 0)
        .sort((one, other) => other.words - one.words || one.row - other.row)
        .map(({ id }) => id)
    },
    async items(ids) {
      if (ids.length === 0) return []
      const { rows } = await ask(
        "SELECT memory_id, row_no FROM memories WHERE memory_id = ANY ($1::text[]) AND row_no IS NOT NULL",
        [textArray(ids)],
      )
      const rowOf = new Map(rows.map(({ memory_id, row_no }) => [String(memory_id), Number(row_no)]))
      return storedRows(ids.map((id) => rowOf.get(id)).filter((row) => row !== undefined))
    },
    rows: storedRows,
    select: (filter, { now, limit = mostSelected }) => page(filter, { now, limit, offset: 0 }),
    page,
    async count(filter, now) {
      if (leavesOutMemories(filter)) return 0
      const { sql, values } = memoryFilter(filter, now, 2)
      const { rows } = await ask(`SELECT count(*) AS n FROM memories WHERE ${mine} AND ${sql}`, [
        project ?? null,
        ...values,
      ])
      return Number(rows[0]?.n ?? 0)
    },
  }
}

/** A tenant may have hundreds of thousands; users do not read beyond this many. */
const mostHolding = 1000
const mostSelected = 1000

/** Recall searches entries and memories separately; there are no entries here. */
function leavesOutMemories({ sources, not }: Filter): boolean {
  return sources?.includes("learned") === false || not?.sources?.includes("learned") === true
}

/** Whether an index covers the filter. */
function isNarrow({ ids, pathPrefixes, anyOf }: Filter): boolean {
  return ids !== undefined || pathPrefixes !== undefined || anyOf?.every(({ tags }) => tags !== undefined) === true
}

function toStored({ row, item }: LoadedMemory): StoredItem {
  return { ...item, row, origin: memoriesOrigin, position: positionOf(row) }
}
