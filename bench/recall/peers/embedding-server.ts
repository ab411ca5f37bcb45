import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import type { Vectors } from "../vectors.ts"

/** Serves the bench's vectors on loopback in the way of OpenAI's embeddings, for peers that ask such an endpoint. */
export async function startEmbeddingServer(vectors: Vectors): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const { input, encoding_format }: { input: string | string[]; encoding_format?: string } = JSON.parse(
      await text(request),
    )
    const embedded = await vectors.of([input].flat())
    const data = embedded.map((vector, index) => {
      const embedding = encoding_format === "base64" ? Buffer.from(vector.buffer).toString("base64") : [...vector]
      return { object: "embedding", index, embedding }
    })
    response.setHeader("content-type", "application/json")
    response.end(
      JSON.stringify({ object: "list", model: "minilm", data, usage: { prompt_tokens: 0, total_tokens: 0 } }),
    )
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
