import type { Server } from "node:http"
import type { Socket } from "node:net"

export type ConnectionLimits = {
  /** Open at once. */
  most: number
  /** How long a connection may stay that has not shown the secret. */
  strangerMs: number
}

/**
 * Keeps room on a local server for who has its secret: a connection that has not shown it is closed after some seconds, and where the limit
 * is reached the oldest of these goes, so that no number of idle ones keeps the user out. Call what is returned when a request shows it.
 */
export function limitConnections(server: Server, { most, strangerMs }: ConnectionLimits): (socket: Socket) => void {
  const strangers = new Set<Socket>() // the oldest first
  const known = new Set<Socket>()
  const drop = (socket: Socket) => strangers.delete(socket) && socket.destroy()
  server.on("connection", (socket: Socket) => {
    const timer = setTimeout(drop, strangerMs, socket).unref()
    strangers.add(socket)
    socket.once("close", () => {
      clearTimeout(timer)
      strangers.delete(socket)
      known.delete(socket)
    })
    const [oldest] = strangers
    if (oldest && known.size + strangers.size > most) drop(oldest)
  })
  return (socket) => {
    if (strangers.delete(socket)) known.add(socket)
  }
}
