import type { ItemStatus } from "../formats/item-status.ts"
import type { StoredItem } from "../index/index-store.ts"
import { readPayload } from "./payload.ts"

/** The status of an item at a time, given what had replaced it by then. */
export function statusOfItem(item: StoredItem, supersededBy: readonly string[], now: number): ItemStatus {
  if (supersededBy.length > 0) return "superseded"
  if (item.source === "session") return "noted"
  if (item.source === "archive" || item.load === "ARCHIVE" || item.load === "NEVER") return "archived"
  if (item.expires !== undefined && item.expires <= now) return "expired"
  if (item.source === "learned") return standsProven(item) ? "proven" : "on trial"
  return item.source === "inbox" && !item.governed ? "proposed" : "in force"
}

function standsProven(item: StoredItem): boolean {
  const payload = readPayload(item)
  return payload.kind === "learned" && payload.status === "active"
}
