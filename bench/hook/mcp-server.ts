import { spawn } from "node:child_process"
import { type McpClient, talkToMcpServer } from "../peers/mcp-client.ts"
import { residentMegabytes } from "../peers/resident-megabytes.ts"
import { printColumns } from "../recall/print-table.ts"
import { percentile } from "../recall-speed/timing.ts"
import { runInTurns, type TurnsOptions } from "./run-in-turns.ts"

/** From the start of `drey mcp` to its first answer, in turns with a Node that does nothing. */
export async function timeServer(node: string, cli: string, options: TurnsOptions, major: number): Promise<void> {
  const ready: number[] = []
  const nothing: number[] = []
  for (let round = -1; round < options.runs; round++) {
    const times = await runInTurns({ nothing: () => ({ node, args: ["-e", "0"] }) }, { ...options, runs: 1 })
    const server = await startServer(node, cli, options)
    await server.close()
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
  const idle = residentMegabytes(server.pid)
  await server.call("get_task_context", { task: "Why is the queue of the proxy so slow?" })
  const used = residentMegabytes(server.pid)
  await server.close()
  const told = (megabytes: number) => (Number.isNaN(megabytes) ? "unknown" : `${megabytes.toFixed(0)} MB`)
  console.log(`Memory of drey mcp: ${told(idle)} when it is ready, ${told(used)} after a call.`)
  console.log("Goal: under 90 MB before the transformer is loaded.")
}

/** With the environment that was given and nothing else, as the other processes are started. */
export async function startServer(
  node: string,
  cli: string,
  { cwd, env }: TurnsOptions,
): Promise<McpClient & { readyAfter: number }> {
  const started = performance.now()
  const client = await talkToMcpServer(spawn(node, [cli, "mcp"], { cwd, env, stdio: ["pipe", "pipe", "inherit"] }))
  return { ...client, readyAfter: performance.now() - started }
}
