import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startMcpServer } from "../../peers/mcp-client.ts"
import type { Arm, Hit } from "../arm.ts"

/**
 * Memorix over MCP, without keys: its own BM25. A document is one observation of type decision; each has a topic key of its
 * own, since Memorix otherwise merges or drops what looks alike. The order is that of its answer, which gives no scores.
 */
export function memorix(folder: string): Arm {
  const script = join(folder, "node_modules", "memorix", "dist", "cli", "index.js")
  return {
    name: "Memorix",
    kind: "peer",
    sample: 50,
    async open(store) {
      const own = mkdtempSync(join(tmpdir(), "drey-bench-memorix-"))
      const project = join(own, store.name.replace(/\W+/g, "-")) // the folder's name is the project's, and counts in its ranking
      mkdirSync(project)
      execFileSync("git", ["init", "-q"], { cwd: project })
      const env = { HOME: own, MEMORIX_DATA_DIR: join(own, "data"), MEMORIX_EMBEDDING: "off" }
      const server = await startMcpServer(script, ["serve"], { cwd: project, env })
      const stored = new Map<string, string>()
      for (const [index, document] of store.documents.entries()) {
        const [firstLine = ""] = document.text.split("\n")
        const answer = await server.call("memorix_store", {
          entityName: "memory", // one for all: it is searched too
          type: "decision",
          title: document.title || firstLine.slice(0, 80),
          narrative: document.text || document.title,
          topicKey: `bench/${index}`,
        })
        const [number] = /(?<=#)\d+/.exec(answer) ?? []
        if (number !== undefined) stored.set(number, document.id)
      }
      return {
        async search(query, limit) {
          const answer = await server.call("memorix_search", { query, limit })
          const numbers = new Set(answer.match(/(?<=^\| obs:)\d+/gm))
          return [...numbers].flatMap((number, rank): Hit[] => {
            const id = stored.get(number)
            return id === undefined ? [] : [{ id, score: -rank }]
          })
        },
        async close() {
          await server.close()
          rmSync(own, { recursive: true, force: true })
        },
      }
    },
  }
}
