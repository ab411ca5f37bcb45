import type { Ask, PostgresValue } from "../../disk/postgres/driver.ts"
import { list } from "../../disk/postgres/write-array.ts"
import { hashTerm } from "../hash-term.ts"
import { type Candidate, dimensions, type FindRequest, type Found } from "../index-store.ts"
import type { Item } from "../item.ts"
import { likenessOf, passageCosines } from "../quantize.ts"
import { scoreWords } from "../score-words.ts"
import { tokenize } from "../tokenize.ts"
import { saysItAmends, titleWordsIn } from "../words-of-list.ts"
import { bitString, packBits } from "./bits.ts"
import { type Centres, nearestCentres, toCentres } from "./buckets.ts"
import { type LoadedMemory, type LoadMemories, memoriesOrigin, positionOf } from "./loaded-memory.ts"
import { memoryFilter } from "./memory-filter.ts"
import { wordsOfMemory } from "./memory-words.ts"
import { hasVectorColumn } from "./whole-vectors.ts"

/** At most this many postings are read: a memory with only the commonest words would not rank near the top. */
const mostPostings = 6000
/** How many buckets are searched: these contain nine of ten of the nearest. */
const bucketsLookedAt = 12

/** How many each signal proposes: memories are short, and those ranked lower by both are never shown… */
const fewProposed = 24
/** …unless the caller asks for more than usual, to browse them. */
const usualLimit = 100
const mostProposed = 1000

/**
 * The memories that match a text, with all signals: those of a project and those that apply everywhere, or all of the
 * tenant.
 */
export async function findMemories(
  ask: Ask,
  request: FindRequest,
  { project, load }: { project: string | undefined; load: LoadMemories },
): Promise<Found> {
  const { limit, text } = request
  const times = new Map<string, number>()
  for (const term of tokenize(text)) times.set(term, (times.get(term) ?? 0) + 1)
  const hashes = [...times.keys()].map(hashTerm)
  const [size, spaces, counted] = await Promise.all([
    ask(`SELECT indexed, words, ${hasVectorColumn} AS is_whole FROM organisations`),
    ask(spacesOf, [project ?? null]),
    ask("SELECT term, documents FROM terms WHERE term = ANY ($1::integer[])", [list(hashes)]),
  ])
  const items = Number(size.rows[0]?.indexed ?? 0)
  const terms = weigh(times, new Map(counted.rows.map((row) => [Number(row.term), Number(row.documents)])), items)
  const places = spaces.rows.map((row) => ({
    space: Number(row.space),
    centres: row.centres ? toCentres(row.centres as Uint8Array) : null,
  }))
  const vector = request.vectors.find(({ model }) => model === "static")?.vector
  const look = limit > usualLimit ? Math.min(limit, mostProposed) : Math.min(limit, fewProposed)
  const wanted = { filter: request.filter, now: request.now, look }
  const [byWords, byVector] = await Promise.all([
    findByWords(ask, terms, places, wanted),
    vector ? findByVector(ask, vector, places, { ...wanted, isWhole: size.rows[0]?.is_whole === true }) : [],
  ])
  const loaded = (await load([...new Set([...byWords, ...byVector])])).filter(({ item }) => isInTime(item, request))
  const averageLength = items === 0 ? 0 : Number(size.rows[0]?.words ?? 0) / items
  return { candidates: loaded.map((memory) => toCandidate(memory, terms, averageLength, vector)), terms, items }
}

/** Of the project and of what applies everywhere; other teams' spaces are not visible. */
const spacesOf = `SELECT spaces.space, centres FROM spaces LEFT JOIN buckets ON buckets.space = spaces.space
  WHERE $1::text IS NULL OR spaces.project_id IN ('', $1)`

type WeighedTerm = Found["terms"][number] & { hash: number; weight: number }

/** How rare each word is among this many memories, rarest first; a repeated word counts more. */
function weigh(
  times: ReadonlyMap<string, number>,
  documentsOf: ReadonlyMap<number, number>,
  items: number,
): WeighedTerm[] {
  return [...times]
    .map(([term, often]) => {
      const hash = hashTerm(term)
      const documents = Math.max(0, documentsOf.get(hash) ?? 0)
      const idf = Math.log(1 + (Math.max(0, items - documents) + 0.5) / (documents + 0.5))
      return { term, hash, documents, idf, weight: idf * Math.sqrt(often) }
    })
    .sort((one, other) => one.documents - other.documents || (one.term < other.term ? -1 : 1))
}

type Wanted = Pick<FindRequest, "filter" | "now"> & { look: number }

/** The condition on `row_no` for a filter; none if it asks only for live memories, since only those are indexed. */
function fittingRows({ filter, now }: Wanted, from: number): { sql: string; values: PostgresValue[] } {
  const { sources: _, superseded: __, expired: ___, archived: ____, agent: _____, ...narrow } = filter
  if (Object.values(narrow).every((value) => value === undefined)) return { sql: "TRUE", values: [] }
  const { sql, values } = memoryFilter(narrow, now, from)
  return { sql: `row_no IN (SELECT row_no FROM memories WHERE ${sql})`, values }
}

