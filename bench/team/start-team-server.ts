import { spawn } from "node:child_process"
import { once } from "node:events"
import { resolve } from "node:path"
import { createInterface } from "node:readline"

export type RunningServer = { url: string; pid: number; stop(): Promise<void> }

/** The built `drey team serve` as a process of its own, on a free port. */
export async function startTeamServer(databaseUrl: string, options: readonly string[] = []): Promise<RunningServer> {
  const server = spawn(
    process.execPath,
    [
      resolve("dist/cli.cjs"),
      "team",
      "serve",
      "--listen",
      "127.0.0.1:0",
      "--no-jobs",
      "--drain",
      "0",
      "--log-level",
      "error",
      ...options,
    ],
    { env: { ...process.env, DREY_DATABASE_URL: databaseUrl }, stdio: ["ignore", "pipe", "inherit"] },
  )
  const ended = once(server, "exit")
  const url = await new Promise<string>((found, failed) => {
    createInterface({ input: server.stdout }).on("line", (line) => {
      const address = /https?:\/\/[\d.]+:\d+/.exec(line)?.[0]
      if (address !== undefined) found(address)
    })
    ended.then(([code]) => failed(new Error(`drey team serve ended with ${code}`)), failed)
  })
  return {
    url,
    pid: server.pid ?? 0,
    async stop() {
      server.kill("SIGTERM")
      await ended
    },
  }
}
