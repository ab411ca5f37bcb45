import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { findPostgres } from "../../scripts/postgres/find-postgres.ts"
import { newDatabase } from "../../test/postgres/start-postgres.ts"
import { type DatabasePlace, migrateTeam, withDatabase, withTables } from "./database.ts"
import { verifyTeamAudit } from "./identity/team-audit.ts"

async function checkPlace(place: DatabasePlace) {
  const verifying = { slug: "acme", database: "test", known: undefined, environment: process.env }
  const verify = () => withTables(place, (driver) => verifyTeamAudit(driver, verifying))
  await expect(verify()).rejects.toThrow("This database has no Drey tables yet")
  await withDatabase(place, (driver) => migrateTeam(driver))
  expect(await verify()).toMatchObject({ kind: "intact", head: null })
}

test("a folder that was never migrated is distinguished from a broken one", { timeout: 120_000 }, async () => {
  const path = mkdtempSync(join(tmpdir(), "drey-database-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  await checkPlace({ kind: "folder", path })
})

describe.skipIf(process.platform === "win32")("the folder of the embedded database", () => {
  const newFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), "drey-database-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    return folder
  }
  const open = (path: string) => withDatabase({ kind: "folder", path }, (driver) => migrateTeam(driver))

  test("other users of the machine can neither read nor write it", { timeout: 120_000 }, async () => {
    const path = join(newFolder(), "below", "try-it")
    const before = process.umask(0o000) // the most generous that a user may have
    onTestFinished(() => void process.umask(before))
    const openOnes = () =>
      readdirSync(path, { recursive: true, encoding: "utf8" }).filter(
        (name) => (statSync(join(path, name)).mode & 0o077) !== 0,
      )
    await withDatabase({ kind: "folder", path }, async () => expect(openOnes()).toEqual([]))
    await open(path)
    expect(openOnes()).toEqual([])
    expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(process.umask()).toBe(0o000) // files that the process creates later follow the user's umask
  })

  test("one that others can enter is refused with a hint, and nothing is written", async () => {
    for (const mode of [0o755, 0o750, 0o701]) {
      const path = join(newFolder(), "try-it")
      mkdirSync(path)
      chmodSync(path, mode)
      await expect(open(path)).rejects.toMatchObject({
        message: expect.stringContaining("other users can enter it"),
        hint: expect.stringContaining(`chmod 700 ${path}`),
      })
      expect(readdirSync(path)).toEqual([])
    }
  })
})

describe.skipIf(findPostgres() === undefined)("on a PostgreSQL server (needs one installed)", () => {
  test("an empty database is recognised too, also beside another one that has the role", async () => {
    await checkPlace({ kind: "server", url: await newDatabase(), connections: 2 })
    await checkPlace({ kind: "server", url: await newDatabase(), connections: 2 })
  })
})
