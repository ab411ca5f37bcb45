import type { RunQuery } from "../../disk/postgres/driver.ts"
import { numberArray, textArray } from "../../disk/postgres/sql.ts"
import {
  countWords as countWordsList,
  hashCounts,
  lengthOf,
  readTermList,
  type TermList,
  type WordedItem,
} from "../term-lists.ts"
import { bitString, nearestCentres, packBits, readCentres } from "./buckets.ts"

/**
 * How many memories share a row of a posting list: more make writes rewrite too much, fewer make searches read too many
 * rows.
 */
const memoriesPerSegment = 256

/** Batch size: a statement has to end. */
const mostAtOnce = 2000

type Pending = {
  memory_id: string
  text: string
  key: string | null
  path_prefix: string | null
  /** Empty for memories that apply in all projects, or belong to the whole organisation. */
  project: string
  team: string
  status: string
  row_no: number | null
  space: number | null
  embedding: Uint8Array | null
  embedding_dims: number | null
}

/**
 * Syncs words and vectors with the memories of the tenant: indexes new ones and removes ended ones. Runs in the
 * transaction that changed them, so that a visible memory can always be found.
 */
export async function indexMemories(ask: RunQuery): Promise<void> {
  for (;;) {
    const { rows } = await ask(pending)
    if (rows.length === 0) return
    const memories = rows as Pending[]
    const [ended, added] = [
      memories.filter(({ status }) => status === "deprecated"),
      memories.filter(({ status }) => status !== "deprecated"),
    ]
    if (ended.length > 0) await takeOut(ask, ended)
    if (added.length > 0) await takeIn(ask, await withSpaces(ask, added))
    if (memories.length < mostAtOnce) return
  }
}

const teamOf = "CASE memories.owner_type WHEN 'team' THEN memories.owner_id ELSE '' END"

const pending = `SELECT memory_id, text, key, path_prefix, coalesce(memories.project_id, '') AS project, ${teamOf} AS team, status, row_no,
    spaces.space, embedding, embedding_dims
  FROM memories LEFT JOIN spaces ON spaces.project_id = coalesce(memories.project_id, '') AND spaces.team_id = ${teamOf}
  WHERE (row_no IS NULL) = (status <> 'deprecated') ORDER BY memories.created_at, memory_id LIMIT ${mostAtOnce}`

type Placed = Pending & { space: number }

/** Creates spaces for projects and teams without one. */
async function withSpaces(ask: RunQuery, memories: readonly Pending[]): Promise<Placed[]> {
  const placeOf = ({ project, team }: Pending) => JSON.stringify([project, team])
  const spaces = new Map<string, number>()
  for (const memory of memories) if (memory.space !== null) spaces.set(placeOf(memory), memory.space)
  for (const memory of memories) {
    if (spaces.has(placeOf(memory))) continue
    const { rows } = await ask("UPDATE organisations SET last_space = last_space + 1 RETURNING last_space")
    const space = Number(rows[0]?.last_space ?? 1)
    const place = [memory.project, memory.team, space]
    await ask("INSERT INTO spaces (project_id, team_id, space) VALUES ($1, $2, $3)", place)
    spaces.set(placeOf(memory), space)
  }
  return memories.map((memory) => ({ ...memory, space: spaces.get(placeOf(memory)) as number }))
}

async function takeIn(ask: RunQuery, memories: readonly Placed[]): Promise<void> {
  const { rows } = await ask("UPDATE organisations SET last_row = last_row + $1 RETURNING last_row", [memories.length])
  const first = Number(rows[0]?.last_row ?? memories.length) - memories.length + 1
  const worded = memories.map((memory, at) => ({ ...memory, row: first + at, words: wordsOfMemory(memory) }))
  await ask(
    `UPDATE memories SET row_no = numbered.row_no, word_count = numbered.words
     FROM unnest($1::text[], $2::integer[], $3::integer[]) AS numbered (id, row_no, words) WHERE memory_id = numbered.id`,
    [
      textArray(worded.map(({ memory_id }) => memory_id)),
      numberArray(worded.map(({ row }) => row)),
      numberArray(worded.map(({ words }) => lengthOf(words.lengths))),
    ],
  )
  await addPostings(ask, worded)
  await addBits(ask, worded)
  await countWords(ask, worded, 1)
}

type Worded = Placed & { row: number; words: ReturnType<typeof wordsOfMemory> }

async function addPostings(ask: RunQuery, memories: readonly Worded[]): Promise<void> {
  const lists = new Map<string, number[]>()
  for (const { space, row, words } of memories) {
    for (const term of words.hashes) {
      const place = `${space} ${term} ${segmentOf(row)}`
      const rows = lists.get(place)
      if (rows) rows.push(row)
      else lists.set(place, [row])
    }
  }
  const places = [...lists].map(([place, rows]) => ({ place: place.split(" ").map(Number), rows }))
  const column = (at: number) => numberArray(places.map(({ place }) => place[at] as number))
  await ask(
    `INSERT INTO postings (space, term, segment, rows)
     SELECT space, term, segment, rows::integer[] FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::text[]) AS given (space, term, segment, rows)
     ORDER BY space, term, segment
     ON CONFLICT (tenant_id, space, term, segment) DO UPDATE SET rows = postings.rows || excluded.rows`,
    [column(0), column(1), column(2), textArray(places.map(({ rows }) => numberArray(rows)))],
  )
}

