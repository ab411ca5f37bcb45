import { createRequire } from "node:module"
import { join } from "node:path"
import { answerLines } from "./answer-lines.mjs"

const { folder, packages, embeddings } = JSON.parse(process.argv[2])
const { Memory } = createRequire(join(packages, "package.json"))("mem0ai/oss")
const { url, dimensions } = embeddings
const memory = new Memory({
  embedder: {
    provider: "openai",
    config: { apiKey: "none", model: "bench", baseURL: url, embeddingDims: dimensions },
  },
  vectorStore: {
    provider: "memory", // kept in SQLite, whatever its name
    config: { collectionName: "bench", dimension: dimensions, dbPath: join(folder, "vectors.db") },
  },
  llm: { provider: "openai", config: { apiKey: "none", baseURL: url } },
  historyDbPath: join(folder, "history.db"),
})
const everybody = { user_id: "everybody" }
const textsOf = ({ results }) => results.map(({ memory }) => memory).join("\n")

await answerLines({
  async write({ notes }) {
    for (const { title, text } of notes) await memory.add(`${title}\n\n${text}`, { userId: "everybody", infer: false })
  },
  search: async ({ query }) => textsOf(await memory.search(query, { topK: 10, threshold: 0, filters: everybody })),
  list: async () => textsOf(await memory.getAll({ filters: everybody, topK: 1_000_000 })),
})
