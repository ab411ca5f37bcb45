import type { ItemStatus } from "../../formats/item-status.ts"
import type { StoredItem } from "../../index/index-store.ts"
import type { ItemSource } from "../../index/item.ts"
import { isPinned } from "../../squad/edit/pin-entry.ts"
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

/** Of whatever stands in a file. */
export function rowOfItem(item: StoredItem, now: number): ItemRow {
  const { id, source, type, title, author, scope, tags, path, line } = item
  const status = statusOfItem(item, item.supersededBy, now)
  const flags = [...(status === "expired" ? ["expired"] : []), ...(isForReview(item) ? ["review"] : [])]
  const at = item.at ?? null
  return { id, source, type, status, title, author, scope, tags, at, path, line, pinned: isItemPinned(item), flags }
}

/** A governed memory that is pinned is always loaded; an entry has a tag. */
function isItemPinned({ source, governed, load, tags }: StoredItem): boolean {
  const isMemory = source === "memory" || source === "policy" || (source === "inbox" && governed)
  return isMemory ? load === "ALWAYS" : isPinned({ tags })
}

function isForReview(item: StoredItem): boolean {
  if (!item.payload.includes('"review":')) return false // nearly all: not worth reading
  const payload = readPayload(item)
  return payload.kind === "entry" && payload.read.entry.review !== undefined
}

/** Of what was learned, also where it is in use no more and in no index. */
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

/** In use, and for months nobody has been handed it. */
function isStale({ status, pinned, created, metrics }: Memory, now: number): boolean {
  return status !== "deprecated" && !pinned && now - Date.parse(metrics.lastUsed ?? created) > staleAfterMs
}
