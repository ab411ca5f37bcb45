import type { ItemStatus } from "../../formats/item-status.ts"
import type { StoredItem } from "../../index/index-store.ts"
import type { ItemSource } from "../../index/item.ts"
import type { Memory } from "../../store/memory.ts"
import { readPayload } from "../payload.ts"
import { statusOfItem } from "../status-of-item.ts"

/** Anything that is remembered, as one line of a list. */
export type ItemRow = {
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
  /** Why a person should look: `conflict`, `review`, `stale`… */
  flags: string[]
}

/** `memory` is what the item was made from, where it was learned. */
export function rowOfItem(item: StoredItem, memory: Memory | undefined, now: number): ItemRow {
  if (memory) return { ...rowOfMemory(memory, now), status: statusOfItem(item, item.supersededBy, now) }
  const { id, source, type, title, author, scope, tags, path, line } = item
  const payload = readPayload(item)
  const entry = payload.kind === "entry" ? payload.read.entry : undefined
  const status = statusOfItem(item, item.supersededBy, now)
  const flags = [...(status === "expired" ? ["expired"] : []), ...(entry?.review === undefined ? [] : ["review"])]
  const pinned = entry?.extensions.some(
    ({ name, value }) => /^pinned$/i.test(name) && /^(?:yes|true)$/i.test(value.trim()),
  )
  return {
    id,
    source,
    type,
    status,
    title,
    author,
    scope,
    tags,
    at: item.at ?? null,
    path,
    line,
    pinned: pinned === true,
    flags,
  }
}

/** What was learned and is in use no more is in no index. */
export function rowOfMemory(memory: Memory, now: number): ItemRow {
  const { id, kind, text, scope, key, created, pinned, flags, expires, status } = memory
  const isExpired = expires !== undefined && Date.parse(expires) <= now
  const learnedStatus = { provisional: "on trial", active: "proven", deprecated: "ended" } as const
  return {
    id,
    source: "learned",
    type: kind,
    status: status !== "deprecated" && isExpired ? "expired" : learnedStatus[status],
    title: text,
    author: memory.owner.id,
    scope,
    tags: key === undefined ? [] : [key],
    at: Date.parse(created),
    path: "",
    line: 0,
    pinned,
    flags: isStale(memory, now) ? [...flags, "stale"] : flags,
  }
}

const staleAfterMs = 90 * 86_400_000

/** In use, and for months nobody has been handed it. */
function isStale({ status, pinned, created, metrics }: Memory, now: number): boolean {
  return status !== "deprecated" && !pinned && now - Date.parse(metrics.lastUsed ?? created) > staleAfterMs
}
