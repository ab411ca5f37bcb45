import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startMcpServer } from "../../peers/mcp-client.ts"
import type { Arm } from "../arm.ts"
import { wordsOf } from "../arm-fts5.ts"
import { best } from "../arm-minilm.ts"
import { wholeText } from "../data.ts"

/**
 * The reference memory server, over MCP: a document is an entity with one observation. It looks for its query as one piece of
 * text, so it is asked once for each word of three letters and more; ranked by how many of the words found a document.
 */
export function serverMemory(folder: string): Arm {
  const script = join(folder, "node_modules", "@modelcontextprotocol", "server-memory", "dist", "index.js")
  return {
    name: "server-memory",
    kind: "peer",
    sample: 100, // every call reads and sends the whole of what it finds
    async open(store) {
      const own = mkdtempSync(join(tmpdir(), "drey-bench-server-memory-"))
      const server = await startMcpServer(script, [], {
        cwd: own,
        env: { MEMORY_FILE_PATH: join(own, "memory.jsonl") },
      })
      const entities = store.documents.map((document, index) => {
        return { name: `#${index}`, entityType: "decision", observations: [wholeText(document)] }
      })
      await server.call("create_entities", { entities })
      return {
        async search(query, limit) {
          const counts = new Map<number, number>()
          for (const word of wordsOf(query).filter(({ length }) => length >= 3)) {
            const graph: { entities: { name: string }[] } = JSON.parse(
              await server.call("search_nodes", { query: word }),
            )
            for (const { name } of graph.entities) {
              const index = Number(name.slice(1))
              counts.set(index, (counts.get(index) ?? 0) + 1)
            }
          }
          const inOrder = [...counts].sort(([a], [b]) => a - b)
          return best(
            inOrder.map(([index, score]) => ({ id: store.documents[index]?.id ?? "", score })),
            limit,
          )
        },
        async close() {
          await server.close()
          rmSync(own, { recursive: true, force: true })
        },
      }
    },
  }
}
