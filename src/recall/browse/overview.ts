import { quantity } from "../../formats/text.ts"
import type { TaskComparison } from "../../memories/learned-store.ts"
import type { Memory } from "../../memories/memory.ts"
import { mondayOf } from "../../team/team-stats.ts"
import type { ReadProblems } from "../sync/origins.ts"
import type { AgentSummary } from "./agents.ts"
import type { Catalogue, Catalogued, ItemSummary } from "./catalogue.ts"

/** Totals, and what needs a review, most urgent first. */
export type StoreOverview = {
  helping: TaskComparison & { hits: number; misses: number; regretSaved: number }
  learned: { onTrial: number; proven: number; ended: number }
  entries: { total: number; inForce: number; superseded: number; decisionsPerWeek: number }
  needs: Need[]
  best: ItemSummary[]
  recent: ItemSummary[]
}

export type StockSources = {
  catalogue: Catalogue & ReadProblems
  /** Read fresh: the catalogue does not track usage. */
  memories: readonly Memory[]
  agents: readonly AgentSummary[]
  comparison: TaskComparison
  /** The token budget of a context. */
  budget: number
  now: number
}

const mostShown = 6

export function buildStoreOverview({
  catalogue,
  memories,
  agents,
  comparison,
  budget,
  now,
}: StockSources): StoreOverview {
  const entries = catalogue.items.filter(isEntry)
  const countOf = (status: ItemSummary["status"], items: readonly Catalogued[] = catalogue.items) =>
    items.filter(({ row }) => row.status === status).length
  const metrics = memories.map((memory) => memory.metrics)
  return {
    helping: {
      hits: sum(metrics.map(({ hits }) => hits)),
      misses: sum(metrics.map(({ misses }) => misses)),
      regretSaved: Math.round(sum(metrics.map(({ regretSaved }) => regretSaved)) * 100) / 100,
      ...comparison,
    },
    learned: { onTrial: countOf("on trial"), proven: countOf("proven"), ended: countOf("ended") },
    entries: {
      total: entries.length,
      inForce: countOf("in force", entries) + countOf("expired", entries),
      superseded: countOf("superseded", entries),
      decisionsPerWeek: decisionsPerWeek(entries, now),
    },
    needs: needsOf(catalogue, agents, budget),
    best: bestOf(memories).flatMap(({ id }) => catalogue.byId.get(id)?.row ?? []),
    recent: catalogue.items
      .filter(({ row }) => row.source !== "session" && row.status !== "ended" && (row.at ?? 0) <= now + day)
      .slice(0, mostShown)
      .map(({ row }) => row),
  }
}

const day = 86_400_000
const weeksCounted = 12

function isEntry({ row }: Catalogued): boolean {
  return row.source !== "learned" && row.source !== "session" && row.source !== "docs" && row.type !== "skill"
}

/** Mean over the last weeks. */
function decisionsPerWeek(entries: readonly Catalogued[], now: number): number {
  const start = mondayOf(now) - (weeksCounted - 1) * 7 * day
  const made = entries.filter(
    ({ row }) => row.type === "decision" && row.at !== null && row.at >= start && row.at <= now,
  )
  return Math.round((made.length / weeksCounted) * 10) / 10
}

/** Memories that helped, most useful first. */
function bestOf(memories: readonly Memory[]): Memory[] {
  const rank = ({ status, metrics }: Memory) =>
    Number(status === "active") * 1000 + metrics.hits * 10 + metrics.useCount
  return memories
    .filter(({ status, metrics }) => status !== "deprecated" && metrics.useCount + metrics.hits > 0)
    .sort((one, other) => rank(other) - rank(one))
    .slice(0, mostShown)
}

