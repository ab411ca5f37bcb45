import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startEmbeddingServer } from "../../peers/embedding-server.ts"
import type { Arm, Scope } from "../arm.ts"
import { type Document, wholeText } from "../data.ts"
import type { Vectors } from "../vectors.ts"

/** As much of mem0's interface as is called here. */
type Memory = {
  add(text: string, options: { userId: string; infer: false; metadata: object }): Promise<unknown>
  search(query: string, options: { topK: number; threshold: number; filters: { user_id: string } }): Promise<Found>
}

type Found = { results: { metadata?: { document?: string }; score?: number }[] }

/**
 * mem0 as a library: every document is added as it is, without its language model (`infer: false`), the vectors are the
 * bench's own MiniLM ones, the store is in memory. It fuses them with its own BM25 and entity matches. Its users are scopes.
 */
export function mem0(folder: string, vectors: Vectors): Arm {
  return {
    name: "mem0",
    kind: "peer",
    async open(store) {
      await vectors.of(store.documents.map(wholeText)) // all at once: mem0 asks for one at a time
      const endpoint = await startEmbeddingServer(vectors.of)
      const home = mkdtempSync(join(tmpdir(), "drey-bench-mem0-"))
      const memory = openMemory(folder, endpoint.url, home)
      for (const document of store.documents) {
        await memory.add(wholeText(document), {
          userId: userOf(document),
          infer: false,
          metadata: { document: document.id },
        })
      }
      return {
        async search(query, limit, scope) {
          const filters = { user_id: userOf(scope ?? {}) }
          const { results } = await memory.search(query, { topK: limit, threshold: 0, filters })
          return results.map(({ metadata, score }) => ({ id: metadata?.document ?? "", score: score ?? 0 }))
        },
        async close() {
          endpoint.close()
          rmSync(home, { recursive: true, force: true })
        },
      }
    },
  }
}

function openMemory(folder: string, url: string, home: string): Memory {
  process.env.MEM0_TELEMETRY = "false"
  process.env.MEM0_DIR = home // it keeps a file of settings there even when it is configured to keep nothing
  const { Memory: Constructor } = createRequire(join(folder, "package.json"))("mem0ai/oss")
  return new Constructor({
    embedder: { provider: "openai", config: { apiKey: "none", model: "minilm", baseURL: url, embeddingDims: 384 } },
    vectorStore: { provider: "memory", config: { collectionName: "bench", dimension: 384, dbPath: ":memory:" } },
    llm: { provider: "openai", config: { apiKey: "none", baseURL: url } },
    disableHistory: true,
  })
}

function userOf({ agent }: Document | Scope): string {
  return agent ?? "everybody"
}
