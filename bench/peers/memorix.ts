import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { startMcpServer } from "./mcp-client.ts"
import { fillByWriting, findEach, type Peer, type Place } from "./peer.ts"

/** Memorix without keys: its own BM25. */
export const memorix: Peer = {
  name: "Memorix",
  packages: { memorix: "1.0.7" },
  use: "over MCP, without embeddings, as it runs without a key; every note has a topic of its own, since it merges what looks alike; filled one by one; a context is that of `memorix_session_start`, which knows no task",
  start: startMemorix,
  fill: async (place, entries, from, signal) => fillByWriting(await startMemorix(place), entries, from, signal),
}

let topics = 0

async function startMemorix({ folder, packages }: Place) {
  if (!existsSync(join(folder, ".git"))) execFileSync("git", ["init", "-q"], { cwd: folder })
  const script = join(packages, "node_modules", "memorix", "dist", "cli", "index.js")
  const env = { HOME: folder, MEMORIX_DATA_DIR: join(folder, "data"), MEMORIX_EMBEDDING: "off" }
  const { pid, call, toolBytes, close, kill } = await startMcpServer(script, ["serve"], { cwd: folder, env })
  const search = (query: string) => call("memorix_search", { query, limit: 10 })
  return {
    pid,
    async write({ title, text }: { title: string; text: string }) {
      const topicKey = `bench/${process.pid}-${++topics}`
      await call("memorix_store", { entityName: "memory", type: "decision", title, narrative: text, topicKey })
    },
    search,
    context: () => call("memorix_session_start", { agent: "bench" }),
    holds: (words: readonly string[]) => findEach(words, search),
    toolBytes,
    close,
    kill,
  }
}
