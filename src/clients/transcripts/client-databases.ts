import { type Database, openDatabase, type SqlStatement } from "../../disk/sqlite.ts"
import { DreyError } from "../../errors.ts"
import type { Position } from "../../formats/client-events.ts"
import type { Batch, Transcript } from "../client.ts"
import { joinReadings, type TranscriptReading } from "./event-collector.ts"
import { fileIdentity, readWhole } from "./whole-files.ts"

/** How to read one client's database. */
export type DatabaseFormat<Session> = {
  /** The required columns of each table; no other table is queried. */
  columns: Record<string, string[]>
  /** The named session, or all of them. */
  sessions(database: Database, named: string | undefined): Session[]
  /** Changes whenever the session changes. */
  stampOf(database: Database, session: Session): string
  /** Reads a session, reporting the bytes read. */
  read(database: Database, session: Session, note: (bytes: number) => void): TranscriptReading
}

/** Reads a session of a database, or the whole database, if it changed. */
export function readDatabase<Session>(
  { path, session }: Transcript,
  from: Position | undefined,
  format: DatabaseFormat<Session>,
): AsyncIterable<Batch> {
  return readWhole([path, `${path}-wal`], from, (before) =>
    readForeignDatabase(path, format.columns, (database) => {
      const sessions = format.sessions(database, session)
      const stamp = sessions.map((each) => format.stampOf(database, each)).join(" ")
      if (stamp === before) return { account: "unchanged" as const, bytes: 0, stamp }
      let bytes = 0
      const note = (read: number) => {
        bytes += read
      }
      return { account: joinReadings(sessions.map((each) => format.read(database, each, note))), bytes, stamp }
    }),
  )
}

type Look<Result> = (database: Database) => Result & (Result extends PromiseLike<unknown> ? never : unknown)

/**
 * Reads another program's database read-only, in one snapshot that includes its write-ahead log. `columns` are the
 * required columns of each table; a database without them, locked or damaged is a `DreyError`.
 */
export function readForeignDatabase<Result>(
  path: string,
  columns: Record<string, string[]>,
  look: Look<Result>,
): Result {
  const database = openOnce(path)
  return database.transaction("deferred", () => {
    for (const [table, names] of Object.entries(columns)) requireColumns(database, path, table, names)
    return look(database)
  })
}

/** The same, but undefined for a database that is locked, damaged, or of a version with other tables. */
export function readForeignDatabaseIfPossible<Result>(
  path: string,
  columns: Record<string, string[]>,
  look: Look<Result>,
): Result | undefined {
  try {
    return readForeignDatabase(path, columns, look)
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
  const file = fileIdentity(path)
  const known = kept.get(path)
  if (known && known.file !== file) closeKept(path)
  const database =
    known?.file === file ? known.database : withKeptStatements(openDatabase(path, { readOnly: true, timeoutMs: 500 }))
  kept.delete(path)
  kept.set(path, { database, file }) // the most recently used is last
  const [longestIdle = ""] = kept.keys()
  if (kept.size > mostKept) closeKept(longestIdle)
  return database
}

function closeKept(path: string): void {
  kept.get(path)?.database.close()
  kept.delete(path)
}

function withKeptStatements(database: Database): Database {
  const statements = new Map<string, SqlStatement<unknown>>()
  const prepare = <Row>(sql: string): SqlStatement<Row> => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement as SqlStatement<Row>
  }
  return { ...database, prepare }
}

function requireColumns(database: Database, path: string, table: string, names: string[]): void {
  const there = database.prepare<{ name: string }>("SELECT name FROM pragma_table_info(?)").all(table)
  const missing = names.find((name) => there.every((column) => column.name !== name))
  if (missing !== undefined)
    throw new DreyError(`${path} has no ${table}.${missing}: it was written by another version`)
}
