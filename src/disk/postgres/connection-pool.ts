import type { Ask } from "./driver.ts"
import type { Connection } from "./open-connection.ts"

export type ConnectionPool = {
  /** On a connection that nobody else has meanwhile; waits for one when all are taken. */
  use<Result>(act: (ask: Ask) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** At most so many connections, opened when they are needed; one that was lost is replaced by the next who needs one. */
export function connectionPool(open: () => Promise<Connection>, most: number): ConnectionPool {
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
    if (isClosed) await connection.end() // nobody else would
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
