import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startMcp } from "./mcp-server.ts"
import { makeRepository } from "./run-cli.ts"
import { teamFiles } from "./team-store.ts"

const write = (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "memory_write", arguments: { content: `Lantern ${id} burns`, class: "LOCAL" } },
})

test("a client that disconnects in the middle of its calls loses no write, and the process ends", async () => {
  const cwd = makeRepository(teamFiles)
  const server = startMcp(cwd)
  await server.begin()
  for (let id = 1; id <= 12; id++) server.send(write(id))
  server.child.stdout.destroy() // no reader any more: writing ends in EPIPE
  server.child.stdin.end()
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    server.child.once("exit", (...ending) => resolve(ending)),
  )
  expect([code, signal]).toEqual([0, null])
  expect(readdirSync(join(cwd, ".squad/memory/local"))).toHaveLength(12)
})

test("on a signal it finishes pending requests first", async () => {
  const cwd = makeRepository(teamFiles)
  const server = startMcp(cwd)
  await server.begin()
  for (let id = 1; id <= 6; id++) server.send(write(id))
  await server.next(({ id }) => id === 1)
  const ended = new Promise((resolve) => server.child.once("close", resolve))
  server.child.kill("SIGTERM")
  expect(await ended).toBe(0)
  const answered = server.lines.filter((line) => line.includes("Stored LOCAL memory")).length
  expect(readdirSync(join(cwd, ".squad/memory/local"))).toHaveLength(answered)
})

test("a flood of requests is answered, every one, without much memory", async () => {
  const server = startMcp(makeRepository(teamFiles))
  await server.begin()
  const many = 3000
  for (let id = 1; id <= many; id++)
    server.send({ jsonrpc: "2.0", id, method: id % 10 === 0 ? "tools/list" : id % 3 === 0 ? "nonsense" : "ping" })
  for (let id = many + 1; id <= many + 30; id++) {
    const params = { name: "memory_search", arguments: { query: `lantern ${id}` } }
    server.send({ jsonrpc: "2.0", id, method: "tools/call", params })
  }
  expect(await server.end()).toBe(0)
  const ids = server.lines.map((line) => JSON.parse(line).id).filter((id) => typeof id === "number")
  expect(new Set(ids).size).toBe(many + 30)
  expect(ids).toHaveLength(many + 30)
})

test("a call that was cancelled while it waited is not made", async () => {
  const cwd = makeRepository(teamFiles)
  const server = startMcp(cwd)
  await server.begin()
  for (let id = 1; id <= 20; id++) server.send(write(id))
  server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 20 } })
  expect(await server.end()).toBe(0)
  const answered = server.lines.filter((line) => line.includes("Stored LOCAL memory"))
  expect(answered).toHaveLength(19)
  expect(readdirSync(join(cwd, ".squad/memory/local"))).toHaveLength(19)
})

test("lines that are not messages, and one of many megabytes, are reported and do no harm", async () => {
  const server = startMcp(makeRepository(teamFiles))
  await server.begin()
  for (const line of ["{", "null", "[]", "42", "\u0000\u0001", '{"jsonrpc":"2.0"}', "Content-Length: 40\r", "é\ud800"])
    server.send(line)
  server.send(`{"jsonrpc":"2.0","id":1,"method":"${"x".repeat(12 * 1024 * 1024)}"}`)
  expect((await server.ask("ping")).result).toEqual({})
  const codes = server.lines.map((line) => JSON.parse(line)).flatMap(({ error }) => (error ? [error.code] : []))
  expect(codes.filter((code) => code === -32700)).toHaveLength(4)
  expect(codes.filter((code) => code === -32600)).toHaveLength(5)
  expect((await server.call("memory_search", { query: "lanterns" })).text).toContain("Use lanterns")
  expect(await server.end()).toBe(0)
})

test("a line of a hundred megabytes is skipped and not kept in memory", async () => {
  const server = startMcp(makeRepository(teamFiles))
  await server.begin()
  const piece = "x".repeat(1024 * 1024)
  server.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"')
  for (let count = 0; count < 100; count++) await new Promise((written) => server.child.stdin.write(piece, written))
  server.send('"}')
  expect((await server.next(({ error }) => error !== undefined)).error?.code).toBe(-32600)
  expect((await server.ask("ping")).result).toEqual({})
  if (process.platform === "linux") expect(mostMegabytes(server.child.pid)).toBeLessThan(200)
  expect(await server.end()).toBe(0)
})

test("a client that asks and does not read is waited for, and gets everything once it reads", async () => {
  const server = startMcp(makeRepository(teamFiles))
  await server.begin()
  server.child.stdout.pause()
  const many = 2000
  for (let id = 1; id <= many; id++) server.send({ jsonrpc: "2.0", id, method: "tools/list" })
  server.child.stdin.end()
  server.child.stdout.resume()
  await server.next(({ id }) => id === many)
  const ids = server.lines.map((line) => JSON.parse(line).id).filter((id) => typeof id === "number")
  expect(ids.sort((one, other) => one - other)).toEqual(Array.from({ length: many }, (_, at) => at + 1))
  expect(await server.end()).toBe(0)
})

test("input that ends in the middle of a message shuts the server down cleanly", async () => {
  const cwd = makeRepository(teamFiles)
  const server = startMcp(cwd)
  await server.begin()
  server.send(write(1))
  server.child.stdin.write(JSON.stringify(write(2)).slice(0, -9))
  expect(await server.end()).toBe(0)
  expect(server.lines.filter((line) => line.includes("Stored LOCAL memory"))).toHaveLength(1)
  expect(readdirSync(join(cwd, ".squad/memory/local"))).toHaveLength(1)
})

test("arguments of any shape are refused, never a crash", async () => {
  const server = startMcp(makeRepository(teamFiles), { args: ["--profile", "squad"] })
  await server.begin()
  const { tools } = (await server.ask("tools/list")).result
  const odd = [[], 7, "text", { a: { b: [null] } }, "\ud800", -1, true]
  for (const { name, inputSchema } of tools as { name: string; inputSchema: { properties: object } }[]) {
    for (const value of odd) {
      const given = Object.fromEntries(Object.keys(inputSchema.properties).map((key) => [key, value]))
      const { text } = await server.call(name, given)
      expect(text, `${name} of ${JSON.stringify(value)}`).not.toMatch(/internal error/)
    }
  }
  expect(await server.end()).toBe(0)
})

/** The most that a process has had in memory so far. */
function mostMegabytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1]) / 1024
}
