import { expect, test } from "vitest"
import { DreyError } from "../errors.ts"
import { fields, parseParams, text } from "./params.ts"
import { answerLine, RpcError } from "./protocol.ts"

const heard: string[] = []

const methods = {
  echo: async (params: Record<string, unknown>) => parseParams(fields({ text }), params).text,
  note: async (params: Record<string, unknown>) => void heard.push(parseParams(fields({ text }), params).text),
  refuse: async () => {
    throw new DreyError("the disk is full", { hint: "Make room." })
  },
  fail: async () => {
    throw new RpcError(-32030, "no memory has this id", { id: "m-1" })
  },
  break: async () => {
    throw new TypeError("x is not a function")
  },
}

async function answer(request: unknown): Promise<unknown> {
  const line = await answerLine(typeof request === "string" ? request : JSON.stringify(request), methods)
  return line === undefined ? undefined : JSON.parse(line)
}

const request = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params })

test("a request gets its result under its id, whether a number, a string or null", async () => {
  for (const id of [7, "seven", null])
    expect(await answer(request("echo", { text: "hi" }, id))).toEqual({ jsonrpc: "2.0", id, result: "hi" })
})

test("a method that returns nothing answers null, and params may be omitted", async () => {
  expect(await answer(request("note", { text: "x" }))).toEqual({ jsonrpc: "2.0", id: 1, result: null })
  expect(await answer({ jsonrpc: "2.0", id: 1, method: "refuse" })).toMatchObject({ error: { code: -32000 } })
})

test("a notification is executed and not answered, even if it fails", async () => {
  heard.length = 0
  expect(await answer({ jsonrpc: "2.0", method: "note", params: { text: "quiet" } })).toBeUndefined()
  expect(await answer({ jsonrpc: "2.0", method: "break" })).toBeUndefined()
  expect(await answer({ jsonrpc: "2.0", method: "nobody" })).toBeUndefined()
  expect(heard).toEqual(["quiet"])
})

test.each([
  ["{", -32700],
  ["", -32700],
  [{ id: 1, method: "echo" }, -32600],
  [{ jsonrpc: "1.0", id: 1, method: "echo" }, -32600],
  [{ jsonrpc: "2.0", id: 1, method: 5 }, -32600],
  [{ jsonrpc: "2.0", id: {}, method: "echo" }, -32600],
  ["null", -32600],
  ["5", -32600],
  [[], -32600],
])("%j is not a request: %i, with no id", async (given, code) => {
  expect(await answer(given)).toMatchObject({ id: null, error: { code } })
})

test.each([
  ["nobody", undefined, -32601],
  ["toString", undefined, -32601],
  ["__proto__", undefined, -32601],
  ["echo", ["hi"], -32602],
  ["echo", {}, -32602],
  ["echo", { text: 5 }, -32602],
  ["fail", {}, -32030],
  ["refuse", {}, -32000],
  ["break", {}, -32603],
])("%s with %j answers %i", async (method, params, code) => {
  expect(await answer(request(method, params))).toMatchObject({ id: 1, error: { code } })
})

test("an error has details for the caller, and no stack trace", async () => {
  expect(await answer(request("fail", {}))).toMatchObject({ error: { data: { id: "m-1" } } })
  expect(await answer(request("refuse", {}))).toMatchObject({ error: { data: { hint: "Make room." } } })
  expect(await answer(request("break", {}))).toEqual({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32603, message: "internal error: x is not a function" },
  })
})

test("a batch is answered as a list, without its notifications", async () => {
  const batch = [request("echo", { text: "a" }, 1), { jsonrpc: "2.0", method: "note", params: { text: "b" } }, 5]
  expect(await answer(batch)).toMatchObject([
    { id: 1, result: "a" },
    { id: null, error: { code: -32600 } },
  ])
  expect(await answer([{ jsonrpc: "2.0", method: "note", params: { text: "b" } }])).toBeUndefined()
})

test("a batch of very many requests is refused whole", async () => {
  heard.length = 0
  const many = Array.from({ length: 101 }, () => request("note", { text: "again" }))
  expect(await answer(many)).toMatchObject({ id: null, error: { code: -32600 } })
  expect(heard).toEqual([])
})
