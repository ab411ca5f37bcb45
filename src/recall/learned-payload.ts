import type { StoredItem } from "../index/index-store.ts"
import { type LearnedPayload, readPayload } from "./payload.ts"

export function learnedPayload(item: StoredItem): LearnedPayload {
  const payload = readPayload(item)
  if (payload.kind === "learned") return payload
  throw new Error(`${item.id} is no learned memory`)
}

/** Who shared what was learned, `Kim (team Payments)`; undefined for all else. */
export function sharedByOf(item: StoredItem): string | undefined {
  return item.source === "learned" ? learnedPayload(item).sharedBy : undefined
}
