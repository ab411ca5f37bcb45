import type { ItemStatus } from "../../formats/item-status.ts"
import type { StoredItem } from "../../index/index-store.ts"
import type { ItemSource } from "../../index/item.ts"
import { isPinned } from "../../squad/edit/pin-entry.ts"
import type { Memory } from "../../store/memory.ts"
import { readPayload } from "../payload.ts"
import { statusOfItem } from "../status-of-item.ts"

/** Any item as one row of a list. */
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
  /** Reasons for a review: `conflict`, `review`, `stale`… */
  flags: string[]
}

/** The row of an item from a file. */
export function rowOfItem(item: StoredItem, now: number): ItemRow {
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
