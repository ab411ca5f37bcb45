import { createHash } from "node:crypto"
import { applicationRole, type RunQuery } from "../../disk/postgres/driver.ts"

/**
 * Lists what would let one tenant see another's rows; empty while the tables are as the migrations leave them. Reads
 * the catalogue, so that tables added by hand are checked, too.
 */
export async function checkTenancy(ask: RunQuery): Promise<string[]> {
  const { rows: tables } = await ask(tablesWithTenant)
  const { rows: roles } = await ask(
    `SELECT rolsuper, rolbypassrls, rolcanlogin, rolcreaterole FROM pg_roles WHERE rolname = '${applicationRole}'`,
  )
  const { rows: strangers } = await ask(tablesWithoutTenant)
  const [role] = roles
  return [
    ...(tables.length === 0 ? ["there are no tables"] : []),
    ...(role ? [] : [`the role ${applicationRole} is missing`]),
    ...(role?.rolsuper || role?.rolbypassrls ? [`the role ${applicationRole} bypasses row-level security`] : []),
    ...(role?.rolcreaterole ? [`the role ${applicationRole} can grant itself other roles`] : []),
    ...strangers.map(({ name }) => `${name} has no tenant_id`),
    ...tables.flatMap((table) => faultsOf(table as TableRow)),
    ...(await ask(teamPolicies)).rows
      .filter(({ sound }) => sound !== true)
      .map(({ name }) => `the policy own_teams of ${name} is missing or changed`),
  ]
}

type TableRow = {
  name: string
  enabled: boolean
  forced: boolean
  owned: boolean
  key_first: string | null
  /** Permissive policies: any one of them admits a row. */
  permissive: number
  /** Of these, the policies with exactly the expected condition. */
  sound: number
}

function faultsOf({ name, enabled, forced, owned, key_first, permissive, sound }: TableRow): string[] {
  return [
    ...(enabled ? [] : [`${name} has no row-level security`]),
    ...(forced ? [] : [`row-level security of ${name} does not apply to its owner`]),
    ...(owned ? [`${name} belongs to ${applicationRole}`] : []),
    ...(key_first === "tenant_id" ? [] : [`the primary key of ${name} does not begin with tenant_id`]),
    ...(sound === 1 ? [] : [`the policy own_tenant of ${name} is missing or changed`]),
    ...(permissive > sound ? [`${name} has an additional policy that admits more rows`] : []),
  ]
}

/** The condition as PostgreSQL prints it. */
const condition = "(tenant_id = (NULLIF(current_setting(''app.tenant''::text, true), ''''::text))::bigint)"

const tablesWithTenant = `
SELECT c.relname AS name, c.relrowsecurity AS enabled, c.relforcerowsecurity AS forced,
  pg_get_userbyid(c.relowner) = '${applicationRole}' AS owned,
  (SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
   WHERE i.indrelid = c.oid AND i.indisprimary) AS key_first,
  (SELECT count(*)::integer FROM pg_policy p WHERE p.polrelid = c.oid AND p.polpermissive) AS permissive,
  (SELECT count(*)::integer FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'own_tenant' AND p.polpermissive AND p.polcmd = '*'
     AND p.polroles = '{0}' AND pg_get_expr(p.polqual, c.oid) = '${condition}' AND pg_get_expr(p.polwithcheck, c.oid) = '${condition}') AS sound
FROM pg_class c
WHERE c.relnamespace = 'drey'::regnamespace AND c.relkind IN ('r', 'p')
  AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
ORDER BY c.relname`

/** The schema version is shared by all tenants. */
const tablesWithoutTenant = `
SELECT c.relname AS name FROM pg_class c
WHERE c.relnamespace = 'drey'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname <> 'schema_version'
  AND NOT EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
ORDER BY c.relname`

/** A team's memories and their index rows are visible to its members only. */
const teamPolicies = `
SELECT name, EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = ('drey.' || name)::regclass AND p.polname = 'own_teams'
    AND NOT p.polpermissive AND p.polcmd = '*' AND p.polroles = '{0}' AND p.polwithcheck IS NULL
    AND pg_get_expr(p.polqual, p.polrelid) = '((' || mine || ') OR (current_setting(''app.teams''::text, true) = ''*''::text) OR ('
      || team || ' = ANY (string_to_array(current_setting(''app.teams''::text, true), '',''::text))))') AS sound
FROM (VALUES ('memories', 'owner_type <> ''team''::text', 'owner_id'), ('spaces', 'team_id = ''''::text', 'team_id'))
  AS wanted (name, mine, team)`

/** The number of an organisation, derived from its slug, so that setting the tenant needs no lookup. */
export function tenantIdOf(slug: string): string {
  const digest = createHash("sha256").update(`drey organisation\n${slug}`).digest()
  return (digest.readBigUInt64BE() >> 1n).toString()
}
