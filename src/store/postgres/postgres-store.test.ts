import { afterAll, describe } from "vitest"
import { findPostgres, newDatabase } from "../../../test/postgres/start-postgres.ts"
import type { PostgresDriver } from "../../disk/postgres/driver.ts"
import { pgliteDriver } from "../../disk/postgres/pglite-driver.ts"
import { postgresDriver } from "../../disk/postgres/postgres-driver.ts"
import { testStore } from "../store-contract.ts"
import { migrate } from "./migrate.ts"
import { postgresStore } from "./postgres-store.ts"
import { tenantIdOf } from "./tenant-id.ts"

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
  testStore(name, async (options = {}) => {
    opened ??= openOnce()
    const driver = await opened
    const slug = `tenant-${++tenants}`
    const reach = { tenant: tenantIdOf(slug), teams: "all" as const }
    await driver.within(reach, "write", (ask) =>
      ask("INSERT INTO organisations (slug, name, created_at) VALUES ($1, $1, '2026-03-01T00:00:00.000Z')", [slug]),
    )
    return postgresStore(driver, reach, { maxAttempts: 3, baselineWindow: 4, ...options })
  })
}

describe("the embedded PostgreSQL", () => onOneDatabase("pglite", () => pgliteDriver(undefined)))

describe.skipIf(findPostgres() === undefined)("a PostgreSQL server", () =>
  onOneDatabase("postgres", async () => postgresDriver(await newDatabase())),
)
