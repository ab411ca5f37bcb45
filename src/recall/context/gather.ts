import { foldersOf } from "../../formats/file-paths.ts"
import type { Attributes, Filter, IndexReader, ItemSource, StoredItem } from "../../index/index-store.ts"
import { tokenize } from "../../index/tokenizer.ts"
import type { RecallParts } from "../recall-parts.ts"
import { findRanked, type Ranked, rankWeights } from "../search/ranking.ts"

/** A candidate for a context, with its scores. */
export type Gathered = {
  item: StoredItem
  score: number
  relevance: number
  /** Whether it is relevant to the task; rules are included either way. */
  qualifies: boolean
  signals: Ranked["signals"] | undefined
  /** Similarity of each passage to the task, for choosing excerpts; missing without vectors. */
  passages?: readonly number[]
  /** The id of an older, relevant item that this one replaces. */
  insteadOf?: string
  /** The id of an older memory that this one contradicts; the older one is left out. */
  contradicts?: string
  /** A learned fact with a key: `named` if the task mentions its topic, `any` if it matched otherwise. */
  keyed?: "named" | "any"
}

/** Queried separately: an agent's long history must not crowd out the team's decisions. */
const teamSources = [["decisions", "memory", "policy"], ["history"]] as const

/** More than any usual budget can hold, even at one line each. */
const mostLookedAt = 120
const mostActive = 120

/** What `standingOf` treats as a rule. */
export const rules: Attributes[] = [
  { types: ["directive"] },
  { classes: ["POLICY"] },
  { loads: ["ALWAYS"], marked: true },
]

/** The newest ones only: no context holds more, and an index may contain hundreds of thousands. */
export const mostRules = 1000

/** Learned memories are gathered separately; session notes are shown by their session, or once they have graduated. */
const written = { not: { sources: ["learned" as const, "session" as const, "docs" as const] } }

/** Every active item that an agent may see: relevant ones first, then all rules and the newest entries. */
export async function gather(
  parts: RecallParts,
  { agent, text = "", paths = [] }: { agent: string | undefined; text?: string; paths?: readonly string[] },
): Promise<Gathered[]> {
  const now = parts.now().getTime()
  const mine: Filter = { agent, ...written }
  const found = text.trim() === "" ? [] : await relevant(parts, mine, text)
  const folders = [...new Set(paths.flatMap(foldersOf))]
  const newest = (sources: readonly ItemSource[]) =>
    parts.index.select({ ...mine, sources: [...sources] }, { now, limit: mostActive })
  const active = [
    ...(folders.length === 0 ? [] : await parts.index.select({ ...mine, pathPrefixes: folders }, { now })),
    ...(await parts.index.select({ ...mine, anyOf: rules }, { now, limit: mostRules })),
    ...(await Promise.all(teamSources.map(newest))).flat(),
  ]
  const seen = new Set(found.map(({ item }) => item.row))
  const others = [...new Map(active.map((item) => [item.row, item])).values()]
    .filter(({ row }) => !seen.has(row))
    .map((item) => ({ item, score: 0, relevance: 0, qualifies: false, signals: undefined }))
  return [...found, ...others]
}

async function relevant(parts: RecallParts, mine: Filter, text: string): Promise<Gathered[]> {
  const ranked = (await findForTask(parts, text, { ...mine, superseded: true })).slice(0, mostLookedAt)
  const items = new Map(
    (await parts.index.rows(ranked.map(({ candidate }) => candidate.row))).map((item) => [item.row, item]),
  )
  const found = ranked.flatMap(({ candidate, score, relevance, qualifies, signals }) => {
    const item = items.get(candidate.row)
    return item ? [{ item, score, relevance, qualifies, signals, passages: candidate.passages }] : []
  })
  return withSuccessors(parts, mine, found)
}

/**
 * Puts the current successor before each relevant item that was replaced, even if the successor's words do not match.
 */
async function withSuccessors(parts: RecallParts, mine: Filter, found: readonly Gathered[]): Promise<Gathered[]> {
  const replaced = found.filter(({ item, qualifies }) => qualifies && item.supersededBy.length > 0)
  if (replaced.length === 0) return [...found]
  const { currentOf } = await readSuccessors(
    parts.index,
    replaced.map(({ item }) => item.id),
  )
  const ids = replaced.flatMap(({ item }) => currentOf(item.id))
  const current = await parts.index.select({ ...mine, ids }, { now: parts.now().getTime() })
  const gathered = new Map<number, Gathered>()
  for (const each of found) {
    const successors = replaced.includes(each) ? currentOf(each.item.id) : []
    for (const item of current.filter(({ id }) => successors.includes(id))) {
      const own = gathered.get(item.row) ?? found.find((other) => other.item.row === item.row)
      const insteadOf = each.item.id
      if (!own?.qualifies) gathered.set(item.row, { ...each, passages: [], ...own, item, qualifies: true, insteadOf })
    }
    if (!gathered.has(each.item.row)) gathered.set(each.item.row, each)
  }
  return [...gathered.values()]
}

const mostSentences = 4
const fewestWords = 3

/**
 * Ranks items for a task. A task may be a whole paragraph of which one sentence matters: if the whole text finds
 * nothing relevant, its first sentences are queried one by one, and the best answer counts if it passes a higher
 * threshold.
 */
async function findForTask(parts: RecallParts, text: string, filter: Filter): Promise<Ranked[]> {
  const whole = await findRanked(parts, text, filter)
  if (whole.some(({ qualifies }) => qualifies)) return whole
  let best: Ranked[] = []
  for (const sentence of sentencesOf(text)) {
    const ranked = await findRanked(parts, sentence, filter)
    if (surenessOf(ranked) > surenessOf(best)) best = ranked
  }
  return surenessOf(best) >= rankWeights.relevance.sentence ? best : whole
}

function surenessOf(ranked: readonly Ranked[]): number {
  return ranked[0]?.relevance ?? 0
}

/** The first meaningful sentences; none if the text is a single sentence. */
function sentencesOf(text: string): string[] {
  const sentences = text.split(/(?<=[.!?…:;])\s+|\n+/).filter((part) => tokenize(part).length >= fewestWords)
  return sentences.length < 2 ? [] : sentences.slice(0, mostSentences)
}

/** Which items replaced which. */
export type Succession = {
  /** The ids that replaced an item directly. */
  successorsOf(id: string): string[]
  /** The ids that currently replace an item: the ends of all its chains; its own id if nothing replaced it. */
  currentOf(id: string): string[]
}

/** Follows the links of items to their ends. With `asOf`, later replacements are ignored. */
export async function readSuccessors(index: IndexReader, ids: readonly string[], asOf?: number): Promise<Succession> {
  const known = new Map<string, StoredItem>()
  let wanted = [...new Set(ids)]
  while (wanted.length > 0) {
    const items = await index.items(wanted)
    for (const item of items) known.set(item.id, item)
    wanted = [...new Set(items.flatMap(({ supersededBy }) => supersededBy))].filter((id) => !known.has(id))
  }
  const wasThere = (id: string) => {
    const item = known.get(id)
    return item !== undefined && (asOf === undefined || item.at === undefined || item.at <= asOf)
  }
  const successorsOf = (id: string) => known.get(id)?.supersededBy.filter(wasThere) ?? []
  const endsOf = (id: string, passed: Set<string>): string[] => {
    if (passed.has(id)) return []
    passed.add(id)
    const successors = successorsOf(id)
    return successors.length === 0 ? [id] : successors.flatMap((next) => endsOf(next, passed))
  }
  return { successorsOf, currentOf: (id) => endsOf(id, new Set()) }
}
