import { type Filterable, nameKey } from "../../formats/matches-query.ts"
import type { StoredItem } from "../../index/index-store.ts"
import type { Memory } from "../../store/memory.ts"
import type { RecallParts } from "../recall-parts.ts"
import { learnedKey } from "../stamp.ts"
import { type ItemRow, rowOfItem, rowOfMemory } from "./item-row.ts"
import { keepLast } from "./keep-last.ts"

/** One item of the catalogue. */
export type Catalogued = {
  row: ItemRow
  /** All searchable text besides the title. */
  text: string
  /** The author and the contributors. */
  people: string[]
  /** The agent that the item belongs to, in lower case; undefined if it is for all. */
  owner: string | undefined
  filterable: Filterable
}

/** Every item, newest first, kept in memory for fast typing. Ids are unique. */
export type Catalogue = {
  items: readonly Catalogued[]
  byId: ReadonlyMap<string, Catalogued>
  /** Changes whenever the content may have changed. */
  stamp: string
}

/** All learned memories, active or ended; `stamp` changes with any of them. */
export type LearnedMemories = { stamp(): Promise<string>; read(): Promise<Memory[]> }

/** Expired and stale items show up within the hour. */
const hour = 3_600_000

/** Builds the catalogue on first use, and rebuilds the part that changed: items from files, or learned memories. */
export function openCatalogue(learned: LearnedMemories): (parts: RecallParts) => Promise<Catalogue> {
  const whole = keepLast<Catalogue>()
  const fromFiles = keepLast<Catalogued[]>()
  const fromWork = keepLast<Catalogued[]>()
  return async ({ index, now }) => {
    const clock = now().getTime()
    const hours = Math.floor(clock / hour)
    const learnedStamp = await learned.stamp()
    const stamp = `${hours} ${await index.version()} ${learnedStamp}`
    return whole(stamp, async () => {
      const origins = [...(await index.origins())].filter(([key]) => key !== learnedKey)
      const files = await fromFiles(JSON.stringify([hours, origins]), async () => {
        const everything = { agent: "*", superseded: true, archived: true, not: { sources: ["learned" as const] } }
        const items = await index.select(everything, { now: clock })
        return items.map((item) => catalogueItem(item, clock))
      })
      const work = await fromWork(`${hours} ${learnedStamp}`, async () =>
        (await learned.read()).map((memory) => catalogueMemory(memory, clock)),
      )
      return { ...join(files, work), stamp }
    })
  }
}

/** Of several items with one id, such as a note whose archiving was interrupted, the newest is listed. */
function join(files: readonly Catalogued[], work: readonly Catalogued[]): Omit<Catalogue, "stamp"> {
  const byId = new Map<string, Catalogued>()
  for (const each of [...files, ...work]) if (!byId.has(each.row.id)) byId.set(each.row.id, each)
  const earliest = Number.NEGATIVE_INFINITY
  const items = [...byId.values()].sort((one, other) => (other.row.at ?? earliest) - (one.row.at ?? earliest) || 0)
  return { items, byId }
}

function catalogueItem(item: StoredItem, now: number): Catalogued {
  const row = rowOfItem(item, now)
  const people = [item.author, ...item.contributors]
  return { row, text: item.text, people, owner: item.agent, filterable: filterableOf(row, people) }
}

function catalogueMemory(memory: Memory, now: number): Catalogued {
  const row = rowOfMemory(memory, now)
  const people = [row.author]
  return { row, text: memory.text, people, owner: undefined, filterable: filterableOf(row, people) }
}

/** The item as query filters see it; the team server does the same in SQL. */
export function filterableOf(
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
    tags: [...tags, ...flags].map(nameKey), // the index stores them as tags too
    at: at ?? undefined,
  }
}
