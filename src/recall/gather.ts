import type { Attributes, Filter, StoredItem } from "../index/index-store.ts"
import type { ItemSource } from "../index/item.ts"
import { findForTask } from "./find-for-task.ts"
import type { Ranked } from "./rank.ts"
import { readSuccession } from "./read-succession.ts"
import type { RecallParts } from "./recall-parts.ts"
import { foldersOf } from "./standing.ts"

/** An item that a context may be made of, and what speaks for it. */
export type Gathered = {
  item: StoredItem
  score: number
  relevance: number
  /** Whether it bears on the task; a rule is handed out all the same. */
  qualifies: boolean
  signals: Ranked["signals"] | undefined
  /** How near its passages are to the task, to choose from them; none without vectors. */
  passages?: readonly number[]
  /** The id of an older item that bears on the task and in whose place this one stands. */
  insteadOf?: string
  /** The id of an older memory that says the opposite and is left out for this one. */
  contradicts?: string
  /** A learned fact under a key: `named` when the task is an occasion for it, `any` when something else speaks for it. */
  keyed?: "named" | "any"
}

/** An agent's own history is long: it must not take the places of what the team has decided. */
const teamSources = [["decisions", "memory", "policy"], ["history"]] as const

/** More than any usual budget holds, even at a line each. */
const mostLookedAt = 120
const mostActive = 120

/** What `standingOf` takes for a rule. */
export const rules: Attributes[] = [
  { types: ["directive"] },
  { classes: ["POLICY"] },
  { loads: ["ALWAYS"], marked: true },
]

/** The newest of them: more fit into no context, and an index may hold hundreds of thousands. */
export const mostRules = 1000

/** Learned memories are gathered apart, by other rules; what a session noted down is handed on by the session itself, or once it has graduated. */
const written = { not: { sources: ["learned" as const, "session" as const] } }

/** Everything active that an agent may be shown: what is relevant to its task first, then all rules and the newest entries. */
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

/** Before an item that bears on the task and was replaced comes what stands in its place, whatever words that is in. */
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
