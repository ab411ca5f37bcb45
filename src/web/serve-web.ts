import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { createAdaptorServer } from "@hono/node-server"
import { codeOf } from "../disk/file-error.ts"
import { DreyError, exitCode } from "../errors.ts"
import { openEntrance } from "./entrance.ts"
import { openLive } from "./live.ts"
import { makeApp } from "./make-app.ts"
import type { WebParts } from "./route.ts"

export type WebOptions = WebParts & {
  /** 0 takes any that is free. */
  port: number
  /** Takes another port where this one is in use. */
  mayMove: boolean
  appFolder: string
  warn: (message: string) => void
}

export type WebService = {
  /** Lets in one browser, once. */
  url: string
  port: number
  close(): Promise<void>
}

const address = "127.0.0.1"
const mostConnections = 200

/** Serves the browser app and its API on this machine alone. */
export async function serveWeb({ port: wanted, mayMove, warn, ...parts }: WebOptions): Promise<WebService> {
  const live = openLive({ drey: parts.drey, warn })
  let app: ReturnType<typeof makeApp> | undefined
  const server = createAdaptorServer({
    fetch: (request, environment) => app?.fetch(request, environment) ?? new Response(null, { status: 503 }),
  }) as Server
  server.maxConnections = mostConnections
  const port = await listen(server, wanted, mayMove)
  const entrance = openEntrance(port)
  app = makeApp({ ...parts, port, entrance, listen: live.listen, warn })
  return {
    url: `http://${address}:${port}/?token=${entrance.token}`,
    port,
    async close() {
      const isClosed = new Promise((resolve) => server.close(resolve))
      live.close()
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), 1000).unref() // what was asked has time to be answered
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
    const problem = code === "EACCES" ? "may not be used" : "is in use"
    throw new DreyError(`Port ${port} ${problem}`, { hint: "Choose another with --port.", exitCode: exitCode.no })
  }
}
