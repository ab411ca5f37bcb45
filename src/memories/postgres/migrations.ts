import { applicationRole, type PostgresDriver, type RunQuery } from "../../disk/postgres/driver.ts"
import { codeOf } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { episodeSummaries, subAgents } from "../sqlite-migrations.ts"
import { firstTables, firstTriggers, wholeVectors } from "./first-tables.ts"

export type MigrateOptions = { to?: number; steps?: readonly Migration[] }

/** Lock key, "Drey" in ASCII: when several servers start at once, one migrates and the others wait. */
const turn = 0x44726579

/** Migrates while other servers keep serving; returns the version before and after. */
export function migrate(driver: PostgresDriver, options: MigrateOptions = {}): Promise<{ from: number; to: number }> {
  const { steps = migrations, to = steps.length } = options
  return driver.asOwner((ask) =>
    withMigrationLock(ask, async () => {
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
export async function withMigrationLock<Result>(ask: RunQuery, act: () => Promise<Result>): Promise<Result> {
  await takeTurn(ask)
  try {
    return await act()
  } finally {
    await ask(`SELECT pg_advisory_unlock(${turn})`)
  }
}

/** Polls: waiting inside a statement would block index builds, which in turn wait for that statement. */
async function takeTurn(ask: RunQuery): Promise<void> {
  for (;;) {
    const { rows } = await ask(`SELECT pg_try_advisory_lock(${turn}) AS mine`)
    if (rows[0]?.mine === true) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** The server's role owns nothing and cannot log in; the migrating role may switch to it. */
async function prepare(ask: RunQuery): Promise<void> {
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
export async function versionOf(ask: RunQuery): Promise<number> {
  const { rows } = await ask("SELECT coalesce(max(version), 0) AS version FROM drey.schema_version")
  return Number(rows[0]?.version ?? 0)
}

async function takeStep(ask: RunQuery, version: number, { sql, inTransaction }: Migration): Promise<void> {
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

type Migration = {
  sql: string
  /** False for statements that PostgreSQL runs concurrently, such as building an index. */
  inTransaction: boolean
  /** False if a server of this version also works without it, if more slowly. */
  isRequired: boolean
}

/** The tenant of the transaction; null if none is set, which matches no row. */
const currentTenant = "nullif(current_setting('app.tenant', true), '')::bigint"

/**
 * Each migrates a database from the previous version to its own number, starting at 1; a published migration never
 * changes. Servers of the previous version keep working: a step only adds, and a later step removes what no server uses
 * any more.
 */
export const migrations: readonly Migration[] = [
  { sql: spellOut(firstTables + firstTriggers + wholeVectors), inTransaction: true, isRequired: true },
  // An administrator searches the audit by subject.
  {
    sql: "CREATE INDEX CONCURRENTLY IF NOT EXISTS team_audit_subject ON team_audit (tenant_id, subject)",
    inTransaction: false,
    isRequired: false,
  },
  // Counts a member's uses per day.
  {
    sql: "CREATE INDEX CONCURRENTLY IF NOT EXISTS use_events_member ON use_events (tenant_id, member_id, at)",
    inTransaction: false,
    isRequired: false,
  },
  { sql: spellOut(episodeSummaries), inTransaction: true, isRequired: true },
  { sql: spellOut(subAgents), inTransaction: true, isRequired: true },
]

/** The oldest schema version that a server of this version can use. */
export const leastVersion = migrations.findLastIndex(({ isRequired }) => isRequired) + 1

/** Texts compare bytewise, as in SQLite; the tenant comes from the transaction and is required. */
function spellOut(sql: string): string {
  return sql
    .replaceAll(/\bTENANT\b/g, `tenant_id bigint NOT NULL DEFAULT ${currentTenant}`)
    .replaceAll(/\bTEXT\b/g, 'text COLLATE "C"')
}

/**
 * Applies to every table with a tenant, including those of later migrations: row-level security that also binds the
 * owner. Team memories are visible to the team's members only.
 */
const policies = `
DO $$
DECLARE each record;
BEGIN
  FOR each IN SELECT c.oid, c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
    WHERE c.relnamespace = 'drey'::regnamespace AND c.relkind IN ('r', 'p')
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON drey.%I TO drey_app', each.relname);
    IF NOT (SELECT relrowsecurity AND relforcerowsecurity FROM pg_class WHERE oid = each.oid) THEN
      EXECUTE format('ALTER TABLE drey.%I ENABLE ROW LEVEL SECURITY', each.relname);
      EXECUTE format('ALTER TABLE drey.%I FORCE ROW LEVEL SECURITY', each.relname);
    END IF;
    IF NOT EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = each.oid AND polname = 'own_tenant') THEN
      EXECUTE format('CREATE POLICY own_tenant ON drey.%I USING (tenant_id = ${currentTenant.replaceAll("'", "''")}) WITH CHECK (tenant_id = ${currentTenant.replaceAll("'", "''")})', each.relname);
    END IF;
  END LOOP;
  IF NOT EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = 'drey.memories'::regclass AND polname = 'own_teams') THEN
    CREATE POLICY own_teams ON drey.memories AS RESTRICTIVE USING (
      owner_type <> 'team' OR current_setting('app.teams', true) = '*' OR owner_id = ANY (string_to_array(current_setting('app.teams', true), ',')));
  END IF;
  IF NOT EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = 'drey.spaces'::regclass AND polname = 'own_teams') THEN
    CREATE POLICY own_teams ON drey.spaces AS RESTRICTIVE USING (
      team_id = '' OR current_setting('app.teams', true) = '*' OR team_id = ANY (string_to_array(current_setting('app.teams', true), ',')));
  END IF;
END $$;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA drey TO drey_app;
`
