import { existsSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { dreyHome } from "../../config.ts"
import { fileError } from "../../disk/file-error.ts"
import { withLockIfFree } from "../../disk/lock.ts"
import type { PostgresDriver } from "../../disk/postgres/driver.ts"
import { pgliteDriver } from "../../disk/postgres/pglite-driver.ts"
import { postgresDriver } from "../../disk/postgres/postgres-driver.ts"
import { whyNotPrivate } from "../../disk/private-folder.ts"
import { makeFolder } from "../../disk/write-file-atomic.ts"
import { DreyError, exitCode } from "../../errors.ts"

/** Where the rows are: a PostgreSQL server, or a folder that this process has to itself, by default one of Drey's own. */
export type DatabasePlace =
  | { kind: "server"; url: string; connections: number }
  | { kind: "folder"; path: string | undefined }

/** Opens the database for as long as it is worked with. */
export async function withDatabase<Result>(
  place: DatabasePlace,
  act: (driver: PostgresDriver) => Promise<Result>,
): Promise<Result> {
  if (place.kind === "server") return withDriver(postgresDriver(place.url, { connections: place.connections }), act)
  const path = place.path ?? join(dreyHome(process.env), "team-server")
  requirePrivate(path)
  const outcome = await withLockIfFree(join(path, "lock"), async () => withDriver(await pgliteDriver(path), act))
  if (outcome.kind === "done") return outcome.result
  throw new DreyError(`${path} is in use by another Drey server`, {
    hint: "The embedded database is for one process. For several, give --database-url.",
    exitCode: exitCode.no,
  })
}

/** Whoever can enter the folder reads the members' data in it, and may write the rules by which the database lets others in. */
function requirePrivate(path: string): void {
  try {
    if (!existsSync(path)) makeFolder(path, 0o700)
  } catch (error) {
    throw fileError(path, error)
  }
  const problem = whyNotPrivate(realpathSync(path))
  if (problem === undefined) return
  throw new DreyError(`The team database cannot be in ${path}: ${problem}`, {
    hint: problem.startsWith("other users")
      ? `Make it yours alone: chmod 700 ${path}`
      : "Choose another folder with --data.",
    exitCode: exitCode.no,
  })
}

/** The same for who works on tables that somebody else has made: a database without them is told from one that does not work. */
export function withTables<Result>(
  place: DatabasePlace,
  act: (driver: PostgresDriver) => Promise<Result>,
): Promise<Result> {
  return withDatabase(place, async (driver) => {
    await requireTables(driver)
    return act(driver)
  })
}

async function requireTables(driver: PostgresDriver): Promise<void> {
  const { rows } = await driver.asOwner((ask) => ask("SELECT to_regclass('drey.schema_version') IS NULL AS missing"))
  if (rows[0]?.missing !== true) return
  throw new DreyError("There is no team in this database yet: it has no tables of Drey's", {
    hint: "drey team migrate makes them, and drey team serve does when it starts; or this is not the database that was meant.",
    exitCode: exitCode.no,
  })
}

async function withDriver<Result>(
  driver: PostgresDriver,
  act: (driver: PostgresDriver) => Promise<Result>,
): Promise<Result> {
  try {
    return await act(driver)
  } finally {
    await driver.close()
  }
}
