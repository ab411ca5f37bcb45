import { afterAll, describe } from "vitest"
import { findPostgres } from "../../../scripts/postgres/find-postgres.ts"
import { newDatabase } from "../../../test/postgres/start-postgres.ts"
import type { PostgresDriver, TenantScope } from "../../disk/postgres/driver.ts"
import { pgliteDriver } from "../../disk/postgres/pglite-driver.ts"
import { postgresDriver } from "../../disk/postgres/postgres-driver.ts"
import { testStore } from "../contract/store-contract.ts"
import type { LearnedStore } from "../learned-store.ts"
import { migrate } from "./migrations.ts"
import { postgresStore } from "./postgres-store.ts"
import { tenantIdOf } from "./tenancy.ts"

/** Every store of the contract is another tenant of one database. */
function onOneDatabase(name: string, open: () => Promise<PostgresDriver>): void {
  let opened: Promise<PostgresDriver> | undefined
  let tenants = 0
  const openOnce = async () => {
    const driver = await open()
    await migrate(driver)
    return driver
  }
  afterAll(async () => (await opened)?.close())
  const newTenant = async (driver: PostgresDriver): Promise<TenantScope> => {
    const slug = `tenant-${++tenants}`
    const reach = { tenant: tenantIdOf(slug), teams: "all" as const }
    await driver.within(reach, "write", (ask) =>
      ask("INSERT INTO organisations (slug, name, created_at) VALUES ($1, $1, '2026-03-01T00:00:00.000Z')", [slug]),
    )
    return reach
  }
  const reaches = new WeakMap<LearnedStore, TenantScope>()
  testStore(name, async ({ beside, ...options } = {}) => {
    opened ??= openOnce()
    const driver = await opened
    const reach = (beside && reaches.get(beside)) ?? (await newTenant(driver))
    const store = postgresStore(driver, reach, { maxAttempts: 3, baselineWindow: 4, ...options })
    reaches.set(store, reach)
    return store
  })
}

describe("the embedded PostgreSQL", () => onOneDatabase("pglite", () => pgliteDriver(undefined)))

describe.skipIf(findPostgres() === undefined)("a PostgreSQL server", () =>
  onOneDatabase("postgres", async () => postgresDriver(await newDatabase())),
)