function needsOf(
  { items, unreadable, conflicts }: Catalogue & ReadProblems,
  agents: readonly AgentSummary[],
  budget: number,
): Need[] {
  const rows = items.map(({ row }) => row)
  const over = agents.filter(({ baseTokens }) => baseTokens > budget * 0.9)
  const count = (test: (row: ItemSummary) => boolean) => rows.filter(test).length
  return [
    ...need("broken", unreadable.length, "file cannot be read", "files cannot be read"),
    ...need("conflict", conflicts.length, "merge conflict hides entries", "merge conflicts hide entries"),
    ...need(
      "inbox",
      count(({ status }) => status === "proposed"),
      "proposal is waiting in the inbox",
      "proposals are waiting in the inbox",
    ),
    ...flagNeeds((flag) => count(({ flags, status }) => status !== "ended" && flags.includes(flag))),
    ...need(
      "expired",
      count(({ status }) => status === "expired"),
      "item is due for review",
      "items are due for review",
      "status:expired",
    ),
    ...need(
      "over budget",
      over.length,
      "agent starts with a nearly full context",
      "agents start with a nearly full context",
    ),
  ]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

/** Something for the user to review. `query` finds the items, if there are any. */
export type Need = {
  kind: "inbox" | "conflict" | "expired" | "stale" | "over budget" | "review" | "broken"
  count: number
  text: string
  query: string | undefined
}

/** A list of one, or empty if the count is zero. */
export function need(kind: Need["kind"], count: number, one: string, many: string, query?: string): Need[] {
  return count === 0 ? [] : [{ kind, count, text: quantity(count, one, many), query }]
}

/** What the flags of memories require; `count` returns how many active memories have a flag. */
export function flagNeeds(count: (flag: string) => number): Need[] {
  return flags.flatMap(([flag, kind, one, many]) => need(kind, count(flag), one, many, `tag:${flag}`))
}

/** What a flag of a memory requires. */
const flags: [flag: string, kind: Need["kind"], one: string, many: string][] = [
  ["conflict", "conflict", "memory contradicts another", "memories contradict others"],
  ["review", "review", "memory was reported as wrong", "memories were reported as wrong"],
  ["misses", "review", "memory was used and did not help", "memories were used and did not help"],
  [
    "withheld",
    "review",
    "proven memory cannot be shared in its current form",
    "proven memories cannot be shared in their current form",
  ],
  ["share", "review", "memory was meant for the team", "memories were meant for the team"],
  ["stale", "stale", "memory has not been used for three months", "memories have not been used for three months"],
]

/** Dated items, oldest first, by column; `type` is an index into `types`. */
export type ItemTimeline = {
  types: string[]
  at: number[]
  type: number[]
  ids: string[]
  /** Per week: decisions, added items, and the total at its end. */
  weeks: { start: number; decisions: number; added: number; total: number }[]
}

const week = 7 * 86_400_000
/** Ten years; older items count only in the total. */
const mostWeeks = 520

export function makeTimeline(
  found: readonly { row: Pick<ItemSummary, "id" | "at" | "type" | "source"> }[],
): ItemTimeline {
  const dated = found
    .flatMap(({ row }) => (row.at === null ? [] : { at: row.at, type: row.type, id: row.id, source: row.source }))
    .sort((one, other) => one.at - other.at)
  const types = [...new Set(dated.map(({ type }) => type))].sort()
  const placeOf = new Map(types.map((type, place) => [type, place]))
  return {
    types,
    at: dated.map(({ at }) => at),
    type: dated.map(({ type }) => placeOf.get(type) ?? 0),
    ids: dated.map(({ id }) => id),
    weeks: countWeeks(
      dated.map(({ at, type, source }) => ({ at, isDecision: type === "decision" && source !== "session" })),
    ),
  }
}

function countWeeks(dated: readonly { at: number; isDecision: boolean }[]): ItemTimeline["weeks"] {
  const [first] = dated
  const last = dated.at(-1)
  if (!first || !last) return []
  const end = mondayOf(last.at)
  const start = Math.max(mondayOf(first.at), end - (mostWeeks - 1) * week)
  const weeks = Array.from({ length: (end - start) / week + 1 }, (_, at) => ({
    start: start + at * week,
    decisions: 0,
    added: 0,
    total: 0,
  }))
  let total = 0
  for (const { at, isDecision } of dated) {
    const counted = weeks[Math.floor((at - start) / week)]
    if (!counted) {
      total++
      continue
    }
    counted.added++
    if (isDecision) counted.decisions++
  }
  for (const each of weeks) {
    total += each.added
    each.total = total
  }
  return weeks
}
