import { setMaxListeners } from "node:events"
import { setTimeout as pause } from "node:timers/promises"
import type { Ask, PostgresDriver, Reach } from "../../disk/postgres/driver.ts"
import type { TaskUse } from "../../store/learned-store.ts"
import { recordTask } from "../../store/record-task.ts"
import { stepsOn } from "../tenant-memory.ts"

/** Notes in the ledger what contexts handed out, behind their answers. */
export type TaskNotes = {
  add(reach: Reach, use: TaskUse): void
  /** Until all is in. */
  close(): Promise<void>
}

const gatherMs = 2000
const mostAtOnce = 100
/** What a database that is away keeps waiting is given up beyond this: these are figures, and newer ones tell as much. */
const mostWaiting = 10_000

/** Those of one organisation wait for one another: they are written together, so that a busy one holds up nobody. */
export function openTaskNotes(driver: PostgresDriver, warn: (message: string, error: unknown) => void): TaskNotes {
  const waiting = new Map<string, { reach: Reach; uses: TaskUse[] }>()
  const writing = new Map<string, Promise<void>>()
  const closing = new AbortController()
  setMaxListeners(0, closing.signal) // as many as there are organisations
  /** Some are gathered before they are written; at the end nobody waits. */
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
        warn("what contexts handed out could not be noted", error)
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

/** Those that may be one task, in their order; the others need not wait for one another. */
function sameTasks(uses: readonly TaskUse[]): TaskUse[][] {
  const groups = new Map<string, TaskUse[]>()
  for (const use of uses) {
    const key = [use.project, use.taskHash, use.agent ?? ""].join(" ")
    groups.set(key, [...(groups.get(key) ?? []), use])
  }
  return [...groups.values()]
}

async function recordInOrder(ask: Ask, uses: readonly TaskUse[]): Promise<void> {
  for (const use of uses) await stepsOn(ask, recordTask(use))
}
