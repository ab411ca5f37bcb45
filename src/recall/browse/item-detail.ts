import type { Entry } from "../../formats/entry.ts"
import type { ItemStatus } from "../../formats/query-match.ts"
import type { ItemSource, StoredItem } from "../../index/index-store.ts"
import type { MemoryExplanation } from "../../memories/review/outlook.ts"

import type { Context } from "../context/context-builder.ts"
import { type ContextRecord, readContexts } from "../context/context-log.ts"
import { readPayload, sharedByOf } from "../payload.ts"
import type { RecallParts } from "../recall-parts.ts"
import { findRanked } from "../search/ranking.ts"
import type { ContextAnswer, LearnedDetail } from "./app-api.ts"
import { type Catalogue, type Catalogued, type ItemSummary, rowOfItem } from "./catalogue.ts"

/** One item with everything on record about it. */
export type ItemDescription = {
  row: ItemSummary
  /** Set when the requested id is a former id of the item. */
  formerId: string | undefined
  text: string
  /** Its lines in its file; undefined for items that are not in an entry file. */
  lines: { first: number; last: number } | undefined
  fields: { name: string; value: string }[]
  /** What it replaced, oldest first, and what replaced it, newest last. */
  older: ItemSummary[]
  newer: ItemSummary[]
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
    "Applies to": pathPrefix,
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

export type ItemGraph = {
  nodes: { id: string; title: string; type: string; status: ItemStatus; source: ItemSource }[]
  edges: GraphEdge[]
}

export type GraphEdge = {
  from: string
  to: string
  kind: "supersedes" | "refers to" | "similar" | "same task" | "graduated from"
}

type Centre = {
  known: Catalogued
  item: StoredItem | undefined
  entry: Entry | undefined
  older: readonly StoredItem[]
  newer: readonly StoredItem[]
  learned: MemoryExplanation | undefined
}

const mostAlike = 6
const mostOfTask = 8
const idInText = /\b(?:sem-[0-9a-f]{12}|m-[0-9a-f]{16})\b/g

/** The relations of an item: what it replaced, what it names, similar items, and items from the same task. */
async function drawRelated(
  parts: RecallParts,
  catalogue: Catalogue,
  { known, item, entry, older, newer, learned }: Centre,
  sources: Pick<DescribeSources, "learnedWith">,
): Promise<ItemGraph> {
  const { id } = known.row
  const edges: GraphEdge[] = [...older, ...newer, ...(item ? [item] : [])].flatMap((each) =>
    each.supersedes.map((to): GraphEdge => ({ from: each.id, to, kind: "supersedes" })),
  )
  const named = [...(entry?.related.map(({ identifier }) => identifier) ?? []), ...idsIn(known.text, entry)]
  for (const to of named) {
    const kind =
      catalogue.byId.get(to)?.row.source === "learned" && known.row.source !== "learned"
        ? "graduated from"
        : "refers to"
    edges.push({ from: id, to, kind })
  }
  for (const to of await alike(parts, known)) edges.push({ from: id, to, kind: "similar" })
  for (const episode of new Set(learned?.evidence.map(({ episode }) => episode))) {
    const others = (await sources.learnedWith(episode)).filter((other) => other !== id)
    for (const to of others.slice(0, mostOfTask)) edges.push({ from: id, to, kind: "same task" })
  }
  return toGraph(catalogue, known, edges)
}

function idsIn(text: string, entry: Entry | undefined): string[] {
  const extensions = entry?.extensions.map(({ value }) => value) ?? []
  return [text, ...extensions].flatMap((each) => each.match(idInText) ?? [])
}

/** The most similar relevant items, by words and meaning. */
async function alike(parts: RecallParts, { row, text }: Catalogued): Promise<string[]> {
  const about = text.startsWith(row.title) ? text : `${row.title}\n${text}`
  const ranked = await findRanked(parts, about.slice(0, 2000), { agent: "*", not: { sources: ["session"] } })
  return ranked
    .filter(({ candidate, qualifies }) => qualifies && candidate.id !== row.id)
    .slice(0, mostAlike)
    .map(({ candidate }) => candidate.id)
}

/** At most one edge between two items, the first one found; items outside the catalogue are skipped. */
function toGraph({ byId }: Catalogue, { row }: Catalogued, found: readonly GraphEdge[]): ItemGraph {
  const edges = new Map<string, GraphEdge>()
  for (const edge of found) {
    const key = [edge.from, edge.to].sort().join("\n")
    if (edge.from !== edge.to && byId.has(edge.from) && byId.has(edge.to) && !edges.has(key)) edges.set(key, edge)
  }
  const ids = new Set([row.id, ...[...edges.values()].flatMap(({ from, to }) => [from, to])])
  return {
    nodes: [...ids].flatMap((id) => {
      const shown = byId.get(id)?.row
      return shown ? [{ id, title: shown.title, type: shown.type, status: shown.status, source: shown.source }] : []
    }),
    edges: [...edges.values()],
  }
}

/** A learned memory as pages show it: its record, its next steps, its history. */
export function showLearned({
  memory,
  outlook,
  audit,
}: Pick<MemoryExplanation, "memory" | "outlook" | "audit">): LearnedDetail {
  const { kind, tier, confidence, polarity, metrics } = memory
  const { useCount, opportunities, passedOver, hits, misses, regretSaved, lastUsed, lastHit } = metrics
  const shown = {
    "handed out": useCount,
    "matching tasks": opportunities,
    skipped: passedOver,
    hits,
    misses,
    "errors saved": Math.round(regretSaved * 100) / 100,
    "last used": lastUsed,
    "last hit": lastHit,
  }
  return {
    kind,
    tier: tier.replaceAll("_", " "),
    confidence,
    polarity,
    metrics: Object.entries(shown).flatMap(([name, value]) =>
      value === undefined ? [] : { name, value: String(value) },
    ),
    outlook,
    history: audit.map(({ ts, action, reason }) => ({ at: ts, action, reason })),
  }
}

/** A context as pages show it, with all signals of each item. */
export function showContext(context: Context): ContextAnswer {
  const { text, tokens, budget, taskId, included, left } = context
  return {
    text,
    tokens,
    budget,
    taskId,
    included,
    left,
    explanation: context.explanation.map(
      ({ id, title, kept, reason, score, relevance, lane, tokens: cost, signals }) => ({
        id,
        title,
        kept,
        reason,
        score,
        relevance,
        lane: lane ?? null,
        tokens: cost ?? null,
        signals: Object.entries(signals ?? {}).flatMap(([name, value]) =>
          typeof value === "number" ? { name, value } : [],
        ),
      }),
    ),
  }
}
