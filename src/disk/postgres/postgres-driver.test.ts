import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../../../scripts/postgres/find-postgres.ts"
import { type PostgresServer, startPostgres } from "../../../test/postgres/start-postgres.ts"
import type { PostgresDriver } from "./driver.ts"
import { postgresDriver } from "./postgres-driver.ts"

test("an invalid PostgreSQL URL is reported, and not repeated", () => {
  for (const url of ["nowhere", "https://kim:secret@example.com/drey", ""])
    expect(() => postgresDriver(url)).toThrow(/^the database URL is not a PostgreSQL URL$/)
})

const reach = { tenant: "1", teams: "all" } as const

describe.skipIf(findPostgres() === undefined)("a PostgreSQL server that goes down (needs one installed)", () => {
  let server: PostgresServer
  let driver: PostgresDriver
  beforeAll(async () => {
    server = await startPostgres(["fsync=off"])
    driver = postgresDriver(server.url, { connections: 2, patienceMs: 200 })
    await driver.asOwner((ask) =>
      ask(`CREATE ROLE drey_app; CREATE TABLE counted (n integer); GRANT ALL ON counted TO drey_app;
        CREATE FUNCTION require_organisation() RETURNS void LANGUAGE sql AS ''`),
    )
  })
  afterAll(async () => {
    await driver?.close()
    await server?.stop()
  })

  const count = () => driver.within(reach, "write", (ask) => ask("INSERT INTO counted VALUES (1)"))
  const counted = async () => Number((await driver.ask("SELECT count(*) AS n FROM counted")).rows[0]?.n)
  const endOthers = () =>
    driver.asOwner((ask) =>
      ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'drey'"),
    )

  test("a lost connection rolls back its transaction, and the transaction is retried", async () => {
    let tries = 0
    await driver.within(reach, "write", async (ask) => {
      tries++
      await ask("INSERT INTO counted VALUES (1)")
      if (tries === 1) await endOthers()
      await ask("INSERT INTO counted VALUES (1)")
      return ask("INSERT INTO counted VALUES (1)")
    })
    expect(tries).toBe(2)
    expect(await counted()).toBe(3)
  })

  test("a tenant with many writes leaves a connection for the others", async () => {
    const held = new Promise<() => void>((begun) => {
      void driver.within(reach, "write", () => new Promise<void>((resolve) => begun(resolve)))
    })
    const letGo = await held
    const waiting = Array.from({ length: 5 }, () => driver.within(reach, "write", (ask) => ask("SELECT 1")))
    expect((await driver.within({ ...reach, tenant: "2" }, "read", (ask) => ask("SELECT 1 AS one"))).rows).toEqual([
      { one: 1 },
    ])
    letGo()
    await Promise.all(waiting)
  })

  test("connections lost while idle are replaced", async () => {
    await Promise.all([count(), count(), count()])
    await endOthers()
    await Promise.all([count(), count(), count()])
    expect(await counted()).toBe(9)
  })

  test("a connection that is being opened when all are closed is closed too", async () => {
    const open = async () => {
      const { rows } = await driver.asOwner((ask) =>
        ask("SELECT 1 FROM pg_stat_activity WHERE application_name = 'drey'"),
      )
      return rows.length
    }
    const before = await open()
    const other = postgresDriver(server.url)
    const asked = expect(other.ask("SELECT 1")).rejects.toThrow("were closed")
    await other.close()
    await asked
    await expect.poll(open).toBe(before)
  })

  test("an unavailable database is reported, and work and listeners resume when it is back", async () => {
    const heard: string[] = []
    const stop = await driver.listen("told", (message) => heard.push(message))
    const busy = Promise.allSettled(
      Array.from({ length: 6 }, async () => {
        for (;;) await count()
      }),
    )
    await server.kill()
    for (const outcome of await busy)
      expect(outcome).toMatchObject({ reason: { message: "the database cannot be reached" } })
    await server.start()
    await expect.poll(count, { timeout: 10_000 }).toMatchObject({ changes: 1 })
    await expect
      .poll(
        async () => {
          await driver.ask("SELECT pg_notify('told', 'once more')")
          return heard
        },
        { timeout: 10_000 },
      )
      .toContain("once more")
    await stop()
  })
})
