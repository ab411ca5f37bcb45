import { omitUndefined } from "../../formats/objects.ts"
import type { Query, SearchTerm } from "../../formats/query.ts"
import { foldText } from "../../formats/query-match.ts"
import type { AttemptResult } from "../../formats/session/agent-memory.ts"
import type { MemoryClass } from "../../governance/classify.ts"
import type { Filter, ItemSource, StoredItem } from "../../index/index-store.ts"
import { tokenize } from "../../index/tokenizer.ts"
import { readSuccessors } from "../context/gather.ts"
import { resultOf, sharedByOf, statusOfItem } from "../payload.ts"
import type { RecallParts } from "../recall-parts.ts"
import { mergeLists, ofPast, putRoutineLast, sourcesWanted } from "./past-search.ts"
import { statusTest, toFilter } from "./query-filter.ts"
import { fewProposals, findRanked, type Ranked } from "./ranking.ts"

export type SearchRequest = {
  query: Query
  /** Only items of this agent: its history, and entries for it alone. */
  agent?: string | undefined
  /** Archived and superseded items too. */
  all?: boolean | undefined
  /** The state at this time. */
  asOf?: number | undefined
  limit?: number | undefined
  /** Every word is required, also as a part of another; otherwise only phrases are. */
  every?: boolean | undefined
}

/** One result, with the snippet that matched. */
export type SearchHit = {
  id: string
  source: ItemSource
  type: string
  /** Its governance class. */
  class: MemoryClass
  title: string
  snippet: string
  highlights: Snippet["highlights"]
  path: string
  line: number
  score: number
  author: string
  at: number | undefined
  supersededBy: string[]
  /** The result of a session attempt. */
  result?: AttemptResult
  /** Who shared a team memory. */
  sharedBy?: string
}

const defaultLimit = 20

/**
 * Searches all sources, best first; without words, newest first. Phrases are required, excluded words are forbidden.
 */
export async function search(parts: RecallParts, request: SearchRequest): Promise<SearchHit[]> {
  const text = wordsOf(request.query)
  return (await findItems(parts, request)).map((found) => toHit(found, text))
}

/** The items that `search` shows: of memory, of conversations and of commits, each ranked by itself. */
export async function findItems(parts: RecallParts, request: SearchRequest): Promise<ScoredItem[]> {
  const { memory, past } = sourcesWanted(request)
  const lists = memory ? [await findWithin(parts, request)] : []
  if (parts.past) {
    const inPast = { ...parts, index: parts.past }
    for (const source of past)
      lists.push(putRoutineLast(await findWithin(inPast, request, (filter) => ofPast(filter, source))))
  }
  return lists.length === 1 ? (lists[0] as ScoredItem[]) : mergeLists(lists).slice(0, request.limit ?? defaultLimit)
}

async function findWithin(
  parts: RecallParts,
  request: SearchRequest,
  narrow: (filter: Filter) => Filter = (filter) => filter,
): Promise<ScoredItem[]> {
  const { query, limit = defaultLimit } = request
  const now = parts.now().getTime()
  const text = wordsOf(query)
  const filter = narrow(toFilter(query.filters, request, now))
  const hasStatus = statusTest(query.filters, request)
  const deciding = request.every ? query.terms : query.terms.filter(isDeciding)
  const isWanted = ({ item, supersededBy }: ScoredItem) =>
    hasStatus(statusOfItem(item, supersededBy, request.asOf ?? now)) && containsTerms(item, deciding)
  const choose = async (found: AsyncIterable<ScoredItem> | Iterable<ScoredItem>) => {
    const isCopy = duplicateTest()
    const chosen: ScoredItem[] = []
    if (limit > 0)
      for await (const each of found) {
        if (isWanted(each) && !isCopy(each.item)) chosen.push(each)
        if (chosen.length >= limit) break
      }
    return chosen
  }

  const hasOnlyStopWords = deciding.length > 0 && tokenize(text).length === 0
  if (text.trim() === "" || hasOnlyStopWords)
    return choose(await selectAll(parts, filter, deciding.length === 0 ? mostSelected : undefined))
  const find = (proposals: number) => findBest(parts, text, filter, { proposals, atOnce: limit })
  const best = await choose(find(Math.max(limit, fewProposals)))
  // A low-ranked item may be the only one with the phrase.
  if (deciding.length === 0 || best.length === limit) return best
  if (!request.every) return choose(find(manyProposals))
  const more: ScoredItem[] = []
  for await (const each of find(manyProposals)) more.push(each)
  const known = new Set(more.map(({ item }) => item.row)) // the beginning of a word is in no list of words
  return choose([...more, ...(await selectAll(parts, filter)).filter(({ item }) => !known.has(item.row))])
}