async function addBits(ask: RunQuery, memories: readonly Worded[]): Promise<void> {
  const embedded = memories.flatMap(({ space, row, embedding, embedding_dims }) =>
    embedding && embedding_dims === 256 ? [{ space, row, vector: signed(embedding) }] : [],
  )
  if (embedded.length === 0) return
  const spaces = [...new Set(embedded.map(({ space }) => space))]
  const [centres, isWhole] = await Promise.all([readCentres(ask, spaces), hasWholeVectors(ask)])
  const bits = embedded.map(({ vector }) => bitString(vector))
  const buckets = embedded.map(({ space }, at) => {
    const known = centres.get(space)
    return known ? (nearestCentres(known, packBits(bits[at] as string), 1)[0] ?? 0) : 0
  })
  const columns = [
    numberArray(embedded.map(({ space }) => space)),
    numberArray(buckets),
    numberArray(embedded.map(({ row }) => row)),
    textArray(bits),
  ]
  const given = "unnest($1::integer[], $2::integer[], $3::integer[], $4::text[]"
  if (isWhole)
    await ask(
      `INSERT INTO memory_bits (space, bucket, row_no, bits, vector) SELECT space, bucket, row_no, bits::bit(256), vector::vector
       FROM ${given}, $5::text[]) AS given (space, bucket, row_no, bits, vector)`,
      [...columns, textArray(embedded.map(({ vector }) => `[${vector.join(",")}]`))],
    )
  else
    await ask(
      `INSERT INTO memory_bits (space, bucket, row_no, bits) SELECT space, bucket, row_no, bits::bit(256)
       FROM ${given}) AS given (space, bucket, row_no, bits)`,
      columns,
    )
}

/** Adds to or subtracts from the tenant's word counts. */
async function countWords(ask: RunQuery, memories: readonly Pick<Worded, "words">[], step: 1 | -1): Promise<void> {
  const documents = new Map<number, number>()
  for (const { words } of memories)
    for (const term of words.hashes) documents.set(term, (documents.get(term) ?? 0) + step)
  const total = memories.reduce((sum, { words }) => sum + lengthOf(words.lengths), 0) * step
  await ask(
    `INSERT INTO terms (term, documents) SELECT term, documents FROM unnest($1::integer[], $2::integer[]) AS given (term, documents) ORDER BY term
     ON CONFLICT (tenant_id, term) DO UPDATE SET documents = terms.documents + excluded.documents`,
    [numberArray([...documents.keys()]), numberArray([...documents.values()])],
  )
  await ask("UPDATE organisations SET indexed = indexed + $1, words = words + $2", [memories.length * step, total])
}

async function takeOut(ask: RunQuery, memories: readonly Pending[]): Promise<void> {
  const worded = memories.map((memory) => ({ ...memory, words: wordsOfMemory(memory) }))
  for (const { space, row_no, words } of worded) {
    const place = [space ?? 0, segmentOf(row_no ?? 0), row_no, numberArray(words.hashes)] as const
    await ask(
      `UPDATE postings SET rows = array_remove(rows, $3::integer) WHERE space = $1 AND segment = $2 AND term = ANY ($4::integer[])`,
      place,
    )
  }
  const rows = numberArray(memories.map(({ row_no }) => row_no ?? 0))
  await ask("DELETE FROM memory_bits WHERE row_no = ANY ($1::integer[])", [rows])
  await ask("UPDATE memories SET row_no = NULL WHERE row_no = ANY ($1::integer[])", [rows])
  await countWords(ask, worded, -1)
}

function segmentOf(row: number): number {
  return Math.floor(row / memoriesPerSegment)
}

function signed(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/**
 * The searched fields of a memory: its text, the fact's key, and its path. Its owner may change and is not searched.
 */
export type WordedMemory = { text: string; key: string | null; path_prefix: string | null }

/** The words of a memory with their counts by field. */
export function wordsOfMemory({ text, key, path_prefix }: WordedMemory): TermList {
  const worded: WordedItem = {
    title: text,
    text,
    tags: key === null ? [] : [key],
    author: "",
    contributors: [],
    pathPrefix: path_prefix ?? undefined,
  }
  return readTermList(countWordsList(worded, counts).list)
}

/** Shared: creating one takes longer than counting the words of a memory. */
const counts = hashCounts(1 << 8)

/** True where the server has pgvector and the table has its column. */
export const hasVectorColumn = `EXISTS (SELECT 1 FROM pg_attribute
  WHERE attrelid = 'drey.memory_bits'::regclass AND attname = 'vector' AND NOT attisdropped)`

async function hasWholeVectors(ask: RunQuery): Promise<boolean> {
  const { rows } = await ask(`SELECT ${hasVectorColumn} AS has`)
  return rows[0]?.has === true
}
