import { once } from "node:events"
import { readdirSync, statSync } from "node:fs"
import { request } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { startMcpHttp } from "./mcp-server.ts"
import { makeRepository, runCli } from "./run-cli.ts"
import { teamFiles } from "./team-store.ts"

const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })

test("only who shows the token is served", async () => {
  const { url, token, home } = await startMcpHttp(makeRepository(teamFiles))
  expect(await post(url, { Authorization: `Bearer ${token}` })).toMatchObject({ status: 200 })
  for (const headers of [
    {},
    { Authorization: "Bearer wrong" },
    { Authorization: token },
    { Authorization: "Bearer " },
  ]) {
    const { status, body, headers: answered } = await post(url, headers)
    expect(status).toBe(401)
    expect(answered["www-authenticate"]).toMatch(/^Bearer/)
    expect(body).not.toContain(token)
  }
  if (process.platform !== "win32") expect(statSync(join(home, "mcp-token")).mode & 0o777).toBe(0o600)
})

test("the environment can bring the token", async () => {
  const mine = "a-token-of-my-own-0123"
  const { url } = await startMcpHttp(makeRepository(teamFiles), { env: { DREY_MCP_TOKEN: mine } })
  expect((await post(url, { Authorization: `Bearer ${mine}` })).status).toBe(200)
})

test("a name that is not this machine's, and a page of another origin, are refused even with the token", async () => {
  const { url, token } = await startMcpHttp(makeRepository(teamFiles))
  const port = new URL(url).port
  const authorization = { Authorization: `Bearer ${token}` }
  for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1.evil.example"])
    expect((await post(url, { ...authorization, Host: host })).status, host).toBe(403)
  for (const origin of ["http://evil.example", "null", "https://localhost.evil.example", "chrome-extension://abc"])
    expect((await post(url, { ...authorization, Origin: origin })).status, origin).toBe(403)
  for (const own of [
    { Host: `localhost:${port}` },
    { Origin: `http://localhost:${port}` },
    { Origin: "http://127.0.0.1" },
  ])
    expect((await post(url, { ...authorization, ...own })).status).toBe(200)
})

test("it listens on this machine alone, and at one path", async () => {
  const { url, token } = await startMcpHttp(makeRepository(teamFiles))
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
  const authorization = { Authorization: `Bearer ${token}` }
  expect((await post(url.replace("/mcp", "/"), authorization)).status).toBe(404)
  expect((await post(url.replace("/mcp", "/.well-known/oauth-protected-resource"), authorization)).status).toBe(404)
})

test("a body that is too large, or no message, is refused, and the next request is served", async () => {
  const { url, token } = await startMcpHttp(makeRepository(teamFiles))
  const headers = { Authorization: `Bearer ${token}` }
  expect((await post(url, headers, "x".repeat(5 * 1024 * 1024))).status).toBe(413)
  expect((await post(url, headers, "{oops")).status).toBe(400)
  expect((await post(url, { ...headers, "Content-Type": "text/plain" })).status).toBeGreaterThanOrEqual(400)
  expect((await post(url, headers)).status).toBe(200)
})

test("many at once are answered, and who leaves in the middle does no harm", async () => {
  const { url, token } = await startMcpHttp(makeRepository(teamFiles))
  const headers = { Authorization: `Bearer ${token}` }
  const search = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "memory_search", arguments: { query: "lanterns" } },
  })
  const leaving = Array.from({ length: 5 }, () => {
    const sent = request(url, { method: "POST", headers: { ...usual, ...headers } })
    sent.on("error", () => {}) // it left
    sent.end(search)
    setImmediate(() => sent.destroy())
    return new Promise((resolve) => sent.on("close", resolve))
  })
  const answers = await Promise.all(Array.from({ length: 40 }, () => post(url, headers, search)))
  await Promise.all(leaving)
  for (const { status, body } of answers) {
    expect(status).toBe(200)
    expect(body).toContain("Use lanterns in every hall")
  }
})

test("a body that comes slowly is waited for, one that breaks off is not, and neither keeps others waiting", async () => {
  const { url, token } = await startMcpHttp(makeRepository(teamFiles))
  const headers = { Authorization: `Bearer ${token}` }
  const begin = () => {
    const sent = request(url, {
      method: "POST",
      headers: { ...usual, ...headers, "Content-Length": ping.length },
      agent: false,
    })
    sent.write(ping.slice(0, 9))
    return sent
  }
  const slow = Array.from({ length: 30 }, begin)
  const broken = begin().on("error", () => {}) // it left
  expect((await post(url, headers)).status).toBe(200)
  broken.destroy()
  const answers = slow.map(
    (sent) => new Promise((resolve) => sent.on("response", ({ statusCode }) => resolve(statusCode))),
  )
  for (const sent of slow) sent.end(ping.slice(9))
  expect(new Set(await Promise.all(answers))).toEqual(new Set([200]))
  expect((await post(url, headers)).status).toBe(200)
})

