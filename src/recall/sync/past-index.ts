import { countCommits, historyHead, listCommits, readCommits } from "../../disk/git-log.ts"
import type { IndexStore, Item } from "../../index/index-store.ts"
import type { SummarizedConversation } from "../../memories/conversations.ts"
import { itemOfCommit, itemOfConversation, shortId } from "./past-items.ts"

/** The conversations of a project, as the index takes them in: by month, each with a stamp that changes with them. */
export type ConversationSource = {
  months(): Map<string, string>
  read(month: string): Promise<SummarizedConversation[]>
}

export type PastSources = {
  /** The checkout. */
  root: string
  /** Undefined while no transcript has been read. */
  conversations: ConversationSource | undefined
}

export type PastOptions = {
  /** From nothing. */
  again?: boolean
  /** Stops between two chunks of commits once this is aborted; the next call continues. */
  signal?: AbortSignal
  /** Called with the number of commits indexed so far, and of all. */
  progress?: ((done: number, total: number) => void) | undefined
}

/** How much of a history is indexed: the newest commits. */
export const mostCommits = 50_000
const chunkSize = 500
/** A chunk smaller than this takes in the next commits, so that single commits do not become single chunks. */
const smallChunk = 100

/** Commits are kept in chunks: an origin each, whose stamp is the list of their ids. `commits` itself has no items. */
const commitsKey = "commits"
const chunkKey = (first: string) => `${commitsKey} ${first}`
const monthKey = (month: string) => `conversations ${month}`

/** Up to where the history is indexed, and how many of its commits are not yet. */
type CommitsStamp = { stamp: string; head: string; left: number }

/**
 * Brings the index of what was said and done up to date: the months of conversations that changed, and the commits that
 * came or went. Returns how many commits are left to index.
 */
export async function syncPast(index: IndexStore, sources: PastSources, options: PastOptions = {}): Promise<number> {
  if (options.again) await index.rebuild([])
  const known = await index.origins()
  await syncConversations(index, sources.conversations, known)
  const head = await historyHead(sources.root)
  const before = readStamp(known.get(commitsKey))
  if (head?.stamp === before?.stamp && (before?.left ?? 0) === 0) return 0
  return syncCommits(index, { root: sources.root, head, before, known }, options)
}

/** Whether nothing was said or committed since the index was updated. */
export async function isPastCurrent(
  known: ReadonlyMap<string, string>,
  { root, months }: { root: string; months: ReadonlyMap<string, string> },
): Promise<boolean> {
  const indexed = [...known].filter(([key]) => key.startsWith(monthKey("")))
  if (indexed.length !== months.size || [...months].some(([month, stamp]) => known.get(monthKey(month)) !== stamp))
    return false
  const before = readStamp(known.get(commitsKey))
  return (before?.left ?? 0) === 0 && (await historyHead(root))?.stamp === before?.stamp
}

/** How many commits are indexed, and how many will be. */
export type HistoryState = { indexed: number; total: number }

export async function historyState(
  index: Pick<IndexStore, "origins"> | undefined,
  root: string,
): Promise<HistoryState> {
  const indexed = index ? [...idsIn(await index.origins()).values()].flat().length : 0
  return { indexed, total: Math.max(indexed, await countCommits(root, mostCommits)) }
}

function readStamp(text: string | undefined): CommitsStamp | undefined {
  return text === undefined ? undefined : JSON.parse(text) // written only below
}

async function syncConversations(
  index: IndexStore,
  source: ConversationSource | undefined,
  known: ReadonlyMap<string, string>,
): Promise<void> {
  const months = source?.months() ?? new Map<string, string>()
  const keys = new Set([...months.keys()].map(monthKey))
  const gone = [...known.keys()].filter((key) => key.startsWith(monthKey("")) && !keys.has(key))
  for (const [month, stamp] of [...months].reverse()) {
    const key = monthKey(month)
    if (!source || known.get(key) === stamp) continue
    await index.update(
      [{ key, stamp, items: (await source.read(month)).map(itemOfConversation) }],
      [],
      ofKeys(known, [key]),
    )
  }
  if (gone.length > 0) await index.update([], gone, ofKeys(known, gone))
}

