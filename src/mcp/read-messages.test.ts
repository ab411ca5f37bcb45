import { expect, test } from "vitest"
import { readMessages } from "./read-messages.ts"

test("messages are read however their bytes are cut, the last one without an end of line too", async () => {
  const text = '{"jsonrpc":"2.0","id":"é1","method":"ping"}\r\n\n{"jsonrpc":"2.0","id":2,"method":"ping"}'
  for (const size of [1, 3, 1000]) {
    const read = await collect(text, size)
    expect(read).toEqual([
      { kind: "message", message: { jsonrpc: "2.0", id: "é1", method: "ping" } },
      { kind: "message", message: { jsonrpc: "2.0", id: 2, method: "ping" } },
    ])
  }
})

test("a line that is no JSON, or JSON but no message, is told of and passed over", async () => {
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

test("what a bad line holds is not repeated", async () => {
  const [read] = await collect("password=hunter2\n", 64)
  expect(JSON.stringify(read)).not.toContain("hunter2")
})

test("a line that is too long is passed over whole, and the next is read", async () => {
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
