import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../../../scripts/postgres/find-postgres.ts"
import { newDatabase } from "../../../test/postgres/start-postgres.ts"
import { sha256 } from "../../disk/hash.ts"
import type { PostgresDriver, RunQuery } from "../../disk/postgres/driver.ts"
import { pgliteDriver } from "../../disk/postgres/pglite-driver.ts"
import { postgresDriver } from "../../disk/postgres/postgres-driver.ts"
import { add, learnOne } from "../test-store.ts"
import { leastVersion, migrate, migrations, versionOf } from "./migrations.ts"
import { postgresStore } from "./postgres-store.ts"
import { checkTenancy, tenantIdOf } from "./tenancy.ts"

const reachOf = (slug: string) => ({ tenant: tenantIdOf(slug), teams: "all" as const })

async function newTenant(driver: PostgresDriver, slug: string) {
  await driver.within(reachOf(slug), "write", (ask) =>
    ask("INSERT INTO organisations (slug, name, created_at) VALUES ($1, $1, '2026-03-01T00:00:00.000Z')", [slug]),
  )
  return postgresStore(driver, reachOf(slug))
}

async function tablesOf(ask: RunQuery): Promise<string[]> {
  const { rows } = await ask(
    "SELECT relname FROM pg_class WHERE relnamespace = 'drey'::regnamespace AND relkind = 'r' AND relname <> 'schema_version' ORDER BY 1",
  )
  return rows.map(({ relname }) => String(relname))
}

/** Rolled back whatever the result. */
async function tried(ask: RunQuery, sql: string): Promise<string[]> {
  await ask("BEGIN")
  try {
    await ask(sql)
    return await checkTenancy(ask)
  } finally {
    await ask("ROLLBACK")
  }
}

function onEach(name: string, open: (connections?: number) => Promise<PostgresDriver>): void {
  describe(name, () => {
    let driver: PostgresDriver
    beforeAll(async () => {
      driver = await open()
      await migrate(driver)
    })
    afterAll(() => driver.close())

    test("every table with a tenant is protected, and there is no other", async () => {
      expect(await driver.asOwner(checkTenancy)).toEqual([])
      expect((await driver.asOwner(tablesOf)).length).toBeGreaterThan(20)
    })

    test("without a tenant nothing is visible or writable", async () => {
      const store = await newTenant(driver, "seen")
      await learnOne(store, "a", add("The canary is yellow"))
      for (const table of await driver.asOwner(tablesOf)) {
        const { rows } = await driver.ask(`SELECT count(*) AS n FROM ${table}`)
        expect([table, rows[0]?.n]).toEqual([table, 0])
      }
      await expect(driver.ask("INSERT INTO teams (team_id, name, created_at) VALUES ('t', 't', '')")).rejects.toThrow()
      const nobody = { tenant: "", teams: "all" as const }
      expect((await driver.within(nobody, "read", (ask) => ask("SELECT 1 FROM memories"))).rows).toEqual([])
    })

    test("a row of another tenant can be neither written nor taken over", async () => {
      await newTenant(driver, "mine")
      const insert = `INSERT INTO teams (tenant_id, team_id, name, created_at) VALUES (${tenantIdOf("yours")}, 't', 't', '')`
      await expect(driver.within(reachOf("mine"), "write", (ask) => ask(insert))).rejects.toThrow(/row-level security/)
      await driver.within(reachOf("mine"), "write", (ask) =>
        ask("INSERT INTO teams (team_id, name, created_at) VALUES ('own', 'own', '')"),
      )
      const move = `UPDATE teams SET tenant_id = ${tenantIdOf("yours")} WHERE team_id = 'own'`
      await expect(driver.within(reachOf("mine"), "write", (ask) => ask(move))).rejects.toThrow(/row-level security/)
    })

    // The embedded one has the same catalogue, and takes seconds for so many questions.
    test.skipIf(name.includes("embedded"))("any change that weakens the protection of a table is detected", () =>
      driver.asOwner(async (ask) => {
        for (const table of await tablesOf(ask)) {
          for (const [change, fault] of [
            [`DROP POLICY own_tenant ON drey.${table}`, "is missing or changed"],
            [`ALTER TABLE drey.${table} DISABLE ROW LEVEL SECURITY`, "has no row-level security"],
            [`ALTER TABLE drey.${table} NO FORCE ROW LEVEL SECURITY`, "does not apply to its owner"],
            [`ALTER POLICY own_tenant ON drey.${table} USING (true)`, "is missing or changed"],
            [`ALTER POLICY own_tenant ON drey.${table} WITH CHECK (true)`, "is missing or changed"],
            [`ALTER POLICY own_tenant ON drey.${table} TO drey_app`, "is missing or changed"],
            [`CREATE POLICY wide ON drey.${table} FOR SELECT USING (true)`, "admits more rows"],
            [`ALTER TABLE drey.${table} OWNER TO drey_app`, "belongs to drey_app"],
          ] as const) {
            const faults = await tried(ask, change)
            expect([change, faults.some((each) => each.includes(table) && each.includes(fault))]).toEqual([
              change,
              true,
            ])
          }
        }
        for (const table of ["memories", "spaces"]) {
          for (const change of [
            `DROP POLICY own_teams ON drey.${table}`,
            `ALTER POLICY own_teams ON drey.${table} USING (true)`,
            `ALTER POLICY own_teams ON drey.${table} TO drey_app`,
          ])
            expect(await tried(ask, change)).toEqual([`the policy own_teams of ${table} is missing or changed`])
        }
        expect(await tried(ask, "ALTER ROLE drey_app BYPASSRLS")).toHaveLength(1)
        expect(await tried(ask, "CREATE TABLE drey.plain (id text)")).toEqual(["plain has no tenant_id"])
        expect(await checkTenancy(ask)).toEqual([])
      }),
    )

    test("a check across tenants detects a policy that admits everything", async () => {
      const store = await newTenant(driver, "watched")
      await newTenant(driver, "watching")
      await learnOne(store, "a", add("The heron is grey"))
      const seen = () => driver.within(reachOf("watching"), "read", (ask) => ask("SELECT text FROM memories"))
      expect((await seen()).rows).toEqual([])
      await driver.asOwner((ask) => ask("ALTER POLICY own_tenant ON drey.memories USING (true)"))
      try {
        expect((await seen()).rows.length).toBeGreaterThan(0)
      } finally {
        const own = "tenant_id = nullif(current_setting('app.tenant', true), '')::bigint"
        await driver.asOwner((ask) => ask(`ALTER POLICY own_tenant ON drey.memories USING (${own})`))
      }
      expect((await seen()).rows).toEqual([])
    })

    test("writes after the deletion of an organisation leave no row", async () => {
      const store = await newTenant(driver, "leaving")
      await driver.within(reachOf("leaving"), "write", async (ask) => {
        await ask("SELECT set_config('app.leaving', 'yes', true)")
        await ask("DELETE FROM organisations")
      })
      await expect(learnOne(store, "late", add("The last canary"))).rejects.toThrow("no such organisation")
      expect(await store.memories({})).toEqual([])
    })

    test("twenty concurrent tenants each see their own rows, on any connection", async () => {
      const slugs = Array.from({ length: 20 }, (_, at) => `parallel-${at}`)
      await Promise.all(
        slugs.map(async (slug) => {
          const store = await newTenant(driver, slug)
          for (const round of ["a", "b", "c"]) {
            await learnOne(store, `${slug}-${round}`, add(`${slug} ${round} keeps a canary`))
            const broken = driver.within(reachOf(slug), "write", (ask) => ask("SELECT no_such_column FROM memories"))
            await expect(broken).rejects.toThrow()
            const texts = (await store.memories({})).map(({ text }) => text)
            expect(texts.every((text) => text.startsWith(`${slug} `))).toBe(true)
          }
          expect(await store.memories({})).toHaveLength(3)
        }),
      )
      expect((await driver.ask("SELECT 1 FROM memories")).rows).toEqual([])
    })
  })
}

