import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { makeRepository, startCli } from "./run-cli.ts"
import { trustForTest } from "./trust-for-test.ts"

export type Message = {
  id?: string | number | null
  method?: string
  params?: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: what a server answers, looked at by the test
  result?: any
  error?: { code: number; message: string }
}

/** For tests: the built server as a process, with its pipes in the test's hands. */
export type McpProcess = {
  send(message: object | string): void
  /** The next message that the server sends and that is like this. */
  next(isWanted: (message: Message) => boolean): Promise<Message>
  /** Asks, and gives the answer. */
  ask(method: string, params?: object, id?: string | number): Promise<Message>
  /** Says hello, as a client does. */
  begin(capabilities?: object): Promise<Message>
  /** The words of a tool's answer. */
  call(name: string, given?: object): Promise<{ text: string; isError?: boolean }>
  /** All lines that came on stdout. */
  lines: string[]
  child: ReturnType<typeof startCli>
  /** Closes the input; the code that the process ends with. */
  end(): Promise<number | null>
}

type Options = { args?: string[]; env?: Record<string, string>; node?: string }

export function startMcp(cwd: string, { args = [], env = {}, node }: Options = {}): McpProcess {
  const home = makeRepository({})
  trustForTest(env.DREY_HOME ?? home, cwd)
  const child = startCli(["mcp", ...args], { cwd, env: { DREY_HOME: home, ...env }, ...(node ? { node } : {}) })
  onTestFinished(() => void child.kill("SIGKILL"))
  const lines: string[] = []
  const received: Message[] = []
  const waiters: (() => void)[] = []
  let rest = ""
  child.stdin.on("error", () => {}) // a server that has ended takes nothing any more
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n")
    rest = parts.pop() ?? ""
    lines.push(...parts)
    received.push(...parts.map((line) => JSON.parse(line)))
    for (const tell of waiters.splice(0)) tell()
  })
  const closed = once(child, "close")
  const next: McpProcess["next"] = async (isWanted) => {
    for (;;) {
      const at = received.findIndex(isWanted)
      if (at >= 0) return received.splice(at, 1)[0] as Message
      const isOver = await Promise.race([
        new Promise<boolean>((resolve) => waiters.push(() => resolve(false))),
        closed.then(() => true),
      ])
      if (isOver && !received.some(isWanted)) throw new Error("the server ended without sending it")
    }
  }
  const send = (message: object | string) =>
    void child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`)
  let ids = 0
  const ask: McpProcess["ask"] = (method, params = {}, id = `ask-${ids++}`) => {
    send({ jsonrpc: "2.0", id, method, params })
    return next((message) => message.id === id && message.method === undefined)
  }
  return {
    send,
    next,
    ask,
    async begin(capabilities = {}) {
      const clientInfo = { name: "test", version: "1" }
      const answer = await ask("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo })
      send({ jsonrpc: "2.0", method: "notifications/initialized" })
      return answer
    },
    async call(name, given = {}) {
      const { result, error } = await ask("tools/call", { name, arguments: given })
      return error ? { text: error.message, isError: true } : { text: result.content[0].text, isError: result.isError }
    },
    lines,
    child,
    async end() {
      child.stdin.end()
      await closed
      return child.exitCode
    },
  }
}

/** The server over HTTP, at a port of its own. */
export async function startMcpHttp(cwd: string, { args = [], env = {} }: Options = {}) {
  const home = makeRepository({})
  trustForTest(env.DREY_HOME ?? home, cwd)
  const child = startCli(["mcp", "--http", "--port", "0", "--json", ...args], { cwd, env: { DREY_HOME: home, ...env } })
  onTestFinished(() => void child.kill("SIGKILL"))
  let text = ""
  child.stdout.setEncoding("utf8")
  for await (const part of child.stdout) {
    text += part
    if (text.includes("\n")) break
  }
  const { url } = JSON.parse(text) as { url: string }
  const token = env.DREY_MCP_TOKEN ?? readFileSync(join(home, "mcp-token"), "utf8").trim()
  return { url, token, home, child }
}