const manyProposals = 5000

/** Without words the newest are shown, and no one asks for more. */
const mostSelected = 20_000

/** A scored item, and what had replaced it at the requested time; without words it has no relevance. */
export type ScoredItem = { item: StoredItem; score: number; relevance?: number; supersededBy: string[] }

async function selectAll(parts: RecallParts, filter: Filter, limit?: number): Promise<ScoredItem[]> {
  const items = await parts.index.select(filter, {
    now: parts.now().getTime(),
    ...(limit === undefined ? {} : { limit }),
  })
  const superseded = items.filter(({ supersededBy }) => supersededBy.length > 0).map(({ id }) => id)
  const { successorsOf } = await readSuccessors(parts.index, superseded, filter.asOf)
  return items.map((item) => ({ item, score: 0, supersededBy: successorsOf(item.id) }))
}

/**
 * A replaced item passes its score on to its successor, so that old terms find the new item. Items are loaded a few at a
 * time: most are never asked for.
 */
async function* findBest(
  parts: RecallParts,
  text: string,
  filter: Filter,
  { proposals, atOnce }: { proposals: number; atOnce: number },
): AsyncGenerator<ScoredItem> {
  const wide = { ...filter, superseded: filter.superseded ?? true }
  const ranked = await findRanked(parts, text, wide, { proposals, complete: true })
  const worthShowing = ranked.filter(isWorthShowing)
  const isHidden = ({ candidate }: Ranked) => filter.superseded === undefined && candidate.supersededBy.length > 0
  const rowsOf = (some: readonly Ranked[]) => some.map(({ candidate }) => candidate.row)
  const replaced = worthShowing.filter(isHidden)
  const { currentOf, current } = await readCurrent(parts, replaced, filter)
  const instead = worthShowing.filter((each) => !isHidden(each) && current.has(each.candidate.id))
  for (const item of await parts.index.rows(rowsOf(instead))) current.set(item.id, item)
  const passed = new Set<number>()
  const step = Math.max(fewAtOnce, atOnce)
  for (let at = 0; at < worthShowing.length; at += step) {
    const next = worthShowing.slice(at, at + step)
    const items = await parts.index.rows(rowsOf(next.filter((each) => !isHidden(each))))
    const byRow = new Map(items.map((item) => [item.row, item]))
    for (const each of next) {
      const { candidate, score, relevance } = each
      const found = isHidden(each) ? currentOf(candidate.id).map((id) => current.get(id)) : [byRow.get(candidate.row)]
      for (const item of found) {
        if (!item || passed.has(item.row)) continue
        passed.add(item.row)
        yield { item, score, relevance, supersededBy: isHidden(each) ? [] : candidate.supersededBy }
      }
    }
  }
}

const fewAtOnce = 20

/** What currently replaces these, by id. */
async function readCurrent(parts: RecallParts, replaced: readonly Ranked[], filter: Filter) {
  const ids = replaced.map(({ candidate }) => candidate.id)
  const { currentOf } = await readSuccessors(parts.index, ids, filter.asOf)
  const now = parts.now().getTime()
  const items = ids.length === 0 ? [] : await parts.index.select({ ...filter, ids: ids.flatMap(currentOf) }, { now })
  return { currentOf, current: new Map(items.map((item) => [item.id, item])) }
}

/** By meaning alone everything is similar to something: an item without a shared word must be clearly relevant. */
export function isWorthShowing({ candidate, qualifies }: Ranked): boolean {
  return candidate.coverage > 0 || qualifies
}

/** The words of a query. */
export function wordsOf({ terms }: Query): string {
  return terms.flatMap((term) => (term.negated ? [] : [term.text])).join(" ")
}

/** Plain words only affect the ranking; phrases, quoted words and exclusions are required to match. */
export function isDeciding({ text, negated, quoted }: SearchTerm): boolean {
  return negated || quoted === true || /\s/.test(text.trim())
}

export function containsTerms(
  item: Pick<StoredItem, "title" | "text" | "tags" | "author">,
  terms: readonly SearchTerm[],
): boolean {
  if (terms.length === 0) return true
  const searched = [item.title, item.text, ...item.tags, item.author].map(foldText).join("\n")
  return terms.every(({ text, negated }) => searched.includes(foldText(text)) !== negated)
}

