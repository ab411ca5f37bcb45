import type { Filterable, ItemStatus } from "../../formats/query-match.ts"
import { relatedKeys } from "../../formats/related-keys.ts"
import { nameKey } from "../../formats/source-text.ts"
import type { ItemSource, StoredItem } from "../../index/index-store.ts"
import type { Memory } from "../../memories/memory.ts"
import { isPinned } from "../../team/archive/retention.ts"
import { readPayload, statusOfItem } from "../payload.ts"
import type { RecallParts } from "../recall-parts.ts"
import { learnedKey } from "../sync/origins.ts"

/** One item of the catalogue. */
export type Catalogued = {
  row: ItemSummary
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
  return {
    row,
    text: item.text,
    people,
    owner: item.agent,
    filterable: filterableOf(row, people, { related: relatedOf(item), item }),
  }
}

/** What an entry names as related, which only its payload knows. */
function relatedOf(item: StoredItem): string[] {
  if (!item.payload.includes('"related":[{')) return [] // nearly all: not worth reading
  const payload = readPayload(item)
  return payload.kind === "entry" ? relatedKeys(payload.read.entry.related) : []
}

function catalogueMemory(memory: Memory, now: number): Catalogued {
  const row = rowOfMemory(memory, now)
  const people = [row.author]
  return { row, text: memory.text, people, owner: undefined, filterable: filterableOf(row, people) }
}

/** The item as query filters see it; the team server does the same in SQL. */
export function filterableOf(
  { type, source, status, id, scope, tags, flags, at, title }: ItemSummary,
  people: readonly string[],
  { related = [], item }: { related?: readonly string[]; item?: StoredItem } = {},
): Filterable {
  const session = item?.source === "session" ? readPayload(item) : undefined
  return {
    type,
    source,
    status,
    related,
    id: nameKey(id),
    scope: nameKey(scope),
    names: people.map(nameKey),
    tags: [...tags, ...flags].map(nameKey), // the index stores them as tags too
    at: at ?? undefined,
    text: () => `${title}\n${item?.text ?? ""}`,
    ...(session?.kind === "session" ? { session: session.session } : {}),
  }
}

/** Any item as one row of a list. */
export type ItemSummary = {
  id: string
  source: ItemSource
  type: string
  status: ItemStatus
  title: string
  author: string
  scope: string
  tags: string[]
  at: number | null
  path: string
  line: number
  pinned: boolean
  /** Reasons for a review: `conflict`, `review`, `stale`… */
  flags: string[]
}

/** The row of an item from a file. */
export function rowOfItem(item: StoredItem, now: number): ItemSummary {
  const { id, source, type, title, author, scope, tags, path, line } = item
  const status = statusOfItem(item, item.supersededBy, now)
  const flags = [...(status === "expired" ? ["expired"] : []), ...(isForReview(item) ? ["review"] : [])]
  const at = item.at ?? null
  return { id, source, type, status, title, author, scope, tags, at, path, line, pinned: isItemPinned(item), flags }
}

/** A pinned governed memory is always loaded; a pinned entry has a tag. */
function isItemPinned({ source, governed, load, tags }: StoredItem): boolean {
  const isMemory = source === "memory" || source === "policy" || (source === "inbox" && governed)
  return isMemory ? load === "ALWAYS" : isPinned({ tags })
}

function isForReview(item: StoredItem): boolean {
  if (!item.payload.includes('"review":')) return false // true for nearly all: skip parsing
  const payload = readPayload(item)
  return payload.kind === "entry" && payload.read.entry.review !== undefined
}

/** The row of a learned memory, including those that ended and are not indexed. */
export function rowOfMemory(memory: Memory, now: number): ItemSummary {
  const { id, kind, text, scope, key, created, pinned, flags, expires, status } = memory
  const isExpired = expires !== undefined && Date.parse(expires) <= now
  const learnedStatus = { provisional: "on trial", active: "proven", deprecated: "ended" } as const
  return {
    id,
    source: "learned",
    type: kind,
    status: status !== "deprecated" && isExpired ? "expired" : learnedStatus[status],
    title: text,
    author: memory.contributedBy ?? memory.owner.id,
    scope,
    tags: key === undefined ? [] : [key],
    at: Date.parse(created),
    path: "",
    line: 0,
    pinned,
    flags: isStale(memory, now) ? [...flags, "stale"] : flags,
  }
}

export const staleAfterMs = 90 * 86_400_000

/** Active, but not used for months. */
function isStale({ status, pinned, created, metrics }: Memory, now: number): boolean {
  return status !== "deprecated" && !pinned && now - Date.parse(metrics.lastUsed ?? created) > staleAfterMs
}

/** Caches the last value by key; concurrent callers share one computation. */
export function keepLast<Value>(): (key: string, make: () => Promise<Value>) => Promise<Value> {
  let kept: { key: string; value: Promise<Value> } | undefined
  return (key, make) => {
    if (kept?.key === key) return kept.value
    const value = make()
    const made = { key, value }
    kept = made
    value.catch(() => {
      if (kept === made) kept = undefined // the next call retries; the waiting callers report this error
    })
    return value
  }
}
