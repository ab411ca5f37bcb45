import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

/** Vectors of texts, in their order. */
export type Embed = (texts: string[]) => Promise<Float32Array[]>

/** Serves vectors on loopback in the way of OpenAI's embeddings, for peers that ask such an endpoint. */
export async function startEmbeddingServer(embed: Embed): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const { input, encoding_format }: { input: string | string[]; encoding_format?: string } = JSON.parse(
      await text(request),
    )
    const embedded = await embed([input].flat())
    const data = embedded.map((vector, index) => {
      const embedding =
        encoding_format === "base64"
          ? Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64")
          : [...vector]
      return { object: "embedding", index, embedding }
    })
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ object: "list", model: "bench", data, usage: { prompt_tokens: 0, total_tokens: 0 } }))
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
