import type { PostgresValue, RunQuery } from "../../disk/postgres/driver.ts"
import { numberArray, textArray } from "../../disk/postgres/sql.ts"
import { nameKey } from "../../formats/source-text.ts"
import {
  type Attributes,
  dimensions,
  type Filter,
  type FindRequest,
  type FoundCandidates,
  type IndexCandidate,
  type Item,
} from "../index-store.ts"
import { likenessOf, passageCosines } from "../quantization.ts"
import { hashTerm } from "../term-hash.ts"
import { mentionsAmendment, scoreWords, titleWordsIn } from "../term-lists.ts"
import { tokenize } from "../tokenizer.ts"
import { bitString, type Centres, nearestCentres, packBits, toCentres } from "./buckets.ts"
import { hasVectorColumn, wordsOfMemory } from "./memory-indexer.ts"

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
  ask: RunQuery,
  request: FindRequest,
  { project, load }: { project: string | undefined; load: LoadMemories },
): Promise<FoundCandidates> {
  const { limit, text } = request
  const times = new Map<string, number>()
  for (const term of tokenize(text)) times.set(term, (times.get(term) ?? 0) + 1)
  const hashes = [...times.keys()].map(hashTerm)
  const [size, spaces, counted] = await Promise.all([
    ask(`SELECT indexed, words, ${hasVectorColumn} AS is_whole FROM organisations`),
    ask(spacesOf, [project ?? null]),
    ask("SELECT term, documents FROM terms WHERE term = ANY ($1::integer[])", [numberArray(hashes)]),
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

type WeighedTerm = FoundCandidates["terms"][number] & { hash: number; weight: number }

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
  ask: RunQuery,
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
      numberArray(asked.map(({ hash }) => hash)),
      numberArray(asked.map(({ weight }) => weight)),
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
  ask: RunQuery,
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
  return numberArray(buckets.map((bucket) => bucket[name]))
}

function spaceList(places: readonly Place[]): string {
  return numberArray(places.map(({ space }) => space))
}

function toCandidate(
  { row, item, key, embedding }: LoadedMemory,
  terms: readonly WeighedTerm[],
  averageLength: number,
  vector: Float32Array | undefined,
): IndexCandidate {
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
    allWords: () => new Set(words.hashes),
    titleWords: () => titleWordsIn(words),
    amends: mentionsAmendment(words),
    supersededBy: [],
  }
}

/** A condition on `memories` with its values; `from` is the number of the first `$n`. */
export type MemoryFilterSql = { sql: string; values: PostgresValue[] }

/** A filter translated for memories; they have no load and no owning agent, and a replaced memory has ended. */
export function memoryFilter(filter: Filter, now: number, from = 1): MemoryFilterSql {
  const values: PostgresValue[] = []
  const value = (given: PostgresValue) => `$${from - 1 + values.push(given)}`
  const parts = ["status <> 'deprecated'"]
  if (filter.owner !== undefined || filter.superseded === "only") parts.push("FALSE")
  const moment = new Date(filter.asOf ?? now).toISOString()
  if (filter.expired === "only") parts.push(`expires_at <= ${value(moment)}`)
  if (filter.expired === "without") parts.push(`(expires_at IS NULL OR expires_at > ${value(moment)})`)
  if (filter.asOf !== undefined) parts.push(`created_at <= ${value(moment)}`)
  parts.push(...attributes(filter, value, " AND "))
  for (const part of attributes(filter.not ?? {}, value, " OR ")) parts.push(`(${part}) IS NOT TRUE`)
  if (filter.anyOf) {
    const each = filter.anyOf.map((one) => attributes(one, value, " AND ").join(" AND ") || "TRUE")
    parts.push(`(${each.map((one) => `(${one})`).join(" OR ") || "FALSE"})`)
  }
  return { sql: parts.map((part) => `(${part})`).join(" AND "), values }
}

function attributes(
  wanted: Attributes,
  value: (given: PostgresValue) => string,
  betweenTags: " AND " | " OR ",
): string[] {
  const parts: string[] = []
  const among = (expression: string, names: readonly string[] | undefined) => {
    if (names) parts.push(`${expression} = ANY (${value(textArray(names))}::text[])`)
  }
  if (wanted.sources) parts.push(String(wanted.sources.includes("learned")))
  if (wanted.classes) parts.push(String(wanted.classes.includes("LOCAL")))
  if (wanted.loads) parts.push(String(wanted.loads.includes("ON-DEMAND")))
  among("kind", wanted.types)
  among("lower(coalesce(contributed_by, owner_id))", wanted.authors?.map(nameKey))
  if (wanted.tags)
    parts.push(
      wanted.tags
        .map(nameKey)
        .map((tag) => (isKey(tag) ? `key = ${value(tag)}` : `strpos(lower(flags), ${value(`"${tag}"`)}) > 0`))
        .join(betweenTags) || "TRUE",
    )
  if (wanted.related) parts.push("FALSE") // what was learned names nothing as related
  among(
    "scope",
    wanted.scopes?.map((scope) => scope.toLowerCase()),
  )
  among("path_prefix", wanted.pathPrefixes)
  if (wanted.inFolder) parts.push("path_prefix IS NOT NULL")
  among("memory_id", wanted.ids)
  if (wanted.after !== undefined) parts.push(`created_at >= ${value(new Date(wanted.after).toISOString())}`)
  if (wanted.before !== undefined) parts.push(`created_at < ${value(new Date(wanted.before).toISOString())}`)
  return parts
}

/** The keys of facts have a dot, `project.test.command`; the flags of memories have none. */
function isKey(tag: string): boolean {
  return tag.includes(".")
}

/** A memory, read once for everything that a request needs of it. */
export type LoadedMemory = { row: number; item: Item; key: string | null; embedding: Uint8Array | null }

/** By row number, in any order; removed memories and those of other teams are left out. */
type LoadMemories = (rows: readonly number[]) => Promise<LoadedMemory[]>

/** All memories have one origin… */
export const memoriesOrigin = "memories"

/** …in which no two of them are neighbours. */
export function positionOf(row: number): number {
  return row * 10
}
