import type { SharedMemory, TeamMemory } from "../team/api.ts"
import { clearNote } from "./clear-words.ts"
import { all, one, run, type Steps } from "./steps.ts"
import { dropCopy, takeInMemory } from "./team-copies.ts"
import type { OutboxEntry, TeamCounts } from "./team-ledger.ts"

type OutboxRow = {
  entry: number
  kind: OutboxEntry["kind"]
  memory: string
  task: string | null
  occasion: string | null
  body: string
}

/** What waits for the server, in the order in which it happened. The uses among it are put there by triggers, in the transaction that notes a use. */
export function* listWaiting(limit: number): Steps<OutboxEntry[]> {
  const rows = yield* all<OutboxRow>(
    "SELECT entry, kind, memory_id AS memory, task_id AS task, occasion, body FROM team_outbox ORDER BY entry LIMIT ?",
    limit,
  )
  return rows.map(toEntry)
}

function toEntry({ entry, kind, memory, task, occasion, body }: OutboxRow): OutboxEntry {
  const value = JSON.parse(body) // ours: the functions below wrote it, or the triggers did
  if (kind === "share") return { kind, entry, memory: value }
  if (kind === "unshare") return { kind, entry, memory, reason: value.reason }
  const event = { ...value, memory, task: task ?? "", injected: value.injected === 1 }
  return {
    kind,
    entry,
    occasion: occasion ?? "",
    event: { ...event, exposed: value.exposed === 1, cited: value.cited === 1 },
  }
}

/** Said again before it was sent, it is as it was said last. */
export function* putShare(memory: SharedMemory): Steps<void> {
  yield* cancelShare(memory.sourceMemory)
  yield* put("share", memory.sourceMemory, memory)
}

/** Takes back what was never sent; else the server is to be asked. */
export function* putUnshare(memory: string, reason: string): Steps<"taken back" | "waits"> {
  if (yield* cancelShare(memory)) return "taken back"
  const waiting = yield* one("SELECT 1 FROM team_outbox WHERE kind = 'unshare' AND memory_id = ?", memory)
  if (!waiting) yield* put("unshare", memory, { reason: clearNote(reason) })
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
}

export function* noteAttempt(entry: number): Steps<void> {
  yield* run("UPDATE team_outbox SET attempts = attempts + 1 WHERE entry = ?", entry)
}

/** With what came of it, so that a share that has arrived is here as well, and what was taken back is not. */
export function* acknowledge(
  entries: readonly number[],
  { copy, gone }: { copy?: TeamMemory; gone?: string },
): Steps<void> {
  for (const entry of entries) yield* run("DELETE FROM team_outbox WHERE entry = ?", entry)
  if (copy) yield* takeInMemory(copy)
  if (gone !== undefined) yield* dropCopy(gone)
}

export function* countWaiting(): Steps<TeamCounts["waiting"]> {
  const rows = yield* all<{ kind: OutboxEntry["kind"]; waiting: number }>(
    "SELECT kind, count(*) AS waiting FROM team_outbox GROUP BY kind",
  )
  return { use: 0, share: 0, unshare: 0, ...Object.fromEntries(rows.map(({ kind, waiting }) => [kind, waiting])) }
}

/** Keeps so many uses, the latest. Returns how many went. */
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
