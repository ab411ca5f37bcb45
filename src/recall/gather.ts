import type { Attributes, Filter, StoredItem } from "../index/index-store.ts"
import { findForTask } from "./find-for-task.ts"
import type { Ranked } from "./rank.ts"
import { readSuccession } from "./read-succession.ts"
import type { RecallParts } from "./recall-parts.ts"

/** An item that a context may be made of, and what speaks for it. */
export type Gathered = {
  item: StoredItem
  score: number
  relevance: number
  /** Whether it bears on the task; a rule is handed out all the same. */
  qualifies: boolean
  signals: Ranked["signals"] | undefined
  /** The id of an older item that bears on the task and in whose place this one stands. */
  insteadOf?: string
  /** A learned fact under a key: `named` when the task is an occasion for it, `any` when something else speaks for it. */
  keyed?: "named" | "any"
}

const newestWithoutTask = 40

/** More than any usual budget holds; whatever comes after them would not be shown. */
const mostLookedAt = 80

/** What `standingOf` takes for a rule. */
export const rules: Attributes[] = [
  { types: ["directive"] },
  { classes: ["POLICY"] },
  { classes: ["LOCAL"], loads: ["ALWAYS"] },
]

/** The newest of them: more fit into no context, and an index may hold hundreds of thousands. */
export const mostRules = 1000

/** Learned memories are gathered apart, by other rules; what a session noted down is handed on by the session itself, or once it has graduated. */
const written = { not: { sources: ["learned" as const, "session" as const] } }

/** The rules in force for an agent, what bears on its task (without one: the newest), and what came close; the best first. */
export async function gather(parts: RecallParts, agent: string | undefined, text: string): Promise<Gathered[]> {
  const now = parts.now().getTime()
  const mine: Filter = { agent, ...written }
  const inForce = await parts.index.select({ ...mine, anyOf: rules }, { now, limit: mostRules })
  const found = text.trim() === "" ? await newest(parts, mine, now) : await relevant(parts, mine, text)
  const seen = new Set(found.map(({ item }) => item.row))
  const others = inForce
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
    return item ? [{ item, score, relevance, qualifies, signals }] : []
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
      if (!own?.qualifies) gathered.set(item.row, { ...each, ...own, item, qualifies: true, insteadOf })
    }
    if (!gathered.has(each.item.row)) gathered.set(each.item.row, each)
  }
  return [...gathered.values()]
}

async function newest(parts: RecallParts, mine: Filter, now: number): Promise<Gathered[]> {
  const sources = ["decisions", "inbox", "memory", "policy", "history"] as const
  const items = await parts.index.select({ ...mine, sources: [...sources] }, { now, limit: newestWithoutTask })
  return items.map((item) => ({ item, score: 0, relevance: 0, qualifies: true, signals: undefined }))
}