function isInTime({ expires }: Pick<Item, "expires">, { filter, now }: FindRequest): boolean {
  const isOver = expires !== undefined && expires <= (filter.asOf ?? now)
  return filter.expired === undefined || isOver === (filter.expired === "only")
}

type Place = { space: number; centres: Centres | null }

/** The best by the rarest words, as long as their posting lists are short. */
async function findByWords(
  ask: Ask,
  terms: readonly WeighedTerm[],
  places: readonly Place[],
  wanted: Wanted,
): Promise<number[]> {
  const asked: WeighedTerm[] = []
  let postings = 0
  for (const term of terms.filter(({ documents }) => documents > 0)) {
    postings += term.documents
    if (asked.length > 0 && postings > mostPostings) break
    asked.push(term)
  }
  if (asked.length === 0) return []
  const fitting = fittingRows(wanted, 5)
  const { rows } = await ask(
    `SELECT row_no FROM (
       SELECT unnest(postings.rows) AS row_no, asked.weight FROM unnest($1::integer[], $2::float8[]) AS asked (term, weight)
       JOIN postings ON postings.term = asked.term AND postings.space = ANY ($3::integer[])) AS held
     WHERE ${fitting.sql} GROUP BY row_no ORDER BY sum(weight) DESC, row_no DESC LIMIT $4`,
    [
      list(asked.map(({ hash }) => hash)),
      list(asked.map(({ weight }) => weight)),
      spaceList(places),
      wanted.look,
      ...fitting.values,
    ],
  )
  return rows.map(({ row_no }) => Number(row_no))
}

/**
 * The nearest by the full vector if the server can compare them, otherwise by bits; in large spaces only within the
 * nearest buckets.
 */
async function findByVector(
  ask: Ask,
  vector: Float32Array,
  places: readonly Place[],
  wanted: Wanted & { isWhole: boolean },
): Promise<number[]> {
  const bits = bitString(vector)
  const whole = places.filter(({ centres }) => !centres)
  const sorted = places.flatMap(({ space, centres }) => {
    if (!centres) return []
    // Memories added while the buckets were built are in none of them yet.
    return [0, ...nearestCentres(centres, packBits(bits), bucketsLookedAt)].map((bucket) => ({ space, bucket }))
  })
  const [distance, question] = wanted.isWhole
    ? ["vector <=> $1::text::vector", `[${vector.join(",")}]`]
    : [`bit_count(bits # $1::text::bit(${dimensions}))`, bits]
  const nearest = (from: string, values: string[]) => {
    const fitting = fittingRows(wanted, 3 + values.length)
    return ask(
      `SELECT row_no, ${distance} AS distance FROM ${from} AND ${fitting.sql} ORDER BY 2, row_no DESC LIMIT $2`,
      [question, wanted.look, ...values, ...fitting.values],
    )
  }
  const answers = await Promise.all([
    ...(whole.length === 0 ? [] : [nearest("memory_bits WHERE space = ANY ($3::integer[])", [spaceList(whole)])]),
    ...(sorted.length === 0 ? [] : [nearest(inBuckets, [column(sorted, "space"), column(sorted, "bucket")])]),
  ])
  return answers
    .flatMap(({ rows }) => rows)
    .sort((one, other) => Number(one.distance) - Number(other.distance))
    .slice(0, wanted.look)
    .map(({ row_no }) => Number(row_no))
}

const inBuckets = `unnest($3::integer[], $4::integer[]) AS place (space, bucket)
  JOIN memory_bits ON memory_bits.space = place.space AND memory_bits.bucket = place.bucket WHERE TRUE`

type Bucket = { space: number; bucket: number }

function column(buckets: readonly Bucket[], name: keyof Bucket): string {
  return list(buckets.map((bucket) => bucket[name]))
}

function spaceList(places: readonly Place[]): string {
  return list(places.map(({ space }) => space))
}

function toCandidate(
  { row, item, key, embedding }: LoadedMemory,
  terms: readonly WeighedTerm[],
  averageLength: number,
  vector: Float32Array | undefined,
): Candidate {
  const words = wordsOfMemory({ text: item.text, key, path_prefix: item.pathPrefix ?? null })
  const known = embedding?.length === dimensions ? embedding : undefined
  const passages = vector && known ? passageCosines(vector, known) : []
  return {
    row,
    id: item.id,
    title: item.text,
    source: "learned",
    at: item.at,
    origin: memoriesOrigin,
    position: positionOf(row),
    ...scoreWords(words, terms, averageLength),
    static: likenessOf(passages),
    minilm: undefined,
    passages,
    titleWords: () => titleWordsIn(words),
    amends: saysItAmends(words),
    supersededBy: [],
  }
}
