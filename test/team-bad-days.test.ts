import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../scripts/postgres/find-postgres.ts"
import { postgresDriver } from "../src/disk/postgres/postgres-driver.ts"
import { leastVersion, migrations } from "../src/memories/postgres/migrations.ts"
import { type PostgresServer, startPostgres } from "./postgres/start-postgres.ts"
import { makeRepository, runCli } from "./run-cli.ts"
import { expectedOf, keptOf, loadTeam, type Send } from "./team/load-team.ts"
import { askTeam, memberToken, ownerToken, type ServedTeam, serveTeam } from "./team/serve-team.ts"

const kills = Number(process.env.DREY_KILLS ?? 3)
/** How long one test may take: starting servers takes a while on a busy machine. */
const patience = 180_000
const busy = ["--requests-per-minute", "10000000", "--connections", "6", "--no-jobs", "--log-level", "warn"]

describe.skipIf(findPostgres() === undefined)("servers on PostgreSQL (needs one installed)", () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres(["max_connections=100"])
  })
  afterAll(() => postgres?.stop())

  const serve = (url: string, ...args: string[]) => serveTeam([...busy, "--database-url", url, ...args])

  test(
    "a server that is killed again and again loses nothing that it acknowledged, and counts nothing twice",
    async () => {
      const url = await postgres.createDatabase("killed")
      const servers = [await serve(url), await serve(url)]
      const secret = await ownerToken(servers[0] as ServedTeam)
      const member = await memberToken(servers[0]?.url ?? "", secret)
      let turn = 0
      const sendAs =
        (token: string): Send =>
        (path, body) =>
          askTeam(servers[turn++ % 2]?.url ?? "", token, path, body)
      const send = sendAs(secret)
      const load = loadTeam({ share: send, use: sendAs(member) }, 4)
      for (let kill = 0; kill < kills; kill++) {
        const before = load.acknowledged.size
        await expect.poll(() => load.acknowledged.size, { timeout: 30_000 }).toBeGreaterThan(before + 5)
        const victim = servers[kill % 2] as ServedTeam
        victim.child.kill("SIGKILL")
        expect(await victim.ended).toBeNull()
        servers[kill % 2] = await serve(url)
      }
      await load.end()
      expect(load.troubles.length).toBeGreaterThan(0)
      expect(await keptOf(send)).toEqual(expectedOf(load))
    },
    patience + kills * 20_000,
  )

  test(
    "a database that dies under load is waited for, or reported at once with Retry-After",
    async () => {
      const url = await postgres.createDatabase("died")
      const servers = [await serve(url), await serve(url)]
      const secret = await ownerToken(servers[0] as ServedTeam)
      const member = await memberToken(servers[0]?.url ?? "", secret)
      let turn = 0
      const sendAs =
        (token: string): Send =>
        (path, body) =>
          askTeam(servers[turn++ % 2]?.url ?? "", token, path, body)
      const send = sendAs(secret)
      const load = loadTeam({ share: send, use: sendAs(member) }, 4)
      await expect.poll(() => load.acknowledged.size, { timeout: 30_000 }).toBeGreaterThan(5)
      await postgres.kill()
      expect((await fetch(`${servers[0]?.url}/readyz`)).status).toBe(503)
      await expect.poll(() => load.troubles.length, { timeout: 30_000 }).toBeGreaterThan(3)
      await postgres.start()
      const before = load.acknowledged.size
      await expect.poll(() => load.acknowledged.size, { timeout: 30_000 }).toBeGreaterThan(before + 5)
      await load.end()
      expect([...new Set(load.troubles.map(({ status, retryAfter }) => `${status} ${retryAfter}`))]).toEqual(["503 2"])
      expect(load.longest()).toBeLessThan(35_000)
      expect(await keptOf(send)).toEqual(expectedOf(load))
    },
    patience,
  )

  test(
    "an upgrade while members work fails no request",
    async () => {
      const url = await postgres.createDatabase("upgraded")
      const before = String(Math.max(migrations.length - 1, leastVersion))
      const tell = async (...args: string[]) => {
        const { stdout } = await runCli(["team", ...args, "--database-url", url, "--json"], { cwd: makeRepository({}) })
        return JSON.parse(stdout)
      }
      expect(await tell("migrate", "--to", before)).toEqual({ from: 0, to: Number(before) })
      const { ownerLink } = await tell("org", "create", "acme")
      const old = [await serve(url, "--no-migrate", "--drain", "3"), await serve(url, "--no-migrate", "--drain", "3")]
      const secret = await ownerToken({ url: (old[0] as ServedTeam).url, ownerLink })
      const balancer = balance(old)
      const member = await memberToken((old[0] as ServedTeam).url, secret)
      const sendAs =
        (token: string): Send =>
        (path, body) =>
          askTeam(balancer.next(), token, path, body)
      const load = loadTeam({ share: sendAs(secret), use: sendAs(member) }, 4)
      const untilMore = async () => {
        const size = load.acknowledged.size
        await expect.poll(() => load.acknowledged.size, { timeout: 30_000 }).toBeGreaterThan(size + 5)
      }
      await untilMore()
      const fresh = await serve(url)
      await balancer.add(fresh)
      expect(await tell("migrate")).toEqual({ from: migrations.length, to: migrations.length })
      for (const server of old) {
        await untilMore()
        server.child.kill("SIGTERM")
        expect(await server.ended).toBe(0)
      }
      await untilMore()
      await load.end()
      await balancer.close()
      expect(load.troubles).toEqual([])
      expect(await keptOf((path) => askTeam(fresh.url, secret, path))).toEqual(expectedOf(load))
    },
    patience,
  )

  test("a database whose protection was weakened is not served, and the problem is reported", async () => {
    const url = await postgres.createDatabase("weakened")
    const { code, stderr } = await runCli(["team", "serve", "--no-migrate", "--database-url", url], {
      cwd: makeRepository({}),
    })
    expect([code, stderr]).toEqual([2, expect.stringContaining("the database has no Drey tables")])
    const server = await serve(url, "--drain", "0")
    server.child.kill("SIGTERM")
    expect(await server.ended).toBe(0)
    const driver = postgresDriver(url)
    await driver.asOwner((ask) => ask("ALTER TABLE drey.memories NO FORCE ROW LEVEL SECURITY"))
    await driver.asOwner((ask) => ask("CREATE POLICY wide ON drey.tokens FOR SELECT USING (true)"))
    await driver.close()
    const refused = await runCli(["team", "serve", "--database-url", url], { cwd: makeRepository({}) })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain("row-level security of memories does not apply to its owner")
    expect(refused.stderr).toContain("tokens has an additional policy that admits more rows")
  })
})

/** A load balancer: it checks regularly which servers are ready, and sends requests to those. */
function balance(first: readonly ServedTeam[]) {
  const servers = [...first]
  let ready = first.map(({ url }) => url)
  let turn = 0
  let isOver = false
  const look = async () => {
    const answers = await Promise.all(
      servers.map(async ({ url }) => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true),
    )
    ready = servers.filter((_, at) => answers[at]).map(({ url }) => url)
  }
  const looking = (async () => {
    while (!isOver) {
      await look()
      await pause(100)
    }
  })()
  return {
    next: () => ready[turn++ % ready.length] ?? "",
    async add(server: ServedTeam) {
      servers.push(server)
      await expect.poll(() => ready).toContain(server.url)
    },
    async close() {
      isOver = true
      await looking
    },
  }
}
