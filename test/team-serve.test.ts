import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, describe, expect, test } from "vitest"
import { findPostgres } from "../scripts/postgres/find-postgres.ts"
import { postgresDriver } from "../src/disk/postgres/postgres-driver.ts"
import { migrateTeam } from "../src/team/server/migrate-team.ts"
import { shared } from "../src/team/server/test-team-server.ts"
import { type PostgresServer, startPostgres } from "./postgres/start-postgres.ts"
import { cliPath, runCli } from "./run-cli.ts"

const running = new Set<ChildProcess>()
const folders: string[] = []
afterAll(() => {
  for (const child of running) child.kill("SIGKILL")
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "drey-serve-"))
  folders.push(folder)
  return folder
}

/** The built `drey team serve`, on a free port, once it says where it serves. */
async function serve(args: readonly string[]) {
  const child = spawn(process.execPath, [cliPath, "team", "serve", "--listen", "127.0.0.1:0", "--json", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, DREY_HOME: newFolder() },
  })
  running.add(child)
  const log: string[] = []
  createInterface({ input: child.stderr }).on("line", (line) => log.push(line))
  const ended = once(child, "exit").then(([code]) => {
    running.delete(child)
    return code as number
  })
  let told = ""
  const ready = await new Promise<{ url: string; ownerLink: string | null }>((resolve, reject) => {
    child.stdout.on("data", (data: Buffer) => {
      told += data
      if (told.trimEnd().endsWith("}")) resolve(JSON.parse(told))
    })
    void ended.then((code) => reject(new Error(`it ended with ${code}: ${log.join("\n")}`)))
  })
  return { ...ready, child, log, ended }
}

/** Comes in by the owner's link and makes a token, with which all else is asked. */
async function comeIn(url: string, link: string | null) {
  const json = { "content-type": "application/json" }
  const token = link?.split("#")[1]
  const joined = await fetch(`${url}/v1/sign-in/link`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ token, name: "Kim" }),
  })
  const cookie = joined.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const body = JSON.stringify({ name: "test", scopes: ["read", "write", "admin"] })
  const made = await fetch(`${url}/v1/tokens`, { method: "POST", headers: { ...json, cookie, origin: url }, body })
  const { secret } = (await made.json()) as { secret: string }
  return (method: string, path: string, given?: unknown) =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, ...json },
      ...(given === undefined ? {} : { body: JSON.stringify(given) }),
    })
}

test("on a database of its own it serves one process, keeps what it was told, and ends when asked", {
  timeout: 300_000,
}, async () => {
  const data = newFolder()
  const first = await serve(["--data", data, "--drain", "1", "--owner", "kim@example.com"])
  const ask = await comeIn(first.url, first.ownerLink)
  expect((await ask("POST", "/v1/memories", shared())).status).toBe(201)
  const second = await runCli(["team", "serve", "--data", data, "--listen", "127.0.0.1:0"], { cwd: newFolder() })
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("is in use by another Drey server")])

  first.child.kill("SIGTERM")
  await expect.poll(async () => (await fetch(`${first.url}/readyz`)).status).toBe(503)
  expect((await ask("GET", "/v1/me")).status).toBe(200) // it still serves who has not noticed
  expect(await first.ended).toBe(0)

  const invited = await runCli(["team", "invite-owner", "--data", data, "--owner", "kim@example.com", "--json"], {
    cwd: newFolder(),
  })
  const again = await serve(["--data", data])
  expect(again.ownerLink).toBeNull() // it was told once
  const askAgain = await comeIn(again.url, JSON.parse(invited.stdout).ownerLink)
  const found = (await (await askAgain("POST", "/v1/search", { q: "payment tests" })).json()) as { hits: unknown[] }
  expect(found.hits).toHaveLength(1)
  again.child.kill("SIGKILL")
  await again.ended
  const audit = await runCli(["team", "verify-audit", "--data", data], { cwd: newFolder() })
  expect([audit.code, audit.stdout]).toEqual([0, "The audit of team is as it was written\n"])
})

test("what cannot be meant is told before anything is opened", async () => {
  const told = async (...args: string[]) => {
    const data = join(newFolder(), "unused")
    const { code, stderr } = await runCli(["team", "serve", "--data", data, ...args], { cwd: newFolder() })
    return [code, stderr]
  }
  expect(await told("--listen", "everywhere")).toEqual([2, expect.stringContaining("no address to listen on")])
  expect(await told("--public-url", "drey.example.com/team")).toEqual([
    2,
    expect.stringContaining("https://drey.example.com"),
  ])
  expect(await told("--org", "Acme Corp.")).toEqual([2, expect.stringContaining("no short name")])
  expect(await told("--log-level", "loud")).toEqual([2, expect.stringContaining("no level of the log")])
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

  test("a database that goes away is waited for, and nothing that was acknowledged is lost", {
    timeout: 300_000,
  }, async () => {
    const url = await database("restarted")
    const server = await serve(["--database-url", url, "--drain", "0", "--connections", "4", "--log-level", "warn"])
    const ask = await comeIn(server.url, server.ownerLink)
    const acknowledged: string[] = []
    let isOver = false
    const writing = (async () => {
      for (let at = 0; !isOver; at++) {
        const text = `Rule ${at} of the load that is put on it`
        const response = await ask("POST", "/v1/memories", shared({ text, sourceMemory: `m-${at}` })).catch(
          () => undefined,
        )
        if (response?.ok) acknowledged.push(text)
        else if (response) expect([500, 503]).toContain(response.status)
      }
    })()
    await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(10)
    await postgres.kill()
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503)
    const before = acknowledged.length
    await postgres.start()
    await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(before + 10)
    isOver = true
    await writing
    const kept = new Set<string>()
    for (let after = ""; ; ) {
      const page = await ask("GET", `/v1/memories?limit=500${after && `&after=${after}`}`)
      const { memories, next } = (await page.json()) as { memories: { text: string }[]; next: string | null }
      for (const { text } of memories) kept.add(text)
      if (next === null) break
      after = next
    }
    expect(acknowledged.filter((text) => !kept.has(text))).toEqual([])
    server.child.kill("SIGTERM")
    expect(await server.ended).toBe(0)
  })

  test("without a database it says so", async () => {
    const url = "postgres://nobody@127.0.0.1:1/none"
    const { code, stderr } = await runCli(["team", "serve", "--database-url", url], { cwd: newFolder() })
    expect([code, stderr]).toEqual([2, expect.stringContaining("the database cannot be reached")])
  })
})
