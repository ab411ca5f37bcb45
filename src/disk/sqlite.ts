import { createRequire, isBuiltin } from "node:module"
import type { DatabaseSyncInstance } from "@photostructure/sqlite"
import { DreyError } from "../errors.ts"

declare const DREY_SQLITE: string

export type SqlValue = null | number | bigint | string | Uint8Array

/** Values for `?` in order, or one object for `:name`. */
export type SqlParameters = SqlValue[] | [Record<string, SqlValue>]

export type SqlRow = Record<string, SqlValue>

/** A prepared statement; the caller that prepares it declares the type of its rows. */
export type SqlStatement<Row> = {
  run(...parameters: SqlParameters): { changes: number; lastInsertRowid: number | bigint }
  get(...parameters: SqlParameters): Row | undefined
  all(...parameters: SqlParameters): Row[]
  iterate(...parameters: SqlParameters): IterableIterator<Row>
}

type TransactionMode = "deferred" | "immediate" | "exclusive"

export type Database = {
  exec(sql: string): void
  prepare<Row = SqlRow>(sql: string): SqlStatement<Row>
  /** Commits what `run` did, or rolls all of it back when it throws; an async `run` does not type-check. */
  transaction<Result>(mode: TransactionMode, run: () => Result & NotPromise<Result>): Result
  close(): void
}

type NotPromise<Result> = Result extends PromiseLike<unknown> ? never : unknown

type OpenOptions = { readOnly?: boolean; timeoutMs?: number }

let statementsRun = 0

/** How many statements this process has run so far, for the log. */
export function statementCount(): number {
  return statementsRun
}

