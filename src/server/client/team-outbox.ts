import { clearNote } from "../../memories/proposal.ts"
import { all, one, run, type Steps } from "../../memories/steps.ts"
import type { SharedMemory, TeamMemory } from "../api.ts"
import { copyOf, dropCopy, saveCopy } from "./team-copies.ts"
import type { OutboxEntry, TeamCounts } from "./team-ledger.ts"

type OutboxRow = {
  entry: number
  kind: OutboxEntry["kind"]
  memory: string
  task: string | null
  occasion: string | null
  body: string
  aside: number
}

/** The server failed five times. The first attempt counts as one: from then on it may have arrived. */
const isAside = "attempts > 5"

/**
 * The outbox in order of events, parked entries last, in rotation. Triggers add uses in the transaction that records
 * them.
 */
export function* listOutbox(limit: number): Steps<OutboxEntry[]> {
  const rows = yield* all<OutboxRow>(
    `SELECT entry, kind, memory_id AS memory, task_id AS task, occasion, body, ${isAside} AS aside FROM team_outbox
     ORDER BY CASE WHEN ${isAside} THEN attempts ELSE 0 END, entry LIMIT ?`,
    limit,
  )
  return rows.map(toEntry)
}

function toEntry({ entry, kind, memory, task, occasion, body, aside }: OutboxRow): OutboxEntry {
  const value = JSON.parse(body) // trusted: written by the functions below or by the triggers
  const isSetAside = aside === 1
  if (kind === "share") return { kind, entry, isSetAside, memory: value }
  if (kind === "unshare") return { kind, entry, isSetAside, memory, reason: value.reason }
  const event = { ...value, memory, task: task ?? "", injected: value.injected === 1 }
  return {
    kind,
    entry,
    isSetAside,
    occasion: occasion ?? "",
    event: { ...event, exposed: value.exposed === 1, cited: value.cited === 1 },
  }
}

/** A share repeated before it was sent replaces the earlier one. */
export function* putShare(memory: SharedMemory): Steps<void> {
  yield* cancelShare(memory.sourceMemory)
  yield* put("share", memory.sourceMemory, memory)
}

/** Cancels a share that was never sent; otherwise queues the removal. */
export function* putUnshare(memory: string, reason: string): Steps<"cancelled" | "waits"> {
  const isCancelled = yield* cancelShare(memory)
  const last = yield* one<{ kind: string }>(
    "SELECT kind FROM team_outbox WHERE kind <> 'use' AND memory_id = ? ORDER BY entry DESC LIMIT 1",
    memory,
  )
  // An earlier share may have arrived, whatever happened to a later one.
  if (isCancelled && last === undefined && (yield* copyOf(memory)) === undefined) return "cancelled"
  if (last?.kind !== "unshare") yield* put("unshare", memory, { reason: clearNote(reason) })
  return "waits"
}

function* cancelShare(memory: string): Steps<boolean> {
  const cancelled = yield* run(
    "DELETE FROM team_outbox WHERE kind = 'share' AND memory_id = ? AND attempts = 0",
    memory,
  )
  return cancelled > 0
}

function* put(kind: "share" | "unshare", memory: string, body: object): Steps<void> {
  yield* run("INSERT INTO team_outbox (kind, memory_id, body) VALUES (?, ?, ?)", kind, memory, JSON.stringify(body))
  yield* dropOvertaken()
}

export function* noteAttempt(entry: number): Steps<void> {
  yield* run("UPDATE team_outbox SET attempts = max(attempts, 1) WHERE entry = ?", entry)
}

/** Returns whether all of these are parked now. */
export function* noteFailure(entries: readonly number[]): Steps<boolean> {
  const failed = JSON.stringify(entries)
  yield* run(
    "UPDATE team_outbox SET attempts = max(attempts, 1) + 1 WHERE entry IN (SELECT value FROM json_each(?))",
    failed,
  )
  yield* dropOvertaken()
  const waiting = yield* one(
    `SELECT 1 FROM team_outbox WHERE NOT (${isAside}) AND entry IN (SELECT value FROM json_each(?))`,
    failed,
  )
  return waiting === undefined
}

/** A parked entry goes after later changes of the same memory: it must not undo them. */
function* dropOvertaken(): Steps<void> {
  yield* run(
    `DELETE FROM team_outbox WHERE ${isAside} AND kind <> 'use' AND EXISTS (
       SELECT 1 FROM team_outbox AS later
       WHERE later.kind <> 'use' AND later.memory_id = team_outbox.memory_id AND later.entry > team_outbox.entry)`,
  )
}

/** Applies the result, so that an acknowledged share is also here, and a removed one is not. */
export function* acknowledge(
  entries: readonly number[],
  { copy, gone }: { copy?: TeamMemory; gone?: string },
): Steps<void> {
  for (const entry of entries) yield* run("DELETE FROM team_outbox WHERE entry = ?", entry)
  if (copy) yield* saveCopy(copy)
  if (gone !== undefined) yield* dropCopy(gone)
}

export function* countWaiting(): Steps<TeamCounts["waiting"]> {
  const rows = yield* all<{ kind: OutboxEntry["kind"]; waiting: number }>(
    "SELECT kind, count(*) AS waiting FROM team_outbox GROUP BY kind",
  )
  return { use: 0, share: 0, unshare: 0, ...Object.fromEntries(rows.map(({ kind, waiting }) => [kind, waiting])) }
}

export function* countParked(): Steps<number> {
  const row = yield* one<{ aside: number }>(`SELECT count(*) AS aside FROM team_outbox WHERE ${isAside}`)
  return row?.aside ?? 0
}

/** Keeps the latest uses. Returns how many were dropped. */
export function* dropOldUses(keep: number): Steps<number> {
  return yield* run(
    `DELETE FROM team_outbox WHERE kind = 'use'
       AND entry <= (SELECT entry FROM team_outbox WHERE kind = 'use' ORDER BY entry DESC LIMIT 1 OFFSET ?)`,
    keep,
  )
}

export function* dropOutbox(): Steps<void> {
  yield* run("DELETE FROM team_outbox")
}
