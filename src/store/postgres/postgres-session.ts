import type { Ask, PostgresDriver, Reach } from "../../disk/postgres/driver.ts"
import { inOrder, toPostgres } from "../../disk/postgres/to-postgres.ts"
import { type Answer, awaitSteps, type Step } from "../steps.ts"
import type { StoreSession } from "../store-methods.ts"

/** Runs within the transaction of every write, behind its steps: what is derived of memories is right whenever they can be seen. */
export type BehindWrite = (ask: Ask) => Promise<void>

/** The rows of one tenant as learned memory; the driver stays open when the session is closed. */
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
    compact: async () => {}, // PostgreSQL gives the room to others by itself
    close: async () => {},
  }
}

/** Puts one step of the learned store to PostgreSQL. */
export async function answerOf(ask: Ask, { sql, parameters }: Step): Promise<Answer> {
  const translated = toPostgres(sql)
  const { rows, changes } = await ask(translated.sql, inOrder(translated, parameters))
  return { rows: rows as Answer["rows"], changes }
}
