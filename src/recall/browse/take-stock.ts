import type { TaskComparison } from "../../learning/compare-tasks.ts"
import { mondayOf } from "../../squad/stats.ts"
import type { Memory } from "../../store/memory.ts"
import type { Trouble } from "../trouble.ts"
import type { Catalogue, Catalogued } from "./catalogue.ts"
import type { ItemRow } from "./item-row.ts"
import type { AgentSummary } from "./list-agents.ts"
import { flagNeeds, type Need, need } from "./needs.ts"

/** Totals, and what needs a review, most urgent first. */
export type Stock = {
  helping: TaskComparison & { hits: number; misses: number; regretSaved: number }
  learned: { onTrial: number; proven: number; ended: number }
  entries: { total: number; inForce: number; superseded: number; decisionsPerWeek: number }
  needs: Need[]
  best: ItemRow[]
  recent: ItemRow[]
}

export type StockSources = {
  catalogue: Catalogue & Trouble
  /** Read fresh: the catalogue does not track usage. */
  memories: readonly Memory[]
  agents: readonly AgentSummary[]
  comparison: TaskComparison
  /** The token budget of a context. */
  budget: number
  now: number
}

const mostShown = 6

export function takeStock({ catalogue, memories, agents, comparison, budget, now }: StockSources): Stock {
  const entries = catalogue.items.filter(isEntry)
  const countOf = (status: ItemRow["status"], items: readonly Catalogued[] = catalogue.items) =>
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
  return row.source !== "learned" && row.source !== "session" && row.source !== "skills"
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
  { items, unreadable, conflicts }: Catalogue & Trouble,
  agents: readonly AgentSummary[],
  budget: number,
): Need[] {
  const rows = items.map(({ row }) => row)
  const over = agents.filter(({ baseTokens }) => baseTokens > budget * 0.9)
  const count = (test: (row: ItemRow) => boolean) => rows.filter(test).length
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
