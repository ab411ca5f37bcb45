import type { ReadEntry } from "../formats/read-entries.ts"
import type { AttemptResult } from "../formats/session/agent-memory.ts"
import type { StoredItem } from "../index/index-store.ts"
import type { Memory } from "../store/memory.ts"

/** Display data of an item beyond what the index stores in columns. */
export type ItemPayload =
  | { kind: "entry"; read: ReadEntry }
  | { kind: "skill"; description: string; body: string }
  | { kind: "note" }
  | LearnedPayload
  | SessionPayload

/** The session of a note, and the result of an attempt. */
export type SessionPayload = { kind: "session"; session: string; result?: AttemptResult }

/** What eligibility and rank of a learned memory depend on. */
export type LearnedPayload = { kind: "learned" } & Pick<
  Memory,
  "status" | "tier" | "key" | "confidence" | "evidence" | "origin" | "polarity"
> & {
    /** The owner, if it is not the user. */
    owner?: "team" | "org"
    /** Who shared it and with whom; always shown. */
    sharedBy?: string
  }

/** An entry's details are nearly always part of the item's text: then only their offsets are stored. */
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
  const { detailsIn, ...kept }: KeptPayload = JSON.parse(payload) // trusted: only the function above writes it
  if (kept.kind === "entry" && detailsIn) kept.read.entry.details = text.slice(detailsIn.start, detailsIn.end)
  return kept
}

/** The result of a session attempt; undefined for other items. */
export function resultOf(item: StoredItem): AttemptResult | undefined {
  if (item.source !== "session") return undefined
  const payload = readPayload(item)
  return payload.kind === "session" ? payload.result : undefined
}
