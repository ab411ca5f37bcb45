import type { PostgresDriver, Reach } from "../../disk/postgres/driver.ts"
import type { LearnedStore } from "../learned-store.ts"
import { type StoreOptions, storeMethods } from "../store-methods.ts"
import { type BehindWrite, postgresSession } from "./postgres-session.ts"

/** Learned memory of one tenant on PostgreSQL; any number of processes may have it open. */
export function postgresStore(
  driver: PostgresDriver,
  reach: Reach,
  { behindWrite, ...options }: StoreOptions & { behindWrite?: BehindWrite } = {},
): LearnedStore {
  return storeMethods(postgresSession(driver, reach, behindWrite), options)
}
