import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { writeEntries } from "../recall-speed/made-repository.ts"
import { startMcpServer } from "./mcp-client.ts"
import { findEach, type Peer } from "./peer.ts"

/** Drey as `npm install drey` leaves it. */
export const drey: Peer = {
  name: "Drey",
  packages: {},
  use: "over MCP, as installed from its tarball: words and the shipped table of vectors, no transformer; filled by writing the team's files and indexing them; a write is governed, audited and on the disk when it is acknowledged",
  async start({ folder, packages }) {
    const env = { HOME: folder, DREY_HOME: join(folder, ".drey") }
    const { pid, call, toolBytes, close, kill } = await startMcpServer(cliOf(packages), ["mcp"], { cwd: folder, env })
    const search = (query: string) => call("memory_search", { query, limit: 10 })
    return {
      pid,
      async write({ title, text }) {
        await call("memory_write", { title, content: text, author: "bench", class: "LOCAL" })
      },
      search,
      context: (task) => call("get_task_context", { task }),
      holds: (words) => findEach(words, search),
      toolBytes,
      close,
      kill,
    }
  },
  async fill({ folder, packages }, entries, from, signal) {
    writeEntries(folder, entries, { inForce: true })
    const env = { PATH: process.env.PATH, HOME: folder, DREY_HOME: join(folder, ".drey") }
    try {
      await promisify(execFile)(process.execPath, [cliOf(packages), "reindex"], { cwd: folder, env, signal })
      return entries.length
    } catch (error) {
      if (signal.aborted) return from
      throw error
    }
  },
}

function cliOf(packages: string): string {
  return join(packages, "node_modules", "drey", "dist", "cli.cjs")
}
