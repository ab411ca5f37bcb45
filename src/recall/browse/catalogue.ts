import { type Filterable, nameKey } from "../../formats/matches-query.ts"
import type { StoredItem } from "../../index/index-store.ts"
import type { Memory } from "../../store/memory.ts"
import type { RecallParts } from "../recall-parts.ts"
import { learnedKey } from "../stamp.ts"
import { type ItemRow, rowOfItem, rowOfMemory } from "./item-row.ts"
import { keepLast } from "./keep-last.ts"

/** One thing in the catalogue. */
export type Catalogued = {
  row: ItemRow
  /** All that is searched beside the title. */
  text: string
  /** The author and whoever contributed. */
  people: string[]
  /** The one agent whose it is; undefined: everybody's. Lower case. */
  owner: string | undefined
  filterable: Filterable
}

/** Everything that is remembered, the newest first, held in memory so that whoever types need not wait. An id is in it once. */
export type Catalogue = {
  items: readonly Catalogued[]
  byId: ReadonlyMap<string, Catalogued>
  /** Another one when anything in it may have changed. */
  stamp: string
}

/** What was learned, ended or not; `stamp` is another when any of it has changed. */
export type LearnedMemories = { stamp(): Promise<string>; read(): Promise<Memory[]> }

/** What has expired since, or was not used for too long, shows within the hour. */
const hour = 3_600_000

/** Makes the catalogue when it is first asked for, and again what of it has changed: what stands in files, or what was learned. */
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

/** Of several with one id, such as a note whose archiving was cut short, the newest is listed. */
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

/** As the filters of a query see it; the team server says the same to its database. */
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
    tags: [...tags, ...flags].map(nameKey), // the index knows them as tags, too
    at: at ?? undefined,
  }
}
