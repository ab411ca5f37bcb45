import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler } from "@modelcontextprotocol/server"
import { codeOf } from "../disk/text-files.ts"
import { DreyError, exitCode } from "../errors.ts"
import { limitConnections } from "../server/connection-limit.ts"
import { hasBearerToken } from "./bearer-token.ts"
import { makeServer, type ServerSettings } from "./mcp-server.ts"

export type HttpService = { url: string; close(): Promise<void> }

export type HttpOptions = {
  /** 0 for any free port. */
  port: number
  token: string
}

const address = "127.0.0.1"
const path = "/mcp"
const connectionLimits = { most: 100, strangerMs: 10_000 }
const mostBodyBytes = 4 * 1024 * 1024
/** Request timeout, so that slow clients do not occupy connections. */
const timeouts = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2000 }

/** Serves MCP over streamable HTTP, on localhost only, to clients with the token. */
export async function serveHttp(settings: ServerSettings, { port, token }: HttpOptions): Promise<HttpService> {
  const handler = createMcpHandler(() => makeServer(settings), { maxRequestBodySize: mostBodyBytes })
  const answer = toNodeHandler(handler)
  const server = createServer(timeouts, (request, response) => {
    const refusal = judge(request, token)
    if (refusal) return refuse(response, refusal)
    letStay(request.socket)
    answer(request as Parameters<typeof answer>[0], response).catch((error: unknown) => {
      settings.warn(`a request was not answered: ${error instanceof Error ? error.message : error}`)
      response.destroy()
    })
  })
  const letStay = limitConnections(server, connectionLimits)
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(explain(error, port)))
    server.listen(port, address, resolve)
  })
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}${path}`,
    async close() {
      const isClosed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      await settings.limit.idle() // complete pending calls
      setTimeout(() => server.closeAllConnections(), 1000).unref() // give their answers time to arrive
      await handler.close()
      await isClosed
    },
  }
}

type Refusal = { status: number; reason: string; headers?: Record<string, string> }

/** Guards against DNS rebinding and cross-origin requests: only host names of this machine are accepted. */
function judge({ url = "", headers }: IncomingMessage, token: string): Refusal | undefined {
  if (!isOwnName(`http://${headers.host ?? ""}`)) return { status: 403, reason: "This host is not served" }
  if (headers.origin !== undefined && !isOwnName(headers.origin))
    return { status: 403, reason: "Requests from this origin are not served" }
  if (url.split("?")[0] !== path) return { status: 404, reason: `MCP is served at ${path}` }
  if (hasBearerToken(headers.authorization, token)) return undefined
  const reason = "The token is missing or wrong: send it as Authorization: Bearer TOKEN"
  return { status: 401, reason, headers: { "WWW-Authenticate": 'Bearer realm="drey"' } }
}

function isOwnName(url: string): boolean {
  return URL.canParse(url) && ["localhost", address, "[::1]"].includes(new URL(url).hostname)
}

/** The body is not read, so the connection cannot be reused. */
function refuse(response: ServerResponse, { status, reason, headers }: Refusal): void {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message: reason } })
  response.writeHead(status, { "Content-Type": "application/json", Connection: "close", ...headers }).end(body)
}

function explain(error: Error, port: number): Error {
  if (codeOf(error) !== "EADDRINUSE" && codeOf(error) !== "EACCES") return error
  const problem = codeOf(error) === "EACCES" ? "may not be used" : "is in use"
  return new DreyError(`Port ${port} ${problem}`, { hint: "Choose another with --port.", exitCode: exitCode.no })
}
