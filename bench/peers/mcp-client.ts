import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"

export type McpClient = {
  pid: number
  /** Calls a tool and returns its text. */
  call(tool: string, parameters: object): Promise<string>
  toolBytes(): Promise<number>
  close(): Promise<void>
  kill(): Promise<void>
}

type Answer = {
  id?: number
  error?: { message: string }
  result?: { content?: { text?: string }[]; isError?: boolean; tools?: object[] }
}

/** Starts an MCP server and talks to it over its standard input and output. */
export async function startMcpServer(
  script: string,
  parameters: string[],
  options: { cwd: string; env: Record<string, string> },
): Promise<McpClient> {
  const server = spawn(process.execPath, [script, ...parameters], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ["pipe", "pipe", "ignore"],
  })
  return talkToMcpServer(server)
}

/** Greets an MCP server that was just started; it is ready when this resolves. */
export async function talkToMcpServer(server: ChildProcess): Promise<McpClient> {
  const request = asker(server, (message) => ({ jsonrpc: "2.0", ...message }))
  const clientInfo = { name: "drey-bench", version: "1.0.0" }
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
  await request<Answer>({ method: "initialize", params })
  server.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`)
  return {
    pid: server.pid as number,
    async call(tool, parameters) {
      const asked = { method: "tools/call", params: { name: tool, arguments: parameters } }
      const { error, result } = await request<Answer>(asked)
      const text = result?.content?.map((part) => part.text ?? "").join("\n") ?? ""
      if (error || result?.isError) throw new Error(`${tool}: ${error?.message ?? text}`)
      return text
    },
    async toolBytes() {
      const { result } = await request<Answer>({ method: "tools/list", params: {} })
      return Buffer.byteLength(JSON.stringify({ tools: result?.tools }))
    },
    ...endings(server),
  }
}

/** Sends an object as a line to a process and waits for the line that carries its number. */
export function asker(
  child: ChildProcess,
  frame: (message: object) => object = (message) => message,
): <Reply>(message: object) => Promise<Reply> {
  const waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>()
  let ended: Error | undefined
  child.on("exit", (code, signal) => {
    ended = new Error(`the process ended with ${code ?? signal}`)
    for (const { reject } of waiting.values()) reject(ended)
  })
  child.stdin?.on("error", () => {}) // its end is reported by "exit"
  createInterface({ input: child.stdout as NonNullable<ChildProcess["stdout"]> }).on("line", (line) => {
    if (!line.startsWith("{")) return // some print a greeting first
    const answer = JSON.parse(line)
    waiting.get(answer.id)?.resolve(answer as never)
    waiting.delete(answer.id)
  })
  let last = 0
  return (message) => {
    const id = ++last
    return new Promise((resolve, reject) => {
      if (ended) return reject(ended)
      waiting.set(id, { resolve, reject })
      child.stdin?.write(`${JSON.stringify(frame({ id, ...message }))}\n`)
    })
  }
}

/** The two ways to end a process: close its input and let it exit, with SIGTERM if needed; or kill it. */
export function endings(child: ChildProcess): { close(): Promise<void>; kill(): Promise<void> } {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    async close() {
      if (hasEnded()) return
      const exited = once(child, "exit")
      child.stdin?.end()
      const late = setTimeout(() => child.kill(), 2000)
      await exited
      clearTimeout(late)
    },
    async kill() {
      if (hasEnded()) return
      const exited = once(child, "exit")
      child.kill("SIGKILL")
      await exited
    },
  }
}
