import postgres from "postgres"
import { type Ask, applicationRole, type PostgresAnswer, type PostgresDriver, type PostgresValue } from "./driver.ts"
import { openTransaction } from "./open-transaction.ts"
import { explainAsOwner, explainPostgres, isRolledBack, isUnavailable } from "./postgres-error.ts"

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
  const shared = {
    onnotice: () => {},
    connect_timeout: 10,
    types: { wholeNumber },
    transform: { undefined: null },
  }
  const pool = postgres(url, {
    ...shared,
    max: connections,
    connection: {
      application_name: "drey",
      role: applicationRole, // from the first byte on: no statement of ours can run as anybody else
      search_path: searchPath,
      statement_timeout: timeoutMs,
      idle_in_transaction_session_timeout: timeoutMs,
    },
  })

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

  return {
    within: (reach, mode, body) =>
      patiently(async () => {
        const connection = await pool.reserve()
        const { ask, isLost } = untilLost(askOn(connection))
        try {
          const transaction = openTransaction(ask, reach, mode)
          return await transaction(body)
        } finally {
          if (!isLost()) connection.release() // one that is lost the pool has back already, and would hand out as if it were not
        }
      }),
    ask: (sql, parameters) => patiently(() => askOn(pool)(sql, parameters)),
    async listen(channel, hear) {
      const { unlisten } = await pool.listen(channel, hear)
      return () => unlisten()
    },
    async asOwner(body) {
      const own = postgres(url, {
        ...shared,
        max: 1,
        connection: { application_name: "drey owner", search_path: searchPath },
      })
      try {
        return await body(askOn(own))
      } catch (error) {
        throw explainAsOwner(error)
      } finally {
        await own.end({ timeout: 5 })
      }
    },
    close: () => pool.end({ timeout: 5 }),
  }
}

/** Asks nothing any more on a connection that was lost: the library would write to a socket that it no longer has. */
function untilLost(ask: Ask): { ask: Ask; isLost(): boolean } {
  let lost: { error: unknown } | undefined
  return {
    async ask(sql, parameters) {
      if (lost) throw lost.error
      try {
        return await ask(sql, parameters)
      } catch (error) {
        if (isUnavailable(error)) lost = { error }
        throw error
      }
    },
    isLost: () => lost !== undefined,
  }
}

/** Counts and sums are whole numbers that JavaScript can hold. */
const wholeNumber = { to: 20, from: [20, 1700], parse: Number, serialize: String }

function askOn(connection: postgres.ISql<{ wholeNumber: number }>): Ask {
  return async (sql, parameters = []): Promise<PostgresAnswer> => {
    const result = await connection.unsafe(sql, parameters as (PostgresValue & postgres.SerializableParameter)[], {
      prepare: parameters.length > 0,
    })
    return { rows: result as unknown as PostgresAnswer["rows"], changes: result.count ?? 0 }
  }
}