test("hundreds of idle connections without the token do not block a client that has it", async () => {
  const { url, token } = await startMcpHttp(makeRepository(teamFiles))
  for (let at = 0; at < 200; at++) {
    const socket = connect(Number(new URL(url).port), "127.0.0.1")
    onTestFinished(() => void socket.destroy())
    socket.on("error", () => {}) // the server may cut it off
    await once(socket, "connect")
    if (at % 3 === 0) socket.write("POST /mcp HTTP/1.1\r\n") // half a request
  }
  expect((await post(url, { Authorization: `Bearer ${token}` })).status).toBe(200)
})

test("a thousand requests are answered, every one", async () => {
  const { url, token } = await startMcpHttp(makeRepository(teamFiles))
  const headers = { Authorization: `Bearer ${token}` }
  const answers: number[] = []
  const askOn = async () => {
    while (answers.length < 1000) answers.push((await post(url, headers)).status)
  }
  await Promise.all(Array.from({ length: 40 }, askOn))
  expect(new Set(answers)).toEqual(new Set([200]))
})

test("what was written for a client that left is whole and on record", async () => {
  const cwd = makeRepository(teamFiles)
  const { url, token } = await startMcpHttp(cwd)
  const headers = { Authorization: `Bearer ${token}` }
  const call = (name: string, given: object) =>
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } })
  const leaving = Array.from({ length: 12 }, (_, number) => {
    const sent = request(url, { method: "POST", headers: { ...usual, ...headers }, agent: false })
    sent.on("error", () => {}) // it left
    sent.end(call("memory_write", { content: `Lantern ${number} burns`, class: "LOCAL" }), () => sent.destroy())
    return new Promise((resolve) => sent.on("close", resolve))
  })
  await Promise.all(leaving)
  await post(url, headers, call("memory_write", { content: "The last lantern burns", class: "LOCAL" }))
  expect((await post(url, headers, call("memory_audit", { verify: true }))).body).toContain("The audit log is intact")
  const audit = (await post(url, headers, call("memory_audit", { limit: 100 }))).body
  const written = audit.match(/ write LOCAL /g) ?? []
  expect(readdirSync(join(cwd, ".squad/memory/local"))).toHaveLength(written.length)
})

test("who asks for progress gets it in a stream before the answer", async () => {
  const { url, token } = await startMcpHttp(makeRepository(teamFiles))
  const params = { name: "get_task_context", arguments: { task: "login" }, _meta: { progressToken: 7 } }
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })
  const { body } = await post(url, { Authorization: `Bearer ${token}` }, call)
  const sent = [...body.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ""))
  expect(sent[0]).toMatchObject({ method: "notifications/progress", params: { progressToken: 7 } })
  expect(sent.at(-1)).toMatchObject({ id: 1, result: { content: [{ type: "text" }] } })
})

test("a signal shuts it down cleanly, and its port is free again", async () => {
  const cwd = makeRepository(teamFiles)
  const { url, token, child } = await startMcpHttp(cwd)
  await post(url, { Authorization: `Bearer ${token}` })
  const { code, stderr } = await runCli(["mcp", "--http", "--port", new URL(url).port], { cwd })
  expect(code).toBe(1)
  expect(stderr).toContain(`Port ${new URL(url).port} is in use`)
  const ended = new Promise((resolve) => child.once("exit", (...ending) => resolve(ending)))
  child.kill("SIGTERM")
  expect(await ended).toEqual([0, null])
  await expect(post(url, {})).rejects.toThrow("ECONNREFUSED")
})

test("--port without --http, and an invalid port, are reported", async () => {
  const cwd = makeRepository(teamFiles)
  expect((await runCli(["mcp", "--port", "80"], { cwd })).stderr).toContain("--port requires --http")
  expect((await runCli(["mcp", "--http", "--port", "many"], { cwd })).code).toBe(2)
})

const usual = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" }

/** Not `fetch`, which does not allow setting the host. */
function post(url: string, headers: Record<string, string>, body = ping) {
  return new Promise<{ status: number; body: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const sent = request(url, { method: "POST", headers: { ...usual, ...headers }, agent: false }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part) => {
        text += part
      })
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }))
    })
    sent.on("error", reject)
    sent.end(body)
  })
}
