import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { printColumns } from "../recall/print-table.ts"
import { percentile } from "../recall-speed/timing.ts"
import { runInTurns, type TurnsOptions } from "./run-in-turns.ts"

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
}

/** From the start of `drey mcp` to its first answer, in turns with a Node that does nothing. */
export async function timeServer(node: string, cli: string, options: TurnsOptions, major: number): Promise<void> {
  const ready: number[] = []
  const nothing: number[] = []
  for (let round = -1; round < options.runs; round++) {
    const times = await runInTurns({ nothing: () => ({ node, args: ["-e", "0"] }) }, { ...options, runs: 1 })
    const server = await startServer(node, cli, options)
    await server.end()
    if (round < 0) continue
    nothing.push(...(times.get("nothing") ?? []))
    ready.push(server.readyAfter)
  }
  const figures = (list: number[]) => [0.5, 0.95].map((share) => percentile(list, share).toFixed(0))
  printColumns([
    ["", "p50", "p95"],
    ["node -e 0", ...figures(nothing)],
    ["drey mcp, first answer", ...figures(ready)],
  ])
  const goal = major < 22 ? "at most 3 × node -e 0" : "at most 100 ms more than node -e 0"
  console.log(`\nGoal: ${goal}.\n`)
}

/** The server's memory once it has answered, and after it has searched. */
export async function printMemory(node: string, cli: string, options: TurnsOptions): Promise<void> {
  const server = await startServer(node, cli, options)
  const idle = server.residentBytes()
  await server.ask({ jsonrpc: "2.0", method: "notifications/initialized" })
  const call = { name: "get_task_context", arguments: { task: "Why is the queue of the proxy so slow?" } }
  await server.ask({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call })
  const used = server.residentBytes()
  await server.end()
  const megabytes = (bytes: number | undefined) => (bytes === undefined ? "unknown" : `${(bytes / 1e6).toFixed(0)} MB`)
  console.log(`Memory of drey mcp: ${megabytes(idle)} when it is ready, ${megabytes(used)} after a call.`)
  console.log("Goal: under 90 MB before the transformer is loaded.")
}

type Message = { jsonrpc: string; id?: number; method: string; params?: object }

type Server = {
  readyAfter: number
  /** Sends a message; with an id, waits for its answer. */
  ask(message: Message): Promise<void>
  residentBytes(): number | undefined
  end(): Promise<void>
}

async function startServer(node: string, cli: string, { cwd, env }: TurnsOptions): Promise<Server> {
  const started = performance.now()
  const child = spawn(node, [cli, "mcp"], { cwd, env, stdio: ["pipe", "pipe", "inherit"] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (message: Message) => {
    child.stdin.write(`${JSON.stringify(message)}\n`)
    while (message.id !== undefined) {
      const { value, done } = await lines.next()
      if (done || JSON.parse(value).id === message.id) return
    }
  }
  await ask(initialize)
  const readyAfter = performance.now() - started
  return {
    readyAfter,
    ask,
    residentBytes: () => residentBytesOf(child.pid),
    async end() {
      child.stdin.end()
      await new Promise((settle) => child.on("close", settle))
    },
  }
}

function residentBytesOf(pid: number | undefined): number | undefined {
  if (process.platform !== "linux") return undefined
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return Number(kilobytes) * 1024
}
