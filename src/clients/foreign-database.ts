import { type Database, openDatabase, type Statement } from "../disk/sqlite.ts"
import { DreyError } from "../errors.ts"
import { fileAt } from "./look-of.ts"

type Look<Result> = (database: Database) => Result & (Result extends PromiseLike<unknown> ? never : unknown)

/**
 * Reads another program's database read-only, in one snapshot that includes its write-ahead log. `columns` are the
 * required columns of each table; a database without them, locked or damaged is a `DreyError`.
 */
export function lookInto<Result>(path: string, columns: Record<string, string[]>, look: Look<Result>): Result {
  const database = openOnce(path)
  return database.transaction("deferred", () => {
    for (const [table, names] of Object.entries(columns)) requireColumns(database, path, table, names)
    return look(database)
  })
}

/** The same, but undefined for a database that is locked, damaged, or of a version with other tables. */
export function lookIfReadable<Result>(
  path: string,
  columns: Record<string, string[]>,
  look: Look<Result>,
): Result | undefined {
  try {
    return lookInto(path, columns, look)
  } catch (error) {
    if (error instanceof DreyError) return undefined
    throw error
  }
}

type Kept = { database: Database; file: string }

/**
 * Databases stay open for the next query: closing frees no file until garbage collection (the SQLite package of older
 * Nodes leaves that to its statements), and a database of a thousand sessions would be opened a thousand times.
 */
const kept = new Map<string, Kept>()
const mostKept = 4

function openOnce(path: string): Database {
  const file = fileAt(path)
  const known = kept.get(path)
  if (known && known.file !== file) letGo(path)
  const database =
    known?.file === file ? known.database : withKeptStatements(openDatabase(path, { readOnly: true, timeoutMs: 500 }))
  kept.delete(path)
  kept.set(path, { database, file }) // the most recently used is last
  const [longestIdle = ""] = kept.keys()
  if (kept.size > mostKept) letGo(longestIdle)
  return database
}

function letGo(path: string): void {
  kept.get(path)?.database.close()
  kept.delete(path)
}

function withKeptStatements(database: Database): Database {
  const statements = new Map<string, Statement<unknown>>()
  const prepare = <Row>(sql: string): Statement<Row> => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement as Statement<Row>
  }
  return { ...database, prepare }
}

function requireColumns(database: Database, path: string, table: string, names: string[]): void {
  const there = database.prepare<{ name: string }>("SELECT name FROM pragma_table_info(?)").all(table)
  const missing = names.find((name) => there.every((column) => column.name !== name))
  if (missing !== undefined)
    throw new DreyError(`${path} has no ${table}.${missing}: it was written by another version`)
}
