import { createRequire } from "node:module"
import { join } from "node:path"
import { answerLines } from "./answer-lines.mjs"

const { folder, packages, embeddings } = JSON.parse(process.argv[2])
const require = createRequire(join(packages, "package.json"))
const { Memory } = require("@mastra/memory")
const { LibSQLStore, LibSQLVector } = require("@mastra/libsql")

const embedder = {
  specificationVersion: "v2",
  provider: "bench",
  modelId: "bench",
  maxEmbeddingsPerCall: 1000,
  supportsParallelCalls: true,
  async doEmbed({ values }) {
    const body = JSON.stringify({ input: values, encoding_format: "float" })
    const { data } = await (await fetch(`${embeddings.url}/embeddings`, { method: "POST", body })).json()
    return { embeddings: data.map(({ embedding }) => embedding) }
  },
}
const file = { url: `file:${join(folder, "mastra.db")}` }
const memory = new Memory({
  storage: new LibSQLStore(file),
  vector: new LibSQLVector({ connectionUrl: file.url }),
  embedder,
  options: { lastMessages: false, semanticRecall: { topK: 10, messageRange: 0, scope: "resource" } },
})
const [threadId, resourceId] = ["bench", "everybody"]
const thread = { id: threadId, resourceId, title: "bench", createdAt: new Date(), updatedAt: new Date() }
if (!(await memory.getThreadById({ threadId }))) await memory.saveThread({ thread })

let last = 0
const toMessage = ({ title, text }) => ({
  id: `${process.pid}-${++last}-${Date.now()}`,
  threadId,
  resourceId,
  role: "user",
  createdAt: new Date(),
  content: { format: 2, parts: [{ type: "text", text: `${title}\n\n${text}` }] },
})
const textsOf = ({ messagesV2 }) =>
  messagesV2.flatMap(({ content }) => content.parts.map((part) => part.text ?? "")).join("\n")

await answerLines({
  write: async ({ notes }) => void (await memory.saveMessages({ messages: notes.map(toMessage), format: "v2" })),
  search: async ({ query }) =>
    textsOf(await memory.rememberMessages({ threadId, resourceId, vectorMessageSearch: query })),
  list: async () => textsOf(await memory.query({ threadId, resourceId, selectBy: { last: 1_000_000 } })),
})