function toHit({ item, score, supersededBy }: ScoredItem, text: string): SearchHit {
  const { id, source, type, class: memoryClass, title, path, line, author, at } = item
  const snippet = makeSnippet(item.text === "" ? title : item.text, text)
  const result = resultOf(item)
  const sharedBy = sharedByOf(item)
  return {
    id,
    source,
    type,
    class: memoryClass,
    title,
    snippet: snippet.text,
    highlights: snippet.highlights,
    path,
    line,
    score,
    author,
    at,
    supersededBy,
    ...omitUndefined({ result, sharedBy }),
  }
}

/** The part of a text that matched; highlights are offsets into it. */
type Snippet = { text: string; highlights: { start: number; end: number }[] }

const longest = 240
const searched = 20_000
const word = /[\p{L}\p{N}_#][\p{L}\p{N}_./#+-]*/gu

/** The window with most of the query's words, on one line. Words are compared by stem, as in the index. */
export function makeSnippet(text: string, query: string): Snippet {
  const wanted = new Set(tokenize(query))
  const flat = text.slice(0, searched).replace(/\s+/g, " ").trim()
  const hits = [...flat.matchAll(word)].flatMap((match) => {
    const found = match[0].replace(/[./-]+$/, "") // drops punctuation after the last word
    const token = tokensOf(found).find((each) => wanted.has(each))
    return token === undefined ? [] : [{ token, start: match.index, end: match.index + found.length }]
  })
  const from = startOfBest(hits, flat)
  const end = flat.length <= from + longest ? flat.length : endOfWord(flat, from + longest)
  const lead = from > 0 ? "… " : ""
  return {
    text: `${lead}${flat.slice(from, end)}${end < flat.length ? " …" : ""}`,
    highlights: hits
      .filter((hit) => hit.start >= from && hit.end <= end)
      .map((hit) => ({ start: hit.start - from + lead.length, end: hit.end - from + lead.length })),
  }
}

/** Snippets of one team's entries consist of the same words again and again. */
const knownTokens = new Map<string, string[]>()
const mostKnown = 5000

function tokensOf(word: string): string[] {
  const known = knownTokens.get(word)
  if (known) return known
  const tokens = tokenize(word)
  if (knownTokens.size >= mostKnown) knownTokens.clear()
  knownTokens.set(word, tokens)
  return tokens
}

type Hit = { token: string; start: number; end: number }

/** The start of the window with the most distinct words, with a few words of context. */
function startOfBest(hits: readonly Hit[], text: string): number {
  let best = 0
  let start = 0
  for (const [index, first] of hits.entries()) {
    const tokens = new Set<string>()
    for (let at = index; at < hits.length; at++) {
      const hit = hits[at]
      if (!hit || hit.end - first.start > longest) break
      tokens.add(hit.token)
    }
    if (tokens.size <= best) continue
    best = tokens.size
    start = first.start
  }
  if (start < longest / 2) return 0
  return text.indexOf(" ", start - 40) + 1
}

function endOfWord(text: string, near: number): number {
  const space = text.lastIndexOf(" ", near)
  return space > near - 40 ? space : near
}

/** Whether an item was seen before: a session's note is in two files if its archiving was interrupted. */
export function duplicateTest(): (item: Pick<StoredItem, "source" | "id">) => boolean {
  const seen = new Set<string>()
  return ({ source, id }) => {
    if (source !== "session") return false
    const isCopy = seen.has(id)
    seen.add(id)
    return isCopy
  }
}

/**
 * How ids are shown: the shortest beginning, of at least `least` characters, that means no other item, without `sem-`, and with `m:` for a
 * learned memory. `idsLike` returns what a beginning means, so it is understood wherever an id is typed.
 */
export async function shortestIds(
  ids: readonly string[],
  idsLike: (typed: string) => Promise<readonly string[]>,
  least = 4,
): Promise<(id: string) => string> {
  const short = new Map<string, string>()
  for (const id of new Set(ids)) {
    const own = bareId(id)
    let length = (/^(?:m:|[a-z]+-)/.exec(own)?.[0].length ?? 0) + least
    while (length < own.length && (await idsLike(own.slice(0, length))).some((each) => each !== id)) length++
    short.set(id, own.slice(0, length))
  }
  return (id) => short.get(id) ?? bareId(id)
}

function bareId(id: string): string {
  return id.replace(/^sem-/, "").replace(/^m-(?=[0-9a-f]{16}$)/, "m:")
}
