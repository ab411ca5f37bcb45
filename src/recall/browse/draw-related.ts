import type { Entry } from "../../formats/entry.ts"
import type { ItemStatus } from "../../formats/item-status.ts"
import type { StoredItem } from "../../index/index-store.ts"
import type { ItemSource } from "../../index/item.ts"
import type { MemoryExplanation } from "../../learning/explain-memory.ts"
import { findRanked } from "../find-ranked.ts"
import type { RecallParts } from "../recall-parts.ts"
import type { Catalogue, Catalogued } from "./catalogue.ts"
import type { DescribeSources } from "./describe-item.ts"

export type ItemGraph = {
  nodes: { id: string; title: string; type: string; status: ItemStatus; source: ItemSource }[]
  edges: GraphEdge[]
}

export type GraphEdge = {
  from: string
  to: string
  kind: "supersedes" | "refers to" | "like" | "same task" | "graduated from"
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
export async function drawRelated(
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
  for (const to of await alike(parts, known)) edges.push({ from: id, to, kind: "like" })
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
