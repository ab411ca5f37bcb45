import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

export type McpClient = {
  /** Calls a tool and gives back its text. */
  call(tool: string, parameters: object): Promise<string>
  close(): Promise<void>
}

type Answer = {
  id?: number
  error?: { message: string }
  result?: { content?: { text?: string }[]; isError?: boolean }
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
  const waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>()
  const exited = new Promise<void>((resolve) => {
    server.on("exit", (code) => {
      for (const { reject } of waiting.values()) reject(new Error(`the server ended with ${code}`))
      resolve()
    })
  })
  createInterface({ input: server.stdout }).on("line", (line) => {
    const answer: Answer = JSON.parse(line)
    if (answer.id === undefined) return // a notification
    waiting.get(answer.id)?.resolve(answer)
    waiting.delete(answer.id)
  })

  let last = 0
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const request = (method: string, params: object) => {
    const id = ++last
    return new Promise<Answer>((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      send({ id, method, params })
    })
  }

  const clientInfo = { name: "drey-bench", version: "1.0.0" }
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })
  send({ method: "notifications/initialized" })
  return {
    async call(tool, parameters) {
      const { error, result } = await request("tools/call", { name: tool, arguments: parameters })
      const text = result?.content?.map((part) => part.text ?? "").join("\n") ?? ""
      if (error || result?.isError) throw new Error(`${tool}: ${error?.message ?? text}`)
      return text
    },
    async close() {
      server.stdin.end()
      server.kill()
      await exited
    },
  }
}
