import type { HistoryCommit } from "../disk/git-log.ts"
import type { ClientId } from "../formats/client-events.ts"
import type { ReadEntry } from "../formats/entries.ts"
import type { ItemStatus } from "../formats/query-match.ts"
import type { AttemptResult } from "../formats/session/agent-memory.ts"
import type { Item, StoredItem } from "../index/index-store.ts"
import type { EpisodeStats, EpisodeSummary } from "../memories/episode.ts"
import type { Memory } from "../memories/memory.ts"

/** Display data of an item beyond what the index stores in columns. */
export type ItemPayload =
  | { kind: "entry"; read: ReadEntry }
  | { kind: "skill"; description: string; body: string }
  | { kind: "note" }
  | LearnedPayload
  | SessionPayload
  | ConversationPayload
  | CommitPayload

/** Whether an item is something said or done, and not a memory. */
export function isPast({ source }: Pick<Item, "source">): boolean {
  return source === "conversation" || source === "commit"
}

/** What is shown of an episode beside its text. */
export type ConversationPayload = {
  kind: "conversation"
  client: ClientId
  session: string
  start: string
  end: string
  outcome: EpisodeStats["outcome"]
} & EpisodeSummary

/** What is shown of a commit beside its message. */
export type CommitPayload = { kind: "commit" } & Omit<HistoryCommit, "message">

/** The session of a note, the result of an attempt, and whether Drey made the note from a transcript. */
export type SessionPayload = { kind: "session"; session: string; result?: AttemptResult; isObserved?: true }

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

export function learnedPayload(item: StoredItem): LearnedPayload {
  const payload = readPayload(item)
  if (payload.kind === "learned") return payload
  throw new Error(`${item.id} is not a learned memory`)
}

/** The member who shared a learned memory, `Kim (team Payments)`; undefined for everything else. */
export function sharedByOf(item: StoredItem): string | undefined {
  return item.source === "learned" ? learnedPayload(item).sharedBy : undefined
}

/** A learned memory as an index item. Usage counts are not part of it: they change with every context. */
export function itemOfMemory(memory: Memory): Item {
  const { kind, status, tier, key, confidence, evidence, origin, polarity, owner, contributedBy } = memory
  const shared = {
    ...(owner.type === "user" ? {} : { owner: owner.type }),
    ...(contributedBy === undefined ? {} : { sharedBy: contributedBy }),
  }
  return {
    id: memory.id,
    source: "learned",
    type: kind,
    class: "LOCAL",
    load: "ON-DEMAND",
    title: memory.text,
    text: memory.text,
    tags: [...(key === undefined ? [] : [key]), ...memory.flags],
    author: contributedBy ?? owner.id,
    contributors: [],
    agent: undefined,
    scope: memory.scope,
    pathPrefix: memory.pathPrefix,
    path: "",
    line: 0,
    at: Date.parse(memory.created),
    expires: memory.expires === undefined ? undefined : Date.parse(memory.expires),
    governed: false,
    supersedes: [],
    supersededBy: [],
    payload: writePayload(
      { kind: "learned", status, tier, key, confidence, evidence, origin, polarity, ...shared },
      memory.text,
    ),
  }
}

/** The status of an item at a time, given what had replaced it by then. */
export function statusOfItem(item: StoredItem, supersededBy: readonly string[], now: number): ItemStatus {
  if (supersededBy.length > 0) return "superseded"
  if (item.source === "session" || item.source === "docs" || isPast(item)) return "noted"
  if (item.source === "archive" || item.load === "ARCHIVE" || item.load === "NEVER") return "archived"
  if (item.expires !== undefined && item.expires <= now) return "expired"
  if (item.source === "learned") return isProven(item) ? "proven" : "on trial"
  return item.source === "inbox" && !item.governed ? "proposed" : "in force"
}

function isProven(item: StoredItem): boolean {
  const payload = readPayload(item)
  return payload.kind === "learned" && payload.status === "active"
}
