import { codeOf } from "../../disk/file-error.ts"
import { type Ask, applicationRole, type PostgresDriver } from "../../disk/postgres/driver.ts"
import { DreyError } from "../../errors.ts"
import { type Migration, migrations, policies } from "./migrations.ts"

export type MigrateOptions = { to?: number; steps?: readonly Migration[] }

/** Lock key, "Drey" in ASCII: when several servers start at once, one migrates and the others wait. */
const turn = 0x44726579

/** Migrates while other servers keep serving; returns the version before and after. */
export function migrate(driver: PostgresDriver, options: MigrateOptions = {}): Promise<{ from: number; to: number }> {
  const { steps = migrations, to = steps.length } = options
  return driver.asOwner((ask) =>
    inTurn(ask, async () => {
      await prepare(ask)
      const from = await versionOf(ask)
      if (from > steps.length)
        throw new DreyError(
          `the database was set up by a later version of Drey: its schema version is ${from}, this version supports ${steps.length}`,
          {
            hint: "Update Drey on this server. The database was not changed.",
          },
        )
      for (let version = from; version < to; version++) await takeStep(ask, version + 1, steps[version] as Migration)
      return { from, to: Math.max(from, to) }
    }),
  )
}

/** While no other server changes tables, including those of the job queue. */
export async function inTurn<Result>(ask: Ask, act: () => Promise<Result>): Promise<Result> {
  await takeTurn(ask)
  try {
    return await act()
  } finally {
    await ask(`SELECT pg_advisory_unlock(${turn})`)
  }
}

/** Polls: waiting inside a statement would block index builds, which in turn wait for that statement. */
async function takeTurn(ask: Ask): Promise<void> {
  for (;;) {
    const { rows } = await ask(`SELECT pg_try_advisory_lock(${turn}) AS mine`)
    if (rows[0]?.mine === true) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** The server's role owns nothing and cannot log in; the migrating role may switch to it. */
async function prepare(ask: Ask): Promise<void> {
  await ask(`DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '${applicationRole}') THEN CREATE ROLE ${applicationRole} NOLOGIN NOBYPASSRLS; END IF;
    IF NOT pg_has_role(current_user, '${applicationRole}', 'MEMBER') THEN EXECUTE format('GRANT ${applicationRole} TO %I', current_user); END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`)
  await ask("CREATE SCHEMA IF NOT EXISTS drey")
  await ask(`GRANT USAGE ON SCHEMA drey TO ${applicationRole}`)
  await ask("CREATE TABLE IF NOT EXISTS drey.schema_version (version integer NOT NULL)")
  await ask(`GRANT SELECT ON drey.schema_version TO ${applicationRole}`)
}

/** The schema version of a database. */
export async function versionOf(ask: Ask): Promise<number> {
  const { rows } = await ask("SELECT coalesce(max(version), 0) AS version FROM drey.schema_version")
  return Number(rows[0]?.version ?? 0)
}

async function takeStep(ask: Ask, version: number, { sql, inTransaction }: Migration): Promise<void> {
  await ask("SET lock_timeout = '3s'") // a session waiting for a lock blocks all others behind it
  for (let attempt = 1; ; attempt++) {
    try {
      if (!inTransaction) await ask(sql)
      await ask("BEGIN")
      if (inTransaction) await ask(sql)
      await ask(policies)
      await ask(`INSERT INTO drey.schema_version (version) VALUES (${version})`)
      await ask("COMMIT")
      return
    } catch (error) {
      await ask("ROLLBACK")
      if (codeOf(error) !== lockTimeout || attempt === 20) throw error
      await new Promise((resolve) => setTimeout(resolve, 250 * attempt))
    }
  }
}

const lockTimeout = "55P03"
