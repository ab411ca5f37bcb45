import type { PostgresDriver } from "../../disk/postgres/driver.ts"
import { type MigrateOptions, migrate } from "../../store/postgres/migrate.ts"
import { installQueue } from "./jobs/install-queue.ts"

/** Migrates all tables, including the job queue's, while other servers keep running. */
export async function migrateTeam(
  driver: PostgresDriver,
  options: Pick<MigrateOptions, "to"> = {},
): Promise<{ from: number; to: number }> {
  const migrated = await migrate(driver, options)
  await installQueue(driver)
  return migrated
}
