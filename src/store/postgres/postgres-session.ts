import type { Ask, PostgresDriver, Reach } from "../../disk/postgres/driver.ts"
import { inOrder, toPostgres } from "../../disk/postgres/to-postgres.ts"
import { type Answer, awaitSteps, type Step } from "../steps.ts"
import type { StoreSession } from "../store-methods.ts"

/** Runs at the end of every write transaction, so that derived data is current whenever memories are visible. */
export type BehindWrite = (ask: Ask) => Promise<void>

/** One tenant's rows as learned memory; closing the session leaves the driver open. */
export function postgresSession(driver: PostgresDriver, reach: Reach, behindWrite?: BehindWrite): StoreSession {
  const write: StoreSession["write"] = (change) =>
    driver.within(reach, "write", async (ask) => {
      const result = await awaitSteps((step) => answerOf(ask, step), change())
      await behindWrite?.(ask)
      return result
    })
  return {
    read: (query) => driver.within(reach, "read", (ask) => awaitSteps((step) => answerOf(ask, step), query())),
    write,
    writeLazily: write,
    compact: async () => {}, // PostgreSQL reuses the space by itself
    close: async () => {},
  }
}

/** Runs one step of the learned store on PostgreSQL. */
export async function answerOf(ask: Ask, { sql, parameters }: Step): Promise<Answer> {
  const translated = toPostgres(sql)
  const { rows, changes } = await ask(translated.sql, inOrder(translated, parameters))
  return { rows: rows as Answer["rows"], changes }
}
