import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { findPostgres } from "../../../scripts/postgres/find-postgres.ts"
import { newDatabase } from "../../../test/postgres/start-postgres.ts"
import { verifyTeamAudit } from "./identity/verify-team-audit.ts"
import { migrateTeam } from "./migrate-team.ts"
import { type DatabasePlace, withDatabase, withTables } from "./with-database.ts"

async function checkPlace(place: DatabasePlace) {
  const verify = () => withTables(place, (driver) => verifyTeamAudit(driver, "acme"))
  await expect(verify()).rejects.toThrow("There is no team in this database yet")
  await withDatabase(place, (driver) => migrateTeam(driver))
  expect(await verify()).toBeUndefined()
}

test("a folder that was never migrated is told from one that does not work", { timeout: 120_000 }, async () => {
  const path = mkdtempSync(join(tmpdir(), "drey-database-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  await checkPlace({ kind: "folder", path })
})

describe.skipIf(findPostgres() === undefined)("on a PostgreSQL server (needs one installed)", () => {
  test("so is an empty database, also beside another one that has the role", async () => {
    await checkPlace({ kind: "server", url: await newDatabase(), connections: 2 })
    await checkPlace({ kind: "server", url: await newDatabase(), connections: 2 })
  })
})