/** Opens or creates a database; the folder must exist. Reads the file's header, so a foreign file is refused here. */
export function openDatabase(path: string, options: OpenOptions = {}): Database {
  const database = openWithoutReading(path, options)
  try {
    database.exec("PRAGMA schema_version")
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** The same without reading the file, or a journal beside it: the first statement does. */
export function openWithoutReading(path: string, options: OpenOptions = {}): Database {
  const explained = <Result>(act: () => Result): Result => {
    try {
      return act()
    } catch (error) {
      throw sqliteError(path, error)
    }
  }

  const native = explained(() => new (loadDriver())(path, { readOnly: options.readOnly ?? false }))
  const counted = <Result>(act: () => Result): Result => {
    statementsRun++
    return explained(act)
  }
  const exec = (sql: string) => counted(() => native.exec(sql))

  try {
    exec(`PRAGMA busy_timeout = ${options.timeoutMs ?? 5000}`)
  } catch (error) {
    native.close()
    throw error
  }

  return {
    exec,
    prepare<Row>(sql: string): SqlStatement<Row> {
      const statement = explained(() => native.prepare(sql))
      return {
        run: (...parameters) => counted(() => statement.run(...parameters)),
        get: (...parameters) => counted(() => statement.get(...parameters)),
        all: (...parameters) => counted(() => statement.all(...parameters)),
        *iterate(...parameters) {
          try {
            yield* statement.iterate(...parameters)
          } catch (error) {
            throw sqliteError(path, error)
          }
        },
      }
    },
    transaction(mode, run) {
      exec(`BEGIN ${mode}`)
      try {
        const result = run()
        exec("COMMIT")
        return result
      } catch (error) {
        rollBack(native)
        throw error
      }
    },
    close: () => native.close(),
  }
}

/** The same, preparing each text once: for a database with thousands of identical queries. Not for `iterate`. */
export function keepStatements(database: Database): Database {
  const kept = new Map<string, SqlStatement<SqlRow>>()
  return {
    ...database,
    prepare<Row>(sql: string): SqlStatement<Row> {
      const statement = kept.get(sql) ?? database.prepare(sql)
      kept.set(sql, statement)
      return statement as SqlStatement<Row>
    },
    close() {
      kept.clear()
      database.close()
    },
  }
}

/** True for an error that means the database is locked by another process; try again later. */
export function isBusy(error: unknown): boolean {
  return error instanceof DreyError && troubleOf(error.cause) === busy
}

const longestWaitMs = 60_000

/** Retries while another process holds a transaction for longer than SQLite's lock timeout, as a first build does. */
export async function retryWhileBusy<Result>(act: () => Result): Promise<Result> {
  const deadline = performance.now() + longestWaitMs
  for (;;) {
    try {
      return act()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** True for an error that means: this file holds no database that SQLite can read. */
export function isDamaged(error: unknown): boolean {
  const code = error instanceof DreyError ? troubleOf(error.cause)?.code : undefined
  return code === 11 || code === 26
}

type Driver = new (path: string, options: { readOnly: boolean }) => DatabaseSyncInstance

let driver: Driver | undefined

/** Node's own SQLite if it can search text (22.16 and later, but not 23), otherwise the package with the same interface. */
function loadDriver(): Driver {
  if (driver) return driver
  const require = createRequire(import.meta.url) // here, so that importing this file loads no SQLite
  const builtIn: Driver | undefined = isBuiltin("node:sqlite")
    ? withoutSqliteWarning(() => require("node:sqlite").DatabaseSync)
    : undefined
  const chosen = builtIn && searchesText(builtIn) ? builtIn : loadPackage(require)
  driver = chosen
  return chosen
}

/** Its name is another in the build, which brings it along with its binaries: nothing is compiled where Drey is installed. */
function loadPackage(require: NodeJS.Require): Driver {
  try {
    return require(typeof DREY_SQLITE === "string" ? DREY_SQLITE : "@photostructure/sqlite").DatabaseSync
  } catch (cause) {
    const machine = `${process.platform}-${process.arch}`
    throw new DreyError(
      `Node ${process.versions.node} has no SQLite that can search text, and Drey's own cannot be loaded on ${machine}.`,
      { hint: "Use Node 22.16 or later, but not 23.", cause },
    )
  }
}

function searchesText(candidate: Driver): boolean {
  const database = new candidate(":memory:", { readOnly: false })
  const { fts5 } = database.prepare("SELECT sqlite_compileoption_used('ENABLE_FTS5') AS fts5").get()
  database.close()
  return fts5 === 1
}

/** Node 22 warns while its SQLite loads that it is experimental; only that one warning is dropped, and only meanwhile. */
function withoutSqliteWarning<Result>(load: () => Result): Result {
  const emitWarning = process.emitWarning
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] === "ExperimentalWarning" && String(warning).startsWith("SQLite ")) return
    Reflect.apply(emitWarning, process, [warning, ...rest])
  }) as typeof process.emitWarning
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

function rollBack(native: DatabaseSyncInstance): void {
  try {
    native.exec("ROLLBACK")
  } catch {
    // SQLite rolls back by itself after some errors, a full disk for one; the error that began this is thrown by the caller.
  }
}

const busy = { code: 5, words: "database is locked", sentence: "is in use by another process" }

/** SQLite's generic code, also used for mistakes in SQL: only the message distinguishes them. */
const anyError = 1

/** SQLite errors that the user can fix, by result code and message; anything else is a bug. */
const troubles = [
  busy,
  {
    code: 8,
    words: "attempt to write a readonly database",
    sentence: "cannot be written: it or its folder is read-only",
  },
  {
    code: 11,
    words: "database disk image is malformed",
    sentence: "is damaged: SQLite cannot make sense of its content",
  },
  { code: 13, words: "database or disk is full", sentence: "cannot be written: the disk is full" },
  {
    code: 14,
    words: "unable to open database file",
    sentence: "cannot be opened: it or its folder does not exist, is not a file, or you have no permission",
  },
  { code: 26, words: "file is not a database", sentence: "is not a SQLite database" },
  { code: anyError, words: "unsupported file format", sentence: "is damaged, or of a newer version of SQLite" },
]

function sqliteError(path: string, error: unknown): unknown {
  const trouble = troubleOf(error)
  return trouble ? new DreyError(`${path} ${trouble.sentence}`, { cause: error }) : error
}

function troubleOf(error: unknown): (typeof troubles)[number] | undefined {
  if (!(error instanceof Error)) return undefined
  // The package's all() and iterate() throw without a code. Extended codes have theirs in the lowest byte.
  if (!("errcode" in error)) return troubles.find(({ words }) => error.message.endsWith(words))
  const code = Number(error.errcode) & 0xff
  const isMeant = ({ words }: { words: string }) => code !== anyError || error.message.endsWith(words)
  return troubles.find((trouble) => trouble.code === code && isMeant(trouble))
}
