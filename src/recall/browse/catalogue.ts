import { type Filterable, nameKey } from "../../formats/matches-query.ts"
import type { StoredItem } from "../../index/index-store.ts"
import type { Memory } from "../../store/memory.ts"
import { copyTest } from "../copy-test.ts"
import type { RecallParts } from "../recall-parts.ts"
import { type ItemRow, rowOfItem, rowOfMemory } from "./item-row.ts"

/** One thing in the catalogue; `indexRow` is its place in the index, where it is in it. */
export type Catalogued = {
  row: ItemRow
  /** All that is searched beside the title. */
  text: string
  /** The author and whoever contributed. */
  people: string[]
  /** The one agent whose it is; undefined: everybody's. Lower case. */
  owner: string | undefined
  filterable: Filterable
  indexRow: number | undefined
}

/** Everything that is remembered, the newest first, held in memory so that whoever types need not wait. */
export type Catalogue = {
  items: readonly Catalogued[]
  byId: ReadonlyMap<string, Catalogued>
  byIndexRow: ReadonlyMap<number, Catalogued>
  /** Another one when anything in it may have changed. */
  stamp: string
}

/** What was learned, ended or not; `stamp` is another when any of it has changed. */
export type LearnedMemories = { stamp(): Promise<string>; read(): Promise<Memory[]> }

/** Makes the catalogue when it is first asked for, and again when the index, what was learned, or the clock says so. */
export function openCatalogue(learned: LearnedMemories): (parts: RecallParts) => Promise<Catalogue> {
  let known: Promise<Catalogue> | undefined
  let stamp = ""
  let holdsUntil = Number.POSITIVE_INFINITY
  return async (parts) => {
    const now = parts.now().getTime()
    const current = `${await parts.index.version()} ${await learned.stamp()}`
    if (known && current === stamp && now < holdsUntil) return known
    stamp = current
    known = (async () => {
      const items = await parts.index.select({ agent: "*", superseded: true, archived: true }, { now })
      holdsUntil = Math.min(
        ...items.flatMap(({ expires }) => (expires !== undefined && expires > now ? expires : [])),
        Number.POSITIVE_INFINITY,
      )
      return { ...makeCatalogue(items, await learned.read(), now), stamp: current }
    })()
    return known
  }
}

function makeCatalogue(
  items: readonly StoredItem[],
  memories: readonly Memory[],
  now: number,
): Omit<Catalogue, "stamp"> {
  const memoryById = new Map(memories.map((memory) => [memory.id, memory]))
  const isCopy = copyTest()
  const inUse = items.filter((item) => !isCopy(item)).map((item) => catalogueItem(item, memoryById.get(item.id), now))
  const ended = memories.filter(({ status }) => status === "deprecated").map((memory) => catalogueMemory(memory, now))
  const all = [...inUse, ...ended]
  if (ended.length > 0) all.sort((one, other) => (other.row.at ?? 0) - (one.row.at ?? 0))
  return {
    items: all,
    byId: new Map([...all].reverse().map((each) => [each.row.id, each])), // of several with one id the first counts
    byIndexRow: new Map(inUse.map((each) => [each.indexRow as number, each])),
  }
}

function catalogueItem(item: StoredItem, memory: Memory | undefined, now: number): Catalogued {
  const row = rowOfItem(item, memory, now)
  const people = [item.author, ...item.contributors]
  return { row, text: item.text, people, owner: item.agent, filterable: filterableOf(row, people), indexRow: item.row }
}

function catalogueMemory(memory: Memory, now: number): Catalogued {
  const row = rowOfMemory(memory, now)
  return {
    row,
    text: memory.text,
    people: [row.author],
    owner: undefined,
    filterable: filterableOf(row, [row.author]),
    indexRow: undefined,
  }
}

function filterableOf(
  { type, source, status, id, scope, tags, flags, at }: ItemRow,
  people: readonly string[],
): Filterable {
  return {
    type,
    source,
    status,
    id: nameKey(id),
    scope: nameKey(scope),
    names: people.map(nameKey),
    tags: [...tags, ...flags].map(nameKey), // the index knows them as tags, too
    at: at ?? undefined,
  }
}
