import { firstTables, firstTriggers, wholeVectors } from "./first-tables.ts"

export type Migration = {
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
export const policies = `
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
