import { type Database, openDatabase } from "../disk/sqlite.ts"

/** Every row of every table, in an order that does not depend on how it came to be: two databases with the same dump hold the same. */
export function dumpStore(path: string): string[] {
  const database = openDatabase(path, { readOnly: true })
  try {
    return database.transaction("deferred", () => dumpTables(database))
  } finally {
    database.close()
  }
}

function dumpTables(database: Database): string[] {
  const tables = database
    .prepare<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all()
  return tables.flatMap(({ name }) => {
    const columns = database.prepare<{ name: string }>("SELECT name FROM pragma_table_xinfo(?) ORDER BY cid").all(name)
    // Integers as text: those of a hash are larger than JavaScript's.
    const shown = columns.map(
      (column) =>
        `CASE typeof("${column.name}") WHEN 'blob' THEN hex("${column.name}") WHEN 'integer' THEN CAST("${column.name}" AS TEXT) ELSE "${column.name}" END`,
    )
    const order = shown.map((_, at) => at + 1).join(", ")
    const rows = database.prepare(`SELECT ${shown.join(", ")} FROM "${name}" ORDER BY ${order}`).all()
    return rows.map((row) => `${name} ${JSON.stringify(Object.values(row))}`)
  })
}
