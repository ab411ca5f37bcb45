import postgres from "postgres"
import type { Ask, PostgresAnswer, PostgresValue } from "./driver.ts"

/** One connection to a database for as long as it lasts: questions are answered in their order, and none after it was lost. */
export type Connection = {
  ask: Ask
  /** Resolves when nothing can be asked any more. */
  lost: Promise<void>
  isLost(): boolean
  end(): Promise<void>
}

export type ConnectionOptions = {
  /** What PostgreSQL is told at the start. */
  settings: Record<string, string | number>
  /** Told of what is notified on the channels that were listened to. */
  onNotice?: (channel: string, message: string) => void
}

/**
 * The package's own pool is not used: a question on one of its connections that was lost ends the process, and one that was lost with
 * something unsent never sends again. So a connection has the package to itself, and both go together.
 */
export async function openConnection(url: string, { settings, onNotice }: ConnectionOptions): Promise<Connection> {
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
  isGone.catch(() => {}) // where nobody waits for an answer
  return {
    async ask(text, parameters = []): Promise<PostgresAnswer> {
      if (isLost) throw connectionLost()
      const asked = own.unsafe(text, parameters as (PostgresValue & postgres.SerializableParameter)[], {
        prepare: parameters.length > 0,
      })
      const result = await Promise.race([asked, isGone]) // what was not sent yet would wait for ever
      return { rows: result as unknown as PostgresAnswer["rows"], changes: result.count ?? 0 }
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
