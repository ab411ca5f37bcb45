import { all, type Steps } from "../../../store/steps.ts"

export type TenantTable = { name: string; columns: string[]; key: string[] }

/** Every table with an organisation's rows, from the database catalogue, so that new tables are included automatically. */
export function* tenantTables(): Steps<TenantTable[]> {
  const rows = yield* all<{ name: string; columns: string; keys: string }>(
    `SELECT tables.relname AS name,
       (SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = tables.oid AND attnum > 0 AND NOT attisdropped AND attname <> 'tenant_id') AS columns,
       (SELECT coalesce(string_agg(attname, ',' ORDER BY array_position(indkey, attnum)), '') FROM pg_index
        JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
        WHERE indrelid = tables.oid AND indisprimary AND attname <> 'tenant_id') AS keys
     FROM pg_class AS tables JOIN pg_attribute AS tenant ON tenant.attrelid = tables.oid AND tenant.attname = 'tenant_id'
     WHERE tables.relnamespace = to_regnamespace('drey') AND tables.relkind IN ('r', 'p') ORDER BY tables.relname`,
  )
  return rows.map(({ name, columns, keys }) => ({
    name,
    columns: columns.split(","),
    key: keys === "" ? [] : keys.split(","),
  }))
}