onEach("the embedded PostgreSQL", () => pgliteDriver(undefined))

describe.skipIf(findPostgres() === undefined)("a PostgreSQL server", () => {
  onEach("with three connections", async () => postgresDriver(await newDatabase(), { connections: 3 }))

  test("of several servers that start at once one migrates", async () => {
    const url = await newDatabase()
    const drivers = Array.from({ length: 4 }, () => postgresDriver(url))
    const outcomes = await Promise.all(drivers.map((driver) => migrate(driver)))
    expect(outcomes.map(({ from }) => from).sort()).toEqual([0, ...Array(3).fill(migrations.length)])
    expect(await versionOf((drivers[0] as PostgresDriver).ask)).toBe(migrations.length)
    await Promise.all(drivers.map((driver) => driver.close()))
  })

  test("tables of the previous version are migrated while others read and write", async () => {
    const driver = postgresDriver(await newDatabase())
    await migrate(driver, { to: Math.max(migrations.length - 1, leastVersion) }) // the store needs no less
    const store = await newTenant(driver, "busy")
    let isDone = false
    const work = async (worker: number) => {
      let turns = 0
      for (; !isDone || turns === 0; turns++) {
        await learnOne(
          store,
          `${worker}-${turns}`,
          add(`${sha256(`${worker} ${turns}`).replaceAll(/\d/g, "g")} is known`),
        )
        await store.memories({})
      }
      return turns
    }
    const working = Promise.all([work(1), work(2), work(3)])
    await migrate(driver)
    isDone = true
    const turns = await working
    expect(await versionOf(driver.ask)).toBe(migrations.length)
    expect(await store.memories({})).toHaveLength(turns.reduce((sum, each) => sum + each))
    await driver.close()
  })

  test("a database of a later version is not changed", async () => {
    const driver = postgresDriver(await newDatabase())
    await migrate(driver)
    await driver.asOwner((ask) => ask("INSERT INTO drey.schema_version (version) VALUES (99)"))
    await expect(migrate(driver)).rejects.toThrow("a later version of Drey")
    await driver.close()
  })
})
