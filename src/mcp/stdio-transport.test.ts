import { PassThrough } from "node:stream"
import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import { expect, test } from "vitest"
import { stdioTransport } from "./stdio-transport.ts"

test("what was asked before the input ended is answered, and then it is over", async () => {
  const { input, transport, delivered, written } = await open()
  input.end(`${request(1)}${request("two")}`)
  await delivered(2)
  let isOver = false
  transport.ended.then(() => {
    isOver = true
  })
  await transport.send({ jsonrpc: "2.0", id: 1, result: {} })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isOver).toBe(false)
  await transport.send({ jsonrpc: "2.0", id: "two", result: {} })
  await transport.ended
  expect(written()).toHaveLength(2)
})

test("a request that is cancelled is owed no answer", async () => {
  const { input, transport, delivered } = await open()
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }
  input.end(`${request(1)}${JSON.stringify(cancelled)}\n`)
  await delivered(2)
  await transport.ended
})

test("who sends more than can be answered waits: the rest is not even read", async () => {
  const { input, transport, messages, delivered } = await open()
  input.end(Array.from({ length: 200 }, (_, at) => request(at)).join(""))
  await delivered(64)
  await new Promise((resolve) => setImmediate(resolve))
  expect(messages).toHaveLength(64)
  await transport.send({ jsonrpc: "2.0", id: 0, result: {} })
  await delivered(65)
  for (let at = 1; at < 200; at++) {
    await delivered(at + 1)
    await transport.send({ jsonrpc: "2.0", id: at, result: {} })
  }
  await transport.ended
  expect(messages).toHaveLength(200)
})

test("while the client is asked something, its answer gets through whatever else it sends", async () => {
  const { input, transport, messages, delivered } = await open()
  await transport.send({ jsonrpc: "2.0", id: 0, method: "roots/list" })
  input.write(Array.from({ length: 100 }, (_, at) => request(at + 1)).join(""))
  input.write('{"jsonrpc":"2.0","id":0,"result":{"roots":[]}}\n')
  await delivered(101)
  expect(messages.at(-1)).toEqual({ jsonrpc: "2.0", id: 0, result: { roots: [] } })
})

test("a line that is no message is answered, and the next is read", async () => {
  const { input, delivered, written } = await open()
  input.write(`nonsense\n${request(1)}`)
  await delivered(1)
  expect(written()).toEqual([{ jsonrpc: "2.0", id: null, error: { code: -32700, message: "This line is not JSON" } }])
})

test("a reader that went away ends it, without an error, once what was asked is done", async () => {
  const { input, output, transport, delivered } = await open()
  input.write(request(1))
  await delivered(1)
  const isClosed = new Promise((resolve) => output.on("close", resolve))
  output.destroy(new Error("EPIPE"))
  await isClosed
  await transport.send({ jsonrpc: "2.0", id: 1, result: {} })
  await transport.ended
})

test("told to stop, it reads no further and still answers", async () => {
  const { input, transport, delivered, written } = await open()
  input.write(request(1))
  await delivered(1)
  transport.stop()
  await transport.send({ jsonrpc: "2.0", id: 1, result: {} })
  await transport.ended
  expect(written()).toHaveLength(1)
})

function request(id: number | string): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`
}

async function open() {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const transport = stdioTransport(input, output)
  const messages: JSONRPCMessage[] = []
  let tell = () => {}
  transport.onmessage = (message) => {
    messages.push(message)
    tell()
  }
  let text = ""
  output.on("data", (chunk) => {
    text += chunk
  })
  await transport.start()
  return {
    input,
    output,
    transport,
    messages,
    async delivered(count: number) {
      while (messages.length < count)
        await new Promise<void>((resolve) => {
          tell = resolve
        })
    },
    written: () =>
      text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  }
}
