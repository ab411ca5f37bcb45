import type { Command } from "commander"
import { given } from "../given.ts"
import { parseCount } from "../parse-count.ts"
import { type CommonOptions, print } from "../print.ts"
import { type DatabaseOptions, databasePlaceOf, serverCommand } from "../team-database.ts"

type Options = CommonOptions & DatabaseOptions & { to?: string }

export function teamMigrateCommand(): Command {
  return serverCommand(
    "migrate",
    "Migrate the database of a team server; servers of the previous version keep running. The database user must own the tables.",
    "drey team migrate --database-url postgres://drey@db/drey",
  )
    .option("--to <version>", "stop at this version")
    .action(migrateTables)
}

async function migrateTables(options: Options): Promise<void> {
  const { withDatabase } = await import("../../team/server/with-database.ts")
  const { migrateTeam } = await import("../../team/server/migrate-team.ts")
  const to = options.to === undefined ? undefined : parseCount(options.to, "a version", 1, 1_000_000)
  const done = await withDatabase(databasePlaceOf(options), (driver) => migrateTeam(driver, given({ to })))
  print(
    options,
    () => done,
    () =>
      done.from === done.to
        ? `The tables are up to date: version ${done.to}`
        : `Migrated the tables from version ${done.from} to ${done.to}`,
  )
}
