import { DreyError } from "../../errors.ts"
import { connectionPool } from "./connection-pool.ts"
import { applicationRole, type PostgresDriver } from "./driver.ts"
import { listenChannels } from "./listen-channels.ts"
import { openConnection } from "./open-connection.ts"
import { openTransaction } from "./open-transaction.ts"
import { explainAsOwner, explainPostgres, isRolledBack } from "./postgres-error.ts"
import { takeTurns } from "./take-turns.ts"

export type PostgresOptions = {
  /** How many connections this process may have. */
  connections?: number
  /** How long a statement may take. */
  timeoutMs?: number
  /** How long to go on trying while the database is away, as long as nothing can have been committed. */
  patienceMs?: number
}

/** Everything of ours stands in a schema of this name; extensions may stand in `public`. */
const searchPath = "drey, public"

/** A PostgreSQL server; the URL's role owns the tables, or may become the owner's. */
export function postgresDriver(url: string, options: PostgresOptions = {}): PostgresDriver {
  const { connections = 10, timeoutMs = 30_000, patienceMs = 5000 } = options
  if (!isPostgresUrl(url))
    // which may hold a password, and is not repeated
    throw new DreyError("the database URL is none of PostgreSQL", {
      hint: "Write it as postgres://user@host:5432/database.",
    })
  const settings = {
    application_name: "drey",
    role: applicationRole, // from the first byte on: no statement of ours can run as anybody else
    search_path: searchPath,
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
  }
  const pool = connectionPool(() => openConnection(url, { settings }), connections)
  const channels = listenChannels((heard) => openConnection(url, { settings, ...heard }))

  /** What was rolled back for want of a database, or because two got in each other's way, is begun anew. */
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

  const inTurn = takeTurns()
  return {
    within(reach, mode, body) {
      const act = () => patiently(() => pool.use((ask) => openTransaction(ask, reach, mode)(body)))
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
