import { existsSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { dreyHome } from "../config.ts"
import { makeFolder } from "../disk/atomic-write.ts"
import { whyNotPrivate } from "../disk/home-files.ts"
import { withLockIfFree } from "../disk/lock.ts"
import type { PostgresDriver } from "../disk/postgres/driver.ts"
import { pgliteDriver } from "../disk/postgres/pglite-driver.ts"
import { postgresDriver } from "../disk/postgres/postgres-driver.ts"
import { fileError } from "../disk/text-files.ts"
import { DreyError, exitCode } from "../errors.ts"
import { type MigrateOptions, migrate } from "../memories/postgres/migrations.ts"
import { installQueue } from "./jobs/job-queue.ts"

/** A PostgreSQL server, or a folder of the embedded database (by default in Drey's home), used by one process at a time. */
export type DatabasePlace =
  | { kind: "server"; url: string; connections: number }
  | { kind: "folder"; path: string | undefined }

/** Opens the database while `act` runs. */
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
    hint: "The embedded database supports one process. For several, use --database-url.",
    exitCode: exitCode.no,
  })
}

/** Users with access to the folder could read members' data and change the database's access rules. */
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
      ? `Restrict access to it: chmod 700 ${path}`
      : "Choose another folder with --data.",
    exitCode: exitCode.no,
  })
}

/** Like `withDatabase`, with a clear error if the database has not been migrated. */
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
  throw new DreyError("This database has no Drey tables yet", {
    hint: "Create them with drey team migrate or drey team serve, or check that this is the right database.",
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

/** Migrates all tables, including the job queue's, while other servers keep running. */
export async function migrateTeam(
  driver: PostgresDriver,
  options: Pick<MigrateOptions, "to"> = {},
): Promise<{ from: number; to: number }> {
  const migrated = await migrate(driver, options)
  await installQueue(driver)
  return migrated
}