/** Another process may index the same: what it has written meanwhile is left to it. */
function ofKeys(known: ReadonlyMap<string, string>, keys: readonly string[]): ReadonlyMap<string, string> {
  return new Map(keys.flatMap((key) => (known.has(key) ? [[key, known.get(key) as string]] : [])))
}

type CommitWork = {
  root: string
  head: { head: string; stamp: string } | undefined
  before: CommitsStamp | undefined
  known: Map<string, string>
}

async function syncCommits(index: IndexStore, work: CommitWork, { signal, progress }: PastOptions): Promise<number> {
  const { root, head, before, known } = work
  const chunks = idsIn(known)
  const { fresh, all } = await listFresh(work, chunks)
  // A rewritten history: the rest of a chunk is read again.
  for (const [key, ids] of chunks) {
    const left = all ? ids.filter((id) => all.has(id)) : ids
    if (left.length === ids.length) continue
    await putChunk(index, known, key, left.length === 0 ? undefined : { root, ids: left })
    if (left.length === 0) chunks.delete(key)
    else chunks.set(key, left)
  }
  let done = [...chunks.values()].flat().length
  const total = done + fresh.length
  const [small] = [...chunks].filter(([, ids]) => ids.length < smallChunk)
  // After the first time there are mostly one or two: they join the last small chunk.
  if (small && fresh.length > 0 && fresh.length < smallChunk) {
    const [key, ids] = small
    done += fresh.length
    await putChunk(index, known, key, { root, ids: [...fresh.splice(0), ...ids] })
  }
  while (fresh.length > 0 && !signal?.aborted) {
    const ids = fresh.splice(0, chunkSize) // the newest first
    await putChunk(index, known, chunkKey(ids[0] as string), { root, ids })
    done += ids.length
    progress?.(done, total)
  }
  const stamp: CommitsStamp = { stamp: head?.stamp ?? "", head: head?.head ?? "", left: fresh.length }
  if (JSON.stringify(stamp) !== JSON.stringify(before))
    await index.update(
      head ? [{ key: commitsKey, stamp: JSON.stringify(stamp), items: [] }] : [],
      head || !before ? [] : [commitsKey],
      ofKeys(known, [commitsKey]),
    )
  return fresh.length
}

/** The commits to index, newest first; `all` of the history only where some that are indexed may be gone from it. */
async function listFresh(
  { root, head, before, known }: CommitWork,
  chunks: ReadonlyMap<string, readonly string[]>,
): Promise<{ fresh: string[]; all?: Set<string> }> {
  if (!head) return { fresh: [], all: new Set() }
  const since = before?.left === 0 && known.size > 0 ? before.head : undefined
  const added = since === undefined ? undefined : await listCommits(root, head.head, { since, most: mostCommits })
  const isAppended = added !== undefined && since !== head.head
  const listed = isAppended ? added : ((await listCommits(root, head.head, { most: mostCommits })) ?? [])
  const ids = listed.map((id) => id.slice(0, shortId))
  const indexed = new Set([...chunks.values()].flat())
  const fresh = ids.filter((id) => !indexed.has(id))
  return isAppended ? { fresh } : { fresh, all: new Set(ids) }
}

/** The ids of the indexed commits, by chunk. */
function idsIn(known: ReadonlyMap<string, string>): Map<string, string[]> {
  const chunks = [...known].filter(([key]) => key.startsWith(`${commitsKey} `))
  return new Map(chunks.map(([key, stamp]) => [key, stamp.split(" ")]))
}

/** Writes a chunk, or removes it without content; `known` follows. */
async function putChunk(
  index: IndexStore,
  known: Map<string, string>,
  key: string,
  content: { root: string; ids: readonly string[] } | undefined,
): Promise<void> {
  const items: Item[] = content ? (await readCommits(content.root, content.ids)).map(itemOfCommit) : []
  const stamp = content?.ids.join(" ")
  const changed = stamp === undefined ? [] : [{ key, stamp, items }]
  await index.update(changed, stamp === undefined ? [key] : [], ofKeys(known, [key]))
  if (stamp === undefined) known.delete(key)
  else known.set(key, stamp)
}
