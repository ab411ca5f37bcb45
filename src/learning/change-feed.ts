import { statSync } from "node:fs"
import { sha256 } from "../disk/hash.ts"
import type { LearnedStore } from "../memories/learned-store.ts"
import type { Memory } from "../memories/memory.ts"
import { readStore, type StoreEntry } from "../team/team-entries.ts"
import { listEntryFiles } from "../team/team-files.ts"
import { findStore, type TeamStore } from "../team/team-folder.ts"
import type { LearningProject } from "./learning-parts.ts"

/** One remembered item in its current state; a different `content` means that it changed. */
export type FeedItem = {
  what: "memory" | "entry"
  /** An entry's type or a memory's kind. */
  type: string
  id: string
  /** undefined for a global memory. */
  project: string | undefined
  title: string
  status: string
  /** The state of a new item. */
  firstStatus: string
  /** The item is no longer handed out: superseded, archived, deprecated. */
  ended: boolean
  content: string
}

/** A source of items; `stamp` is cheap and changes whenever an item may have changed. */
export type FeedSource = { name: string; stamp(): Promise<string>; items(): Promise<FeedItem[]> }

export type ChangeEvent = {
  event: "appeared" | "changed" | "ended"
  what: "memory" | "entry"
  type: string
  id: string
  project: string | null
  title: string
  status: string
  at: string
}

export type ChangeFeed = {
  /**
   * Returns what was added, changed or ended since the last call; the first call only takes a snapshot.
   * @example const events = await feed.next()
   */
  next(): Promise<ChangeEvent[]>
}

type KnownSource = { stamp: string; items: Map<string, FeedItem> }

/** Reports every item that is added, changed or ended by any process, by comparing snapshots. */
export function openChangeFeed(listSources: () => Promise<FeedSource[]>, now: () => Date): ChangeFeed {
  let known = new Map<string, KnownSource>()
  const look = async ({ name, stamp, items }: FeedSource): Promise<KnownSource> => {
    const before = known.get(name)
    const current = await stamp() // read before the items: changes in between are seen next time
    if (before?.stamp === current) return before
    return { stamp: current, items: new Map((await items()).map((item) => [item.id, item])) }
  }
  return {
    async next() {
      const seen = new Map<string, KnownSource>()
      const events: ChangeEvent[] = []
      for (const source of await listSources()) {
        const before = known.get(source.name)
        const current = await look(source)
        seen.set(source.name, current)
        if (!before || current === before) continue // the initial items of a project are not changes
        events.push(...compare(before.items, current.items, now().toISOString()))
      }
      known = seen
      return events
    },
  }
}

function compare(
  before: ReadonlyMap<string, FeedItem>,
  current: ReadonlyMap<string, FeedItem>,
  at: string,
): ChangeEvent[] {
  const appearedOrChanged = [...current.values()].flatMap((item) => whatBecameOf(before.get(item.id), item, at))
  const gone = [...before.values()]
    .filter(({ id, ended }) => !ended && !current.has(id))
    .map((item) => toEvent("ended", { ...item, status: "gone" }, at))
  return [...appearedOrChanged, ...gone]
}

function whatBecameOf(before: FeedItem | undefined, item: FeedItem, at: string): ChangeEvent[] {
  const tell = (event: ChangeEvent["event"], told = item) => toEvent(event, told, at)
  if (!before && item.ended) return [tell("appeared", { ...item, status: item.firstStatus }), tell("ended")]
  if (!before || (before.ended && !item.ended)) return [tell("appeared")]
  if (!before.ended && item.ended) return [tell("ended")]
  const isSame = before.content === item.content && before.status === item.status && before.title === item.title
  return isSame ? [] : [tell("changed")]
}

function toEvent(event: ChangeEvent["event"], item: FeedItem, at: string): ChangeEvent {
  const { what, type, id, project, title, status } = item
  return { event, what, type, id, project: project ?? null, title, status, at }
}

/** All learned memories of all projects. A use does not count as a change. */
export function memorySource(store: LearnedStore, projects: readonly LearningProject[]): FeedSource {
  return {
    name: "memories",
    async stamp() {
      const versions = []
      for (const { id } of projects) versions.push(`${id} ${await store.version(id)}`)
      return versions.join("\n")
    },
    items: async () => (await store.memories({})).map(itemOfMemory),
  }
}

/** The team entries of a project. */
export function entrySource(project: LearningProject, home: string, now: () => Date): FeedSource {
  return {
    name: `entries ${project.id}`,
    stamp: async () => looksOf(findStore(project.root, home)),
    async items() {
      const { entries } = readStore(findStore(project.root, home), now())
      return entries.map((entry) => itemOfEntry(entry, project.id))
    },
  }
}

function looksOf({ folders }: TeamStore): string {
  const files = folders.flatMap(listEntryFiles)
  const looks = files.map(({ path, absolute }) => {
    const found = statSync(absolute, { bigint: true, throwIfNoEntry: false })
    return found ? `${path} ${found.size} ${found.mtimeNs} ${found.ctimeNs} ${found.ino}` : path
  })
  return sha256(looks.join("\n"))
}

function itemOfMemory({ id, kind, project, text, status, version, tier, flags, pinned, expires }: Memory): FeedItem {
  const content = JSON.stringify([version, tier, flags, pinned, expires])
  const ended = status === "deprecated"
  return { what: "memory", type: kind, id, project, title: text, status, firstStatus: "provisional", ended, content }
}

function itemOfEntry({ id, entry, source, supersededBy }: StoreEntry, project: string): FeedItem {
  const status = supersededBy.length > 0 ? "superseded" : source
  const ended = supersededBy.length > 0 || source === "archive"
  const content = sha256(JSON.stringify(entry))
  return {
    what: "entry",
    type: entry.type,
    id,
    project,
    title: entry.title,
    status,
    firstStatus: source,
    ended,
    content,
  }
}
