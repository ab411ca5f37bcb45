import { setMaxListeners } from "node:events"
import { setTimeout as pause } from "node:timers/promises"
import type { PostgresDriver, RunQuery, TenantScope } from "../../disk/postgres/driver.ts"
import type { TaskUse } from "../../memories/learned-store.ts"
import { recordTask } from "../../memories/uses.ts"
import { stepsOn } from "./tenant-store.ts"

/** Records in the ledger which memories contexts contained, after the response is sent. */
export type TaskRecorder = {
  add(reach: TenantScope, use: TaskUse): void
  /** Flushes everything that is pending. */
  close(): Promise<void>
}

const gatherMs = 2000
const mostAtOnce = 100
/** Records beyond this are dropped while the database is unavailable; they are only statistics. */
const mostWaiting = 10_000

/** Writes in batches, one organisation at a time, so that a busy organisation does not block others. */
export function openTaskRecorder(
  driver: PostgresDriver,
  warn: (message: string, error: unknown) => void,
): TaskRecorder {
  const waiting = new Map<string, { reach: TenantScope; uses: TaskUse[] }>()
  const writing = new Map<string, Promise<void>>()
  const closing = new AbortController()
  setMaxListeners(0, closing.signal) // one per organisation
  /** Waits for more records before writing; on close, not at all. */
  const gather = () => pause(gatherMs, undefined, { signal: closing.signal }).catch(() => {})
  const drain = async (tenant: string) => {
    for (let next = waiting.get(tenant); next && next.uses.length > 0; next = waiting.get(tenant)) {
      const { reach, uses } = next
      const batch = uses.splice(0, mostAtOnce)
      try {
        await driver.within(reach, "write", async (ask) => {
          await Promise.all(sameTasks(batch).map((uses) => recordInOrder(ask, uses)))
        })
      } catch (error) {
        warn("the memories used by contexts could not be recorded", error)
      }
    }
    waiting.delete(tenant)
    writing.delete(tenant)
  }
  return {
    add(reach, use) {
      const { tenant } = reach
      const entry = waiting.get(tenant) ?? { reach: { tenant, teams: "all" as const }, uses: [] }
      if (entry.uses.length >= mostWaiting) return
      entry.uses.push(use)
      waiting.set(tenant, entry)
      if (!writing.has(tenant))
        writing.set(
          tenant,
          gather().then(() => drain(tenant)),
        )
    },
    async close() {
      closing.abort()
      await Promise.all(writing.values())
    },
  }
}

/** Groups records that may belong to one task, in order; groups can be written in parallel. */
function sameTasks(uses: readonly TaskUse[]): TaskUse[][] {
  const groups = new Map<string, TaskUse[]>()
  for (const use of uses) {
    const key = [use.project, use.taskHash, use.agent ?? ""].join(" ")
    groups.set(key, [...(groups.get(key) ?? []), use])
  }
  return [...groups.values()]
}

async function recordInOrder(ask: RunQuery, uses: readonly TaskUse[]): Promise<void> {
  for (const use of uses) await stepsOn(ask, recordTask(use))
}
