import { join } from "node:path"
import { stopWords } from "../../src/index/tokenizer.ts"
import { wordsOf } from "../recall/arm-fts5.ts"
import { type McpClient, startMcpServer } from "./mcp-client.ts"
import { type Note, type Peer, type Place, wordsIn } from "./peer.ts"

/** So many entities at once when a store is filled. */
const chunk = 5000

/** The reference memory server: a note is an entity with one observation. */
export const serverMemory: Peer = {
  name: "server-memory",
  packages: { "@modelcontextprotocol/server-memory": "2026.8.31" },
  use: "over MCP; it looks for its query as one piece of text, so it is asked once for each word except stop words; filled 5,000 at once; a context is its whole graph",
  async start(place) {
    const { pid, call, toolBytes, close, kill } = await startServer(place)
    return {
      pid,
      async write(note) {
        await call("create_entities", { entities: [toEntity(note)] })
      },
      async search(query) {
        const answers: string[] = []
        for (const word of wordsOf(query).filter((word) => word.length >= 3 && !stopWords.has(word)))
          answers.push(await call("search_nodes", { query: word }))
        return answers.join("\n")
      },
      context: () => call("read_graph", {}),
      holds: async (words) => wordsIn(await call("read_graph", {}), words),
      toolBytes,
      close,
      kill,
    }
  },
  async fill(place, entries, from, signal) {
    const server = await startServer(place)
    let number = from
    for (; number < entries.length && !signal.aborted; number += chunk)
      await server.call("create_entities", { entities: entries.slice(number, number + chunk).map(toEntity) })
    await server.close()
    return Math.min(number, entries.length)
  },
}

function startServer({ folder, packages }: Place): Promise<McpClient> {
  const script = join(packages, "node_modules", "@modelcontextprotocol", "server-memory", "dist", "index.js")
  const env = { HOME: folder, MEMORY_FILE_PATH: join(folder, "memory.jsonl") }
  return startMcpServer(script, [], { cwd: folder, env })
}

/** A name identifies one entity: a second one with the same name is not stored. */
function toEntity({ title, text }: Note) {
  return { name: `${title} ${text.length}`, entityType: "decision", observations: [text] }
}
