import { PassThrough } from "node:stream"
import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import { expect, test } from "vitest"
import { readMessages, stdioTransport } from "./stdio-transport.ts"

test("requests before the end of input are answered, and then it stops", async () => {
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

test("a cancelled request gets no answer", async () => {
  const { input, transport, delivered } = await open()
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }
  input.end(`${request(1)}${JSON.stringify(cancelled)}\n`)
  await delivered(2)
  await transport.ended
})

test("a client that sends more than can be answered has to wait: the rest is not even read", async () => {
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

test("a line that is not a message is answered, and the next is read", async () => {
  const { input, delivered, written } = await open()
  input.write(`nonsense\n${request(1)}`)
  await delivered(1)
  expect(written()).toEqual([{ jsonrpc: "2.0", id: null, error: { code: -32700, message: "This line is not JSON" } }])
})

test("a reader that disconnects ends it, without an error, once pending requests are done", async () => {
  const { input, output, transport, delivered } = await open()
  input.write(request(1))
  await delivered(1)
  const isClosed = new Promise((resolve) => output.on("close", resolve))
  output.destroy(new Error("EPIPE"))
  await isClosed
  await transport.send({ jsonrpc: "2.0", id: 1, result: {} })
  await transport.ended
})

test("when stopped, it reads no further and still answers", async () => {
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

test("messages are read however their bytes are split, also a last one without a line end", async () => {
  const text = '{"jsonrpc":"2.0","id":"é1","method":"ping"}\r\n\n{"jsonrpc":"2.0","id":2,"method":"ping"}'
  for (const size of [1, 3, 1000]) {
    const read = await collect(text, size)
    expect(read).toEqual([
      { kind: "message", message: { jsonrpc: "2.0", id: "é1", method: "ping" } },
      { kind: "message", message: { jsonrpc: "2.0", id: 2, method: "ping" } },
    ])
  }
})

test("a line that is not JSON, or JSON but not a message, is reported and skipped", async () => {
  const lines = ["{oops", '{"jsonrpc":"2.0","id":7}', "[1]", '"x"', '{"jsonrpc":"1.0","id":"a","method":"ping"}']
  const read = await collect(`${lines.join("\n")}\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n`, 64)
  expect(read.map((each) => (each.kind === "unusable" ? [each.code, each.id] : each.message))).toEqual([
    [-32700, null],
    [-32600, 7],
    [-32600, null],
    [-32600, null],
    [-32600, "a"],
    { jsonrpc: "2.0", id: 1, method: "ping" },
  ])
})

test("the content of a bad line is not repeated", async () => {
  const [read] = await collect("password=hunter2\n", 64)
  expect(JSON.stringify(read)).not.toContain("hunter2")
})

test("a line that is too long is skipped whole, and the next is read", async () => {
  const text = `${"x".repeat(5000)}\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n${"y".repeat(5000)}`
  for (const size of [7, 64, 20_000]) {
    const read = await collect(text, size, 1000)
    expect(read.map((each) => (each.kind === "unusable" ? each.reason : "message"))).toEqual([
      "A line may have 1000 bytes at most",
      "message",
      "A line may have 1000 bytes at most",
    ])
  }
})

async function collect(text: string, size: number, mostBytes = 1_000_000) {
  const bytes = Buffer.from(text)
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const read = []
  for await (const each of readMessages(chunks(), mostBytes)) read.push(each)
  return read
}
