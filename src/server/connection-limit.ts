import type { Server } from "node:http"
import type { Socket } from "node:net"

export type ConnectionLimits = {
  /** Open at once. */
  most: number
  /** How long an unauthenticated connection may stay open. */
  strangerMs: number
}

/**
 * Keeps a local server reachable for authenticated clients: unauthenticated connections are closed after some seconds, and at the limit the
 * oldest of them is dropped, so that idle connections cannot lock the user out. Call the returned function once a request authenticates.
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
