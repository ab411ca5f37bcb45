import type { ReadEntry } from "../formats/read-entries.ts"
import type { AttemptResult } from "../formats/session/agent-memory.ts"
import type { StoredItem } from "../index/index-store.ts"
import type { Memory } from "../store/memory.ts"

/** What a face shows of an item beside what the index knows. */
export type ItemPayload =
  | { kind: "entry"; read: ReadEntry }
  | { kind: "skill"; description: string; body: string }
  | { kind: "note" }
  | LearnedPayload
  | SessionPayload

/** The session that a note was made in, and how an attempt ended. */
export type SessionPayload = { kind: "session"; session: string; result?: AttemptResult }

/** What standing and rank of a learned memory depend on. */
export type LearnedPayload = { kind: "learned" } & Pick<
  Memory,
  "status" | "tier" | "key" | "confidence" | "evidence" | "origin" | "polarity"
> & {
    /** Who it belongs to, where that is not the user himself. */
    owner?: "team" | "org"
    /** Who shared it, and with whom: shown wherever it is. */
    sharedBy?: string
  }

/** An entry's details are nearly always in the item's text: then only their place in it is kept. */
type KeptPayload = ItemPayload & { detailsIn?: { start: number; end: number } }

export function writePayload(payload: ItemPayload, itemText: string): string {
  const details = payload.kind === "entry" ? (payload.read.entry.details ?? "") : ""
  const start = details === "" || details.includes("\0") ? -1 : itemText.indexOf(details)
  if (payload.kind !== "entry" || start < 0) return JSON.stringify(payload)
  const { kind, read } = payload
  const kept: KeptPayload = {
    kind,
    read: { ...read, entry: { ...read.entry, details: "" } },
    detailsIn: { start, end: start + details.length },
  }
  return JSON.stringify(kept)
}

export function readPayload({ payload, text }: { payload: string; text: string }): ItemPayload {
  const { detailsIn, ...kept }: KeptPayload = JSON.parse(payload) // the index is ours: what it holds was written by the function above
  if (kept.kind === "entry" && detailsIn) kept.read.entry.details = text.slice(detailsIn.start, detailsIn.end)
  return kept
}

/** How an attempt of a session ended; undefined for all else. */
export function resultOf(item: StoredItem): AttemptResult | undefined {
  if (item.source !== "session") return undefined
  const payload = readPayload(item)
  return payload.kind === "session" ? payload.result : undefined
}
