import type { Entry } from "../../formats/entry.ts"
import type { StoredItem } from "../../index/index-store.ts"
import type { MemoryExplanation } from "../../learning/explain-memory.ts"
import type { LearnedDetail } from "../../web/api.ts"
import { type ContextRecord, readContexts } from "../context-log.ts"
import { sharedByOf } from "../learned-payload.ts"
import { readPayload } from "../payload.ts"
import type { RecallParts } from "../recall-parts.ts"
import type { Catalogue } from "./catalogue.ts"
import { drawRelated, type ItemGraph } from "./draw-related.ts"
import { type ItemRow, rowOfItem } from "./item-row.ts"
import { showLearned } from "./show-learned.ts"

/** One item with everything on record about it. */
export type ItemDescription = {
  row: ItemRow
  /** Set when the requested id is a former id of the item. */
  formerId: string | undefined
  text: string
  /** Its lines in its file; undefined for items that are not in an entry file. */
  lines: { first: number; last: number } | undefined
  fields: { name: string; value: string }[]
  /** What it replaced, oldest first, and what replaced it, newest last. */
  older: ItemRow[]
  newer: ItemRow[]
  related: ItemGraph
  uses: ItemUse[]
  learned: MemoryExplanation | undefined
  /** The same, as text and figures for a page. */
  earned: LearnedDetail | undefined
}

/** One time the item was given to an agent, with the outcome if known. */
export type ItemUse = {
  taskId: string
  at: string
  agent: string | undefined
  client: string | undefined
  session: string | undefined
  rank: number | undefined
  reason: string | undefined
  outcome: "hit" | "miss" | "helped" | "wrong" | undefined
}

export type DescribeSources = {
  /** Path of the context log. */
  contexts: string
  /** Undefined when no memory has this id. */
  explainMemory(id: string): Promise<MemoryExplanation | undefined>
  /** Ids of memories learned from the same task. */
  learnedWith(episode: string): Promise<string[]>
}

/** Undefined when no item has or had this id. */
export async function describeItem(
  parts: RecallParts,
  catalogue: Catalogue,
  sources: DescribeSources,
  id: string,
): Promise<ItemDescription | undefined> {
  const [item] = await parts.index.items([id])
  const known = catalogue.byId.get(item?.id ?? id)
  if (!known) return undefined
  const { row, text } = known
  const learned = row.source === "learned" ? await sources.explainMemory(row.id) : undefined
  const older = item ? await walk(parts, item, "supersedes") : []
  const newer = item ? await walk(parts, item, "supersededBy") : []
  const now = parts.now().getTime()
  const rowOf = (each: StoredItem) => catalogue.byId.get(each.id)?.row ?? rowOfItem(each, now)
  const payload = item && readPayload(item)
  const read = payload?.kind === "entry" ? payload.read : undefined
  return {
    row,
    formerId: row.id === id ? undefined : id,
    text,
    lines: read && { first: read.line, last: read.endLine },
    fields: [...(item ? fieldsOfItem(item) : []), ...(read ? fieldsOfEntry(read.entry) : [])],
    older: older.map(rowOf).reverse(),
    newer: newer.map(rowOf),
    related: await drawRelated(parts, catalogue, { known, item, entry: read?.entry, older, newer, learned }, sources),
    uses: usesOf(readContexts(sources.contexts), new Set([id, row.id]), learned),
    learned,
    earned: learned && showLearned(learned),
  }
}

const mostSteps = 50

/** All predecessors or successors over any number of steps; nearest first. */
async function walk(
  parts: RecallParts,
  start: StoredItem,
  direction: "supersedes" | "supersededBy",
): Promise<StoredItem[]> {
  const seen = new Set([start.id])
  const found: StoredItem[] = []
  let next = start[direction]
  for (let step = 0; step < mostSteps && next.length > 0; step++) {
    const items = (await parts.index.items(next)).filter(({ id }) => !seen.has(id))
    for (const item of items) seen.add(item.id)
    found.push(...items)
    next = items.flatMap((item) => item[direction])
  }
  return found
}

function fieldsOfItem(item: StoredItem) {
  const { class: memoryClass, load, contributors, agent, pathPrefix, expires, governed } = item
  return listFields({
    "Shared by": sharedByOf(item),
    Contributors: contributors.join(", "),
    "For the agent": agent,
    "For work in": pathPrefix,
    "Review due": expires === undefined ? undefined : new Date(expires).toISOString().slice(0, 10),
    Class: governed ? memoryClass : undefined,
    Loaded: governed ? load.toLowerCase() : undefined,
  })
}

function fieldsOfEntry({ related, review, extensions, precision }: Entry) {
  return [
    ...listFields({
      Related: related.map(({ type, identifier }) => `${type} ${identifier}`).join(", "),
      Review: review,
      Date: precision === "day" ? "only the day is known" : undefined,
    }),
    ...extensions.map(({ name, value }) => ({ name, value })),
  ]
}

function listFields(fields: Record<string, string | undefined>): { name: string; value: string }[] {
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined || value === "" ? [] : { name, value }))
}

/** The log has the reason, the ledger the outcome; newest first. */
function usesOf(
  contexts: readonly ContextRecord[],
  names: ReadonlySet<string>,
  learned: MemoryExplanation | undefined,
): ItemUse[] {
  const outcomes = new Map(learned?.uses.map((use) => [use.task, use]))
  const logged = contexts.flatMap((record): ItemUse[] => {
    const used = record.items.find(({ id }) => names.has(id))
    if (!used) return []
    const { taskId, at, agent, client, session } = record
    return [
      {
        taskId,
        at,
        agent,
        client,
        session,
        rank: used.rank,
        reason: used.reason,
        outcome: outcomes.get(taskId)?.outcome,
      },
    ]
  })
  const known = new Set(logged.map(({ taskId }) => taskId))
  const ledger = (learned?.uses ?? [])
    .filter(({ injected, task }) => injected && !known.has(task))
    .map(({ task, ts, session, rank, outcome }): ItemUse => {
      return { taskId: task, at: ts, agent: undefined, client: undefined, session, rank, reason: undefined, outcome }
    })
  return [...logged, ...ledger].sort((one, other) => (one.at < other.at ? 1 : -1))
}
