import { execFileSync } from "node:child_process"
import { chownSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../scripts/postgres/find-postgres.ts"
import { postgresDriver } from "../src/disk/postgres/postgres-driver.ts"
import { shared } from "../src/server/test-team-server.ts"
import { type PostgresServer, postgresOwner, startPostgres } from "./postgres/start-postgres.ts"
import { keptOf } from "./team/load-team.ts"
import { askTeam, ownerToken, serveTeam } from "./team/serve-team.ts"

const disk = findPostgres() === undefined ? undefined : smallDisk()
const why = "needs PostgreSQL, and to be root where a disk can be mounted"

describe.skipIf(disk === undefined)(`a full disk (${why})`, () => {
  const folder = disk as string
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(async () => {
    await postgres?.stop()
    execFileSync("umount", [folder])
    rmSync(folder, { recursive: true })
  })

  test("refuses writes and says so, keeps serving reads, loses nothing, and accepts writes again when there is space", async () => {
    const admin = postgresDriver(postgres.url)
    await admin.asOwner((ask) => ask(`CREATE TABLESPACE small LOCATION '${join(folder, "space")}'`))
    await admin.asOwner((ask) => ask("CREATE DATABASE small TABLESPACE small"))
    const url = postgres.url.replace(/postgres$/, "small")
    const server = await serveTeam(["--database-url", url, "--no-jobs", "--drain", "0", "--log-level", "error"])
    const secret = await ownerToken(server)
    const send = (path: string, body?: unknown) => askTeam(server.url, secret, path, body)
    const acknowledged: string[] = []
    const write = async (at: number) => {
      const text = `Rule ${at} ${"of a long line of words ".repeat(10)}`
      const answer = await send("/v1/memories", shared({ text, sourceMemory: `m-${at}` }))
      const body = (await answer.json()) as { id: string; error: string; code: string }
      if (answer.ok) acknowledged.push(body.id)
      return { ...body, status: answer.status, retryAfter: answer.headers.get("retry-after") }
    }

    for (let at = 0; at < 10; at++) expect((await write(at)).status).toBe(201)
    const ballast = join(folder, "ballast")
    const { bavail, bsize } = statfsSync(folder)
    writeFileSync(ballast, Buffer.alloc(bavail * bsize))
    let answer = await write(10)
    for (let at = 11; answer.status === 201; at++) answer = await write(at)
    expect(answer).toEqual({ status: 507, retryAfter: "60", error: "The server's disk is full.", code: "full" })
    expect((await send("/v1/search", { q: "a long line of words" })).status).toBe(200)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200) // who only reads is served
    expect((await keptOf(send)).map(([id]) => id)).toEqual([...acknowledged].sort())

    rmSync(ballast)
    for (let at = 1000; at < 1010; at++) expect((await write(at)).status).toBe(201)
    expect((await keptOf(send)).map(([id]) => id)).toEqual([...acknowledged].sort())
    server.child.kill("SIGTERM")
    expect(await server.ended).toBe(0)
    await admin.asOwner((ask) => ask("DROP DATABASE small"))
    await admin.asOwner((ask) => ask("DROP TABLESPACE small"))
    await admin.close()
  })
})

/** A disk of a few megabytes with a folder that PostgreSQL may write to; undefined where none may be mounted. */
function smallDisk(): string | undefined {
  const owner = postgresOwner()
  if (!owner) return undefined
  const folder = mkdtempSync(join(tmpdir(), "drey-small-disk-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=32m", "tmpfs", folder], { stdio: "ignore" })
  } catch {
    rmSync(folder, { recursive: true })
    return undefined // not here
  }
  mkdirSync(join(folder, "space"))
  chownSync(join(folder, "space"), owner.uid, owner.gid)
  return folder
}
