import type { Attributes, Filter, StoredItem } from "../index/index-store.ts"
import type { ItemSource } from "../index/item.ts"
import { findForTask } from "./find-for-task.ts"
import type { Ranked } from "./rank.ts"
import { readSuccession } from "./read-succession.ts"
import type { RecallParts } from "./recall-parts.ts"
import { foldersOf } from "./standing.ts"

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
const written = { not: { sources: ["learned" as const, "session" as const] } }

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
  const { currentOf } = await readSuccession(
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
