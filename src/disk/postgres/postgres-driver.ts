import { setTimeout as pause } from "node:timers/promises"
import postgres from "postgres"
import { DreyError } from "../../errors.ts"
import {
  applicationRole,
  makeQueues,
  type PostgresDriver,
  type PostgresResult,
  type PostgresValue,
  type RunQuery,
  runInTransaction,
} from "./driver.ts"
import { explainAsOwner, explainPostgres, isRolledBack } from "./postgres-error.ts"

export type PostgresOptions = {
  /** How many connections this process may have. */
  connections?: number
  /** How long a statement may take. */
  timeoutMs?: number
  /** How long to keep retrying while the database is unavailable, as long as nothing can have been committed. */
  patienceMs?: number
}

/** All of Drey's tables are in a schema of this name; extensions may be in `public`. */
const searchPath = "drey, public"

/** A PostgreSQL server; the URL's role owns the tables, or may become the owner's. */
export function postgresDriver(url: string, options: PostgresOptions = {}): PostgresDriver {
  const { connections = 10, timeoutMs = 30_000, patienceMs = 5000 } = options
  if (!isPostgresUrl(url))
    // which may hold a password, and is not repeated
    throw new DreyError("the database URL is not a PostgreSQL URL", {
      hint: "Write it as postgres://user@host:5432/database.",
    })
  const settings = {
    application_name: "drey",
    role: applicationRole, // from the first byte: no statement can run as another role
    search_path: searchPath,
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
  }
  const pool = connectionPool(() => openConnection(url, { settings }), connections)
  const channels = listenChannels((heard) => openConnection(url, { settings, ...heard }))

  /** A transaction that was rolled back because the database was unavailable or because of a conflict is started again. */
  const patiently = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    const deadline = performance.now() + patienceMs
    for (let pause = 20; ; pause = Math.min(500, pause * 2)) {
      try {
        return await act()
      } catch (error) {
        if (!isRolledBack(error) || performance.now() > deadline) throw explainPostgres(error)
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
  }

  const inTurn = makeQueues()
  return {
    within(reach, mode, body) {
      const act = () => patiently(() => pool.use((ask) => runInTransaction(ask, reach, mode)(body)))
      return mode === "write" ? inTurn(reach.tenant, act) : act()
    },
    ask: (sql, parameters) => patiently(() => pool.use((ask) => ask(sql, parameters))),
    listen: channels.listen,
    async asOwner(body) {
      const own = { application_name: "drey owner", search_path: searchPath }
      try {
        const connection = await openConnection(url, { settings: own })
        try {
          return await body(connection.ask)
        } finally {
          await connection.end()
        }
      } catch (error) {
        throw explainAsOwner(error)
      }
    },
    async close() {
      await channels.close()
      await pool.close()
    },
  }
}

function isPostgresUrl(url: string): boolean {
  return URL.canParse(url) && ["postgres:", "postgresql:"].includes(new URL(url).protocol)
}

/** One connection to a database for as long as it lasts: questions are answered in their order, and none after it was lost. */
type Connection = {
  ask: RunQuery
  /** Resolves when nothing can be asked any more. */
  lost: Promise<void>
  isLost(): boolean
  end(): Promise<void>
}

type ConnectionOptions = {
  /** PostgreSQL's startup settings. */
  settings: Record<string, string | number>
  /** Called with each notification on the channels listened to. */
  onNotice?: (channel: string, message: string) => void
}

/**
 * The package's own pool is not used: a question on one of its connections that was lost ends the process, and one that was lost with
 * something unsent never sends again. So a connection has the package to itself, and both go together.
 */
async function openConnection(url: string, { settings, onNotice }: ConnectionOptions): Promise<Connection> {
  let lose = () => {}
  let isLost = false
  const lost = new Promise<void>((resolve) => {
    lose = resolve
  })
  const options = {
    max: 1,
    max_lifetime: null,
    connect_timeout: 10,
    onnotice: () => {},
    onnotify: onNotice,
    onclose: () => {
      isLost = true
      lose()
    },
    types: { wholeNumber },
    transform: { undefined: null },
    connection: settings,
  }
  const sql = postgres(url, options)
  const own = await sql.reserve()
  const isGone = lost.then((): never => {
    throw connectionLost()
  })
  isGone.catch(() => {}) // where no caller waits for a result
  return {
    async ask(text, parameters = []): Promise<PostgresResult> {
      if (isLost) throw connectionLost()
      const asked = own.unsafe(text, parameters as (PostgresValue & postgres.SerializableParameter)[], {
        prepare: parameters.length > 0,
      })
      const result = await Promise.race([asked, isGone]) // unsent queries would wait forever
      return { rows: result as unknown as PostgresResult["rows"], changes: result.count ?? 0 }
    },
    lost,
    isLost: () => isLost,
    async end() {
      if (!isLost) own.release()
      await sql.end({ timeout: isLost ? 0 : 5 })
    },
  }
}

/** Counts and sums are whole numbers that JavaScript can hold. */
const wholeNumber = { to: 20, from: [20, 1700], parse: Number, serialize: String }

function connectionLost(): Error {
  return Object.assign(new Error("the connection was lost"), { code: "CONNECTION_CLOSED" })
}

export type ConnectionPool = {
  /** On a connection used exclusively; waits for one if all are in use. */
  use<Result>(act: (ask: RunQuery) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** A limited number of connections, opened on demand; a lost one is replaced when the next is needed. */
function connectionPool(open: () => Promise<Connection>, most: number): ConnectionPool {
  const all = new Set<Connection>()
  const idle: Connection[] = []
  const waiting: (() => void)[] = []
  let taken = 0
  let isClosed = false
  const requireOpen = () => {
    if (isClosed) throw new Error("the connections to the database were closed")
  }
  const take = async (): Promise<Connection> => {
    if (taken === most) await new Promise<void>((resolve) => waiting.push(resolve))
    else taken++
    requireOpen()
    for (let next = idle.pop(); next; next = idle.pop()) if (!next.isLost()) return next
    const connection = await open()
    all.add(connection)
    void connection.lost.then(() => all.delete(connection))
    if (isClosed) await connection.end() // nothing else would
    requireOpen()
    return connection
  }
  const release = () => {
    const next = waiting.shift()
    if (next) next()
    else taken--
  }
  return {
    async use(act) {
      let connection: Connection | undefined
      try {
        connection = await take()
        return await act(connection.ask)
      } finally {
        if (connection && !connection.isLost()) idle.push(connection)
        release()
      }
    },
    async close() {
      isClosed = true
      await Promise.all([...all].map((connection) => connection.end()))
    },
  }
}

export type Channels = Pick<PostgresDriver, "listen" | "close">

type Open = (options: Required<Pick<ConnectionOptions, "onNotice">>) => Promise<Connection>

/** One connection for all channels, opened with the first and reopened when lost; notifications in between are missed. */
function listenChannels(open: Open): Channels {
  const hearers = new Map<string, Set<(message: string) => void>>()
  let connection: Connection | undefined
  let started: Promise<void> | undefined
  let isClosed = false
  const onNotice = (channel: string, message: string) => {
    for (const hear of hearers.get(channel) ?? []) hear(message)
  }
  const connect = async () => {
    connection = await open({ onNotice })
    if (isClosed) return connection.end()
    for (const channel of hearers.keys()) await connection.ask(`LISTEN ${channel}`)
    void connection.lost.then(reconnect)
  }
  const reconnect = async () => {
    while (!isClosed) {
      await pause(250 + Math.random() * 500)
      try {
        return await connect()
      } catch {} // still unavailable
    }
  }
  return {
    async listen(channel, hear) {
      const together = hearers.get(channel) ?? new Set()
      hearers.set(channel, together.add(hear))
      started ??= connect()
      await started
      await connection?.ask(`LISTEN ${channel}`)
      return async () => void together.delete(hear)
    },
    async close() {
      isClosed = true
      await connection?.end()
    },
  }
}
