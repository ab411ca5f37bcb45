import type { PostgresDriver, RunQuery, TenantScope } from "../../disk/postgres/driver.ts"
import { orderParameters, toPostgres } from "../../disk/postgres/sql.ts"
import type { LearnedStore } from "../learned-store.ts"
import { awaitSteps, type SqlStep, type StepResult } from "../steps.ts"
import { type StoreOptions, type StoreSession, storeMethods } from "../store-methods.ts"

/** Learned memory of one tenant on PostgreSQL; any number of processes may have it open. */
export function postgresStore(
  driver: PostgresDriver,
  reach: TenantScope,
  { behindWrite, ...options }: StoreOptions & { behindWrite?: BehindWrite } = {},
): LearnedStore {
  return storeMethods(postgresSession(driver, reach, behindWrite), options)
}

/** Runs at the end of every write transaction, so that derived data is current whenever memories are visible. */
type BehindWrite = (ask: RunQuery) => Promise<void>

/** One tenant's rows as learned memory; closing the session leaves the driver open. */
export function postgresSession(driver: PostgresDriver, reach: TenantScope, behindWrite?: BehindWrite): StoreSession {
  const write: StoreSession["write"] = (change) =>
    driver.within(reach, "write", async (ask) => {
      const result = await awaitSteps((step) => stepResultOf(ask, step), change())
      await behindWrite?.(ask)
      return result
    })
  return {
    read: (query) => driver.within(reach, "read", (ask) => awaitSteps((step) => stepResultOf(ask, step), query())),
    write,
    writeLazily: write,
    compact: async () => {}, // PostgreSQL reuses the space by itself
    close: async () => {},
  }
}

/** Runs one step of the learned store on PostgreSQL. */
export async function stepResultOf(ask: RunQuery, { sql, parameters }: SqlStep): Promise<StepResult> {
  const translated = toPostgres(sql)
  const { rows, changes } = await ask(translated.sql, orderParameters(translated, parameters))
  return { rows: rows as StepResult["rows"], changes }
}
