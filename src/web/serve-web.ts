import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { createAdaptorServer, type HttpBindings } from "@hono/node-server"
import type { Context } from "hono"
import { codeOf } from "../disk/file-error.ts"
import { DreyError, exitCode } from "../errors.ts"
import { limitConnections } from "../limit-connections.ts"
import { openEntrance } from "./entrance.ts"
import { openLive } from "./live.ts"
import { makeApp } from "./make-app.ts"
import type { WebParts } from "./route.ts"

export type WebOptions = WebParts & {
  /** 0: any free port. */
  port: number
  /** Use another port if this one is in use. */
  mayMove: boolean
  appFolder: string
  /** Called when a browser has redeemed the link. */
  onEntered?: () => void
  warn: (message: string) => void
}

export type WebService = {
  /** One-time link for one browser. */
  url: string
  port: number
  close(): Promise<void>
}

const address = "127.0.0.1"
const connectionLimits = { most: 200, strangerMs: 10_000 }

/** Serves the browser app and its API on this machine alone. */
export async function serveWeb(options: WebOptions): Promise<WebService> {
  const { port: wanted, mayMove, onEntered = () => {}, warn, ...parts } = options
  const live = openLive({ drey: parts.drey, warn })
  let app: ReturnType<typeof makeApp> | undefined
  const server = createAdaptorServer({
    fetch: (request, environment) => app?.fetch(request, environment) ?? new Response(null, { status: 503 }),
    serverOptions: { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2000 },
  }) as Server
  const letStay = limitConnections(server, connectionLimits)
  const port = await listen(server, wanted, mayMove)
  const entrance = openEntrance(onEntered)
  const onInside = ({ env }: Context) => letStay((env as HttpBindings).incoming.socket)
  app = makeApp({ ...parts, port, entrance, listen: live.listen, onInside, warn })
  return {
    url: `http://${address}:${port}/?token=${entrance.token}`,
    port,
    async close() {
      const isClosed = new Promise((resolve) => server.close(resolve))
      live.close()
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), 1000).unref() // pending requests get time to finish
      await isClosed
    },
  }
}

async function listen(server: Server, port: number, mayMove: boolean): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen(port, address, () => {
        server.off("error", reject)
        resolve()
      })
    })
    return (server.address() as AddressInfo).port
  } catch (error) {
    const code = codeOf(error)
    if (code !== "EADDRINUSE" && code !== "EACCES") throw error
    if (mayMove) return listen(server, 0, false)
    const problem = code === "EACCES" ? "cannot be used without permission" : "is in use"
    throw new DreyError(`Port ${port} ${problem}`, { hint: "Choose another with --port.", exitCode: exitCode.no })
  }
}
