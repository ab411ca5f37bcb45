import { setFlagsFromString } from "node:v8"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { dreyHome } from "../config.ts"
import { startTeamSyncLoop } from "../drey/background-loops.ts"
import { type ExitCode, exitCode } from "../errors.ts"
import { removeInvisible } from "../formats/text.ts"
import { readBearerToken } from "./bearer-token.ts"
import type { Calls } from "./calls.ts"
import { limitCalls, makeServer, type ServerSettings } from "./mcp-server.ts"
import { stdioTransport } from "./stdio-transport.ts"
import type { ToolProfile } from "./tools.ts"

export type McpOptions = Partial<ToolProfile> & {
  root?: string
  agent?: string
  /** Over HTTP, at this port; without it, on stdin and stdout. */
  port?: number
  /** Prints the address as one JSON document. */
  json?: boolean
}

/** Calls work on the same files: more at once would only wait for each other. */
const mostCalls = 4

/** Serves MCP until the client disconnects or the process gets a signal; pending calls are completed first. */
export async function runMcp(options: McpOptions): Promise<ExitCode> {
  const warn = (message: string) => void process.stderr.write(`drey: ${removeInvisible(message)}\n`)
  const environment = process.env
  let calls: Promise<Calls> | undefined
  const settings: ServerSettings = {
    profile: options.profile ?? "drey",
    toolNames: options.toolNames ?? "plain",
    agent: options.agent ?? (environment.DREY_AGENT || undefined),
    root: options.root ?? environment.DREY_TEAM_ROOT ?? environment.SQUAD_TEAM_ROOT,
    folders: [environment.CLAUDE_PROJECT_DIR, process.cwd()].flatMap((folder) => folder || []),
    environment,
    calls() {
      calls ??= loadCalls(environment, warn)
      return calls
    },
    limit: limitCalls(mostCalls),
    warn,
  }
  const ending = new AbortController()
  void startTeamSyncLoop({ root: settings.root, environment, signal: ending.signal, warn })
  if (options.port === undefined) await serveStreams(settings)
  else await serveOverHttp(settings, options.port, options.json === true)
  ending.abort()
  await settings.limit.idle()
  await (await calls)?.close()
  return exitCode.done
}

async function loadCalls(environment: NodeJS.ProcessEnv, warn: (message: string) => void): Promise<Calls> {
  setFlagsFromString("--semi-space-growth-factor=1") // mostly idle: a quarter less memory for slightly more time
  const { openCalls } = await import("./calls.ts")
  return openCalls({ environment, warn })
}

async function serveStreams(settings: ServerSettings): Promise<void> {
  if (process.stdin.isTTY)
    settings.warn('this serves MCP on stdin and stdout, for coding agents that start it: see "drey connect"')
  process.stdout.removeAllListeners("error") // the CLI would exit at once; the server completes pending calls first
  const transport = stdioTransport(process.stdin, process.stdout)
  const service = serveStdio(() => makeServer(settings), { transport })
  const stopListening = onSignal(transport.stop)
  await transport.ended
  stopListening()
  await service.close()
}

async function serveOverHttp(settings: ServerSettings, port: number, json: boolean): Promise<void> {
  const { serveHttp } = await import("./serve-http.ts")
  const { token, path } = readBearerToken(dreyHome(settings.environment), settings.environment)
  const service = await serveHttp(settings, { port, token })
  const tokenIn = path ?? "DREY_MCP_TOKEN"
  process.stdout.write(
    json
      ? `${JSON.stringify({ url: service.url, tokenIn, pid: process.pid })}\n`
      : `Serving MCP at ${service.url}. Press Ctrl-C to stop.\nClients send "Authorization: Bearer TOKEN"; the token is in ${tokenIn}.\n`,
  )
  await new Promise<void>((resolve) => onSignal(resolve))
  await service.close()
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** The first signal stops the server gracefully; a second one kills the process. */
function onSignal(act: () => void): () => void {
  const stop = () => {
    for (const signal of signals) process.off(signal, stop)
    act()
  }
  for (const signal of signals) process.on(signal, stop)
  return () => {
    for (const signal of signals) process.off(signal, stop)
  }
}
