import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, test } from "vitest"
import { DreyError } from "../errors.ts"
import { openAiEmbedder } from "./openai-embedder.ts"

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

test("texts go out in batches and their vectors come back in order, of unit length", async () => {
  const sizes: number[] = []
  const baseUrl = await serve((request, response, body) => {
    expect(request.url).toBe("/v1/embeddings")
    expect(request.headers.authorization).toBe("Bearer sesame")
    expect(body).toMatchObject({ model: "tiny", encoding_format: "float" })
    sizes.push(body.input.length)
    const data = body.input.map((text, index) => ({ index, embedding: [Number(text), 3, 4] }))
    response.end(JSON.stringify({ data: data.reverse() }))
  })
  const embedder = openAiEmbedder({ baseUrl: `${baseUrl}/`, model: "tiny", dimensions: 3, key: "sesame" })
  const vectors = await embedder.embed(Array.from({ length: 100 }, (_, index) => String(index)))
  expect(sizes).toEqual([64, 36])
  expect(Array.from(vectors[0] ?? [])).toEqual([0, Math.fround(0.6), Math.fround(0.8)])
  expect(vectors.map((vector) => Math.round((3 * (vector[0] ?? 0)) / (vector[1] ?? 1)))).toEqual([...vectors.keys()])
  expect(embedder.id).toBe("openai:tiny:3")
})

test("the number of dimensions is asked for only when told so", async () => {
  const asked: unknown[] = []
  const baseUrl = await serve((_, response, body) => {
    asked.push(body.dimensions)
    response.end(JSON.stringify({ data: [{ embedding: [1, 0] }] }))
  })
  const options = { baseUrl, model: "tiny", dimensions: 2 }
  await openAiEmbedder(options).embed(["a"])
  await openAiEmbedder({ ...options, askForDimensions: true }).embed(["a"])
  expect(asked).toEqual([undefined, 2])
})

test("no texts cost no request", async () => {
  expect(await openAiEmbedder({ baseUrl: "http://127.0.0.1:9/v1", model: "tiny", dimensions: 2 }).embed([])).toEqual([])
})

test.each<[string, string, Answer]>([
  [
    "a wrong key",
    "refused with status 401",
    (_, response, body) => response.writeHead(401).end(`Bearer sesame ${body.input[0]}`),
  ],
  ["too many requests", "refused with status 429", (_, response) => response.writeHead(429).end()],
  ["a failing server", "refused with status 500", (_, response) => response.writeHead(500).end()],
  [
    "an answer that is no JSON",
    "did not answer in JSON",
    (_, response) => response.end("<html>a private sentence</html>"),
  ],
  ["an answer without vectors", "answered without vectors", (_, response) => response.end("{}")],
  ["too few vectors", "sent 0 vectors for 1 texts", (_, response) => response.end('{"data":[]}')],
  [
    "vectors of another length",
    "sent 1 dimensions instead of 2",
    (_, response) => response.end('{"data":[{"embedding":[1]}]}'),
  ],
  ["vectors of words", "not a list of numbers", (_, response) => response.end('{"data":[{"embedding":["a","b"]}]}')],
  ["no answer in time", "did not answer within 300 ms", () => undefined],
  ["a connection cut off", "could not be reached", (request) => request.socket.destroy()],
])("%s is an error that carries neither text nor key", async (_, message, answer) => {
  const baseUrl = await serve(answer)
  const embedder = openAiEmbedder({ baseUrl, model: "tiny", dimensions: 2, key: "sesame", timeoutMs: 300 })
  const error: unknown = await embedder.embed(["a private sentence"]).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(DreyError)
  expect(String(error)).toContain(message)
  const everything = JSON.stringify(error, ["message", "hint", "cause", "stack"])
  expect(everything + String(error)).not.toMatch(/private|sesame/)
})

test("two vectors for one of two texts are an error", async () => {
  const baseUrl = await serve((_, response) =>
    response.end('{"data":[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}]}'),
  )
  const embedder = openAiEmbedder({ baseUrl, model: "tiny", dimensions: 2 })
  await expect(embedder.embed(["a", "b"])).rejects.toThrow("two vectors for one text")
})

test("an address that is no URL is named without being quoted", async () => {
  const embedder = openAiEmbedder({ baseUrl: "sesame", model: "tiny", dimensions: 2 })
  await expect(embedder.embed(["a"])).rejects.toThrow("at an address that is not a URL could not be reached")
})

type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  body: { input: string[]; dimensions?: number },
) => unknown

async function serve(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => answer(request, response, JSON.parse(Buffer.concat(parts).toString())))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}
