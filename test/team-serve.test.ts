import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { findPostgres } from "../scripts/postgres/find-postgres.ts"
import { postgresDriver } from "../src/disk/postgres/postgres-driver.ts"
import { migrateTeam } from "../src/server/database.ts"
import { shared } from "../src/server/test-team-server.ts"
import { type PostgresServer, startPostgres } from "./postgres/start-postgres.ts"
import { makeRepository, runCli } from "./run-cli.ts"
import { askTeam, ownerToken, serveTeam } from "./team/serve-team.ts"

test("on an embedded database it serves one process, keeps its data, and stops on request", {
  timeout: 300_000,
}, async () => {
  const data = makeRepository({})
  const env = { DREY_AUDIT_KEY: "the same for all that work on it" }
  const first = await serveTeam(["--data", data, "--drain", "1", "--owner", "kim@example.com"], env)
  const secret = await ownerToken(first)
  expect((await askTeam(first.url, secret, "/v1/memories", shared())).status).toBe(201)
  const second = await runCli(["team", "serve", "--data", data, "--listen", "127.0.0.1:0"], { cwd: makeRepository({}) })
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("is in use by another Drey server")])

  first.child.kill("SIGTERM")
  await expect.poll(async () => (await fetch(`${first.url}/readyz`)).status).toBe(503)
  expect((await askTeam(first.url, secret, "/v1/me")).status).toBe(200) // it still serves who has not noticed
  expect(await first.ended).toBe(0)

  const invited = await runCli(["team", "invite-owner", "--data", data, "--owner", "kim@example.com", "--json"], {
    cwd: makeRepository({}),
    env,
  })
  const again = await serveTeam(["--data", data], env)
  expect(again.ownerLink).toBeNull() // it was shown once
  const other = await ownerToken({ url: again.url, ownerLink: JSON.parse(invited.stdout).ownerLink })
  const found = await (await askTeam(again.url, other, "/v1/search", { q: "payment tests" })).json()
  expect(found).toMatchObject({ hits: [{ snippet: shared().text }] })
  again.child.kill("SIGKILL")
  await again.ended
  const audit = await runCli(["team", "verify-audit", "--data", data], { cwd: makeRepository({}), env })
  expect([audit.code, audit.stdout]).toEqual([
    0,
    expect.stringMatching(/^The audit log of team is intact\nIts last line is \d+:[0-9a-f]{72}\n$/),
  ])
})

test("wrong usage is reported before anything is opened", async () => {
  const told = async (...args: string[]) => {
    const data = join(makeRepository({}), "unused")
    const { code, stderr } = await runCli(["team", "serve", "--data", data, ...args], { cwd: makeRepository({}) })
    return [code, stderr]
  }
  expect(await told("--listen", "everywhere")).toEqual([2, expect.stringContaining("not an address to listen on")])
  expect(await told("--public-url", "drey.example.com/team")).toEqual([
    2,
    expect.stringContaining("https://drey.example.com"),
  ])
  expect(await told("--org", "Acme Corp.")).toEqual([2, expect.stringContaining("not a valid organisation name")])
  expect(await told("--log-level", "loud")).toEqual([2, expect.stringContaining("not a log level")])
})

describe.skipIf(findPostgres() === undefined)("on a PostgreSQL server (needs one installed)", () => {
  let postgres: PostgresServer
  const database = async (name: string) => {
    postgres ??= await startPostgres(["max_connections=100"])
    return postgres.createDatabase(name)
  }
  afterAll(() => postgres?.stop())

  test("several processes that start at once on an empty database agree on its tables", async () => {
    const url = await database("at_once")
    const drivers = [postgresDriver(url), postgresDriver(url), postgresDriver(url)]
    const migrated = await Promise.all(drivers.map((driver) => migrateTeam(driver)))
    expect(migrated.filter(({ from }) => from === 0)).toHaveLength(1)
    await Promise.all(drivers.map((driver) => driver.close()))
  })

  test("without a database it says so", async () => {
    const url = "postgres://nobody@127.0.0.1:1/none"
    const { code, stderr } = await runCli(["team", "serve", "--database-url", url], { cwd: makeRepository({}) })
    expect([code, stderr]).toEqual([2, expect.stringContaining("the database cannot be reached")])
  })
})
