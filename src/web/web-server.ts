import { existsSync } from "node:fs"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createAdaptorServer, type HttpBindings } from "@hono/node-server"
import type { Context } from "hono"
import { dreyHome, readConfig } from "../config.ts"
import { codeOf } from "../disk/text-files.ts"
import { startStalenessLoop, startTeamSyncLoop } from "../drey/background-loops.ts"
import { openDrey } from "../drey.ts"
import { DreyError, exitCode } from "../errors.ts"
import { limitConnections } from "../server/connection-limit.ts"
import { findApp } from "./app-files.ts"
import { openBrowser } from "./browser.ts"
import { openLiveEvents } from "./live-events.ts"
import { openOneTimeLogin } from "./one-time-login.ts"
import type { WebParts } from "./route.ts"
import { makeApp } from "./web-app.ts"

export type UiOptions = {
  root?: string
  /** undefined: the usual one, or another where that is in use. */
  port?: number
  open: boolean
  /** Called with the URL. */
  onReady(url: string): void
  warn(message: string): void
}

declare const DREY_VERSION: string

/** One after D, R, E, Y on a telephone, where MCP is. */
const usualPort = 3738

/** Serves the browser app until a signal. */
export async function runUi({ root, port, open, onReady, warn }: UiOptions): Promise<void> {
  const appFolder = findApp()
  const drey = openDrey({ warn, ...(root === undefined ? {} : { root }) })
  if (!drey.hasTeamFolder)
    throw new DreyError(`${drey.root} has no .squad folder`, {
      hint: "Run drey init to create one.",
      exitCode: exitCode.usage,
    })
  let closeLink = () => {}
  const service = await serveWeb({
    drey,
    version: typeof DREY_VERSION === "string" ? DREY_VERSION : "0.0.0",
    user: readConfig(undefined, process.env).user,
    port: port ?? usualPort,
    mayMove: port === undefined,
    appFolder,
    onEntered: () => closeLink(),
    warn,
  })
  if (!existsSync(join(appFolder, "index.html"))) warn(`the app is not installed at ${appFolder}. Run npm run build.`)
  onReady(service.url)
  if (open) closeLink = openBrowser(service.url, join(dreyHome(process.env), "run"))
  const ending = new AbortController()
  void startTeamSyncLoop({ root, environment: process.env, signal: ending.signal, warn })
  const repositories = async () => ((await drey.team.trust()).kind === "trusted" ? [drey] : [])
  const notes = startStalenessLoop({ repositories, signal: ending.signal, warn })
  await untilSignal()
  closeLink()
  ending.abort()
  await notes
  await service.close()
  await drey.close()
}

/** A second signal exits at once. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, () => resolve())
  })
}

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
  const live = openLiveEvents({ drey: parts.drey, warn })
  let app: ReturnType<typeof makeApp> | undefined
  const server = createAdaptorServer({
    fetch: (request, environment) => app?.fetch(request, environment) ?? new Response(null, { status: 503 }),
    serverOptions: { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2000 },
  }) as Server
  const letStay = limitConnections(server, connectionLimits)
  const port = await listen(server, wanted, mayMove)
  const entrance = openOneTimeLogin(onEntered)
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
