import PgBoss from "pg-boss"
import { applicationRole, type PostgresDriver, type PostgresValue, type RunQuery } from "../../disk/postgres/driver.ts"
import { withMigrationLock } from "../../memories/postgres/migrations.ts"

/** Background jobs. Only ids are queued: a job reads the rows when it runs. */
export type JobPayloads = {
  /** Promotes, ends and flags memories of a project; "" for memories of all projects. */
  evaluate: { slug: string; project: string }
  /** Learns from pending uploaded episodes. */
  learn: { slug: string; project: string }
  /** Adds missing or outdated vectors and rebalances index buckets. */
  embed: { slug: string }
  /** Deletes expired tokens, sessions and invitations. */
  tidy: { slug: string }
}

export type JobName = keyof JobPayloads

export const jobNames = ["evaluate", "learn", "embed", "tidy"] as const satisfies readonly JobName[]

export type Jobs = {
  /** Debounced: the same job sent repeatedly within some seconds runs once. Errors go to the log; no response depends on a job. */
  send<Name extends JobName>(name: Name, payload: JobPayloads[Name]): Promise<void>
  /** Waits for running jobs. */
  close(): Promise<void>
}

/** Schema of the queue's tables. */
export const queueSchema = "pgboss"

/** Makes the queue's tables as the owner of the database, and lets the server use them; a second time changes nothing. */
export function installQueue(driver: PostgresDriver): Promise<void> {
  return driver.asOwner((ask) => withMigrationLock(ask, () => install(ask)))
}

async function install(ask: RunQuery): Promise<void> {
  const boss = new PgBoss({ db: bossDatabase(ask), schema: queueSchema, supervise: false, schedule: false })
  boss.on("error", () => {}) // what fails here is thrown as well
  await boss.start()
  for (const name of jobNames) {
    await boss.createQueue(`${name}-dead`)
    await boss.createQueue(name, queueOptions(name))
  }
  await boss.stop({ graceful: false, close: false })
  await ask(`GRANT USAGE ON SCHEMA ${queueSchema} TO ${applicationRole}`)
  await ask(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${queueSchema} TO ${applicationRole}`)
  await ask(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${queueSchema} TO ${applicationRole}`)
}

function queueOptions(name: string) {
  const expireInSeconds = 900
  return { name, retryLimit: 5, retryDelay: 5, retryBackoff: true, expireInSeconds, deadLetter: `${name}-dead` }
}

/** Runs the queue's queries over the existing connections. */
export function bossDatabase(ask: RunQuery): PgBoss.Db {
  return { executeSql: (text, values = []) => ask(text, values as PostgresValue[]) }
}
