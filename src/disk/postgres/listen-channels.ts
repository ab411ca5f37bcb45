import { setTimeout as pause } from "node:timers/promises"
import type { PostgresDriver } from "./driver.ts"
import type { Connection, ConnectionOptions } from "./open-connection.ts"

export type Channels = Pick<PostgresDriver, "listen" | "close">

type Open = (options: Required<Pick<ConnectionOptions, "onNotice">>) => Promise<Connection>

/** One connection for all channels, opened with the first and again whenever it is lost; what is told meanwhile nobody hears. */
export function listenChannels(open: Open): Channels {
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
      } catch {} // still away
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
