import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, test } from "vitest"
import { startMcp } from "./mcp-server.ts"
import { hello, transports } from "./mcp-transports.ts"
import { makeRepository, runCli } from "./run-cli.ts"
import { teamFiles } from "./team-store.ts"

describe.each(Object.entries(transports))("over %s", (_, connect) => {
  test.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])(
    "a client of %s is answered in its own version",
    async (version) => {
      const ask = await connect(makeRepository(teamFiles))
      const { result } = await ask("initialize", hello(version))
      expect(result).toMatchObject({
        protocolVersion: version,
        serverInfo: { name: "drey", version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
        capabilities: { tools: {}, resources: {}, prompts: {} },
        instructions: expect.stringContaining("memory_search"),
      })
    },
  )

  test("an unknown version is answered with a known one, and the id is returned as sent", async () => {
    const ask = await connect(makeRepository(teamFiles))
    const answer = await ask("initialize", hello("1999-01-01"), "a string")
    expect(answer).toMatchObject({ id: "a string", result: { protocolVersion: "2025-11-25" } })
    expect((await ask("ping", {}, 0)).id).toBe(0)
    expect((await ask("ping", {}, 4711)).result).toEqual({})
  })

  test("a method that does not exist is answered at once as such", async () => {
    const ask = await connect(makeRepository(teamFiles))
    await ask("initialize", hello("2025-11-25"))
    for (const method of ["server/discover", "no/such/method", "completion/complete", "sampling/createMessage"])
      expect((await ask(method)).error?.code, method).toBe(-32601)
  })

  test("a malformed tool call is an error, what a tool refuses is an answer", async () => {
    const ask = await connect(makeRepository(teamFiles))
    await ask("initialize", hello("2025-11-25"))
    expect((await ask("tools/call", { name: "no_such_tool" })).error).toMatchObject({
      code: -32602,
      message: "Unknown tool: no_such_tool",
    })
    expect((await ask("tools/call", { arguments: {} })).error?.code).toBeLessThan(-32600)
    const { result } = await ask("tools/call", { name: "memory_write", arguments: {} })
    expect(result).toMatchObject({ isError: true, content: [{ type: "text" }] })
    expect((await ask("prompts/get", { name: "no_such_prompt" })).error?.code).toBe(-32602)
    expect((await ask("resources/read", { uri: "drey://no/such/thing" })).error?.message).toContain("not found")
  })

  test("a dotted name is understood, and what the list promises is what comes", async () => {
    const ask = await connect(makeRepository(teamFiles))
    await ask("initialize", hello("2025-11-25"))
    const { result } = await ask("tools/call", { name: "memory.search", arguments: { query: "lanterns" } })
    expect(result.content[0].text).toContain("[DECISION] Use lanterns in every hall")
    expect(result.structuredContent.results[0]).toMatchObject({ class: "DECISION", source: "decisions" })
    const listed = await ask("tools/list")
    expect(JSON.stringify(listed.result).length).toBeLessThan(8192)
    expect((await ask("tools/list")).result).toEqual(listed.result)
  })
})

test("a call that asks for progress gets it while the index is built", async () => {
  const server = startMcp(makeRepository(teamFiles))
  await server.begin()
  server.send({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "get_task_context", arguments: { task: "login" }, _meta: { progressToken: "mine" } },
  })
  const { params } = await server.next(({ method }) => method === "notifications/progress")
  expect(params).toMatchObject({ progressToken: "mine", message: expect.stringContaining("files") })
  expect((await server.next(({ id }) => id === 1)).result.isError).toBeUndefined()
})

test("a notification is never answered, and nothing but messages comes on stdout", async () => {
  const server = startMcp(makeRepository(teamFiles), { env: { DREY_DEBUG: "1" } })
  await server.begin()
  for (const method of ["notifications/initialized", "notifications/cancelled", "notifications/no_such_thing"])
    server.send({ jsonrpc: "2.0", method, params: { requestId: "x" } })
  await server.call("get_task_context", { task: "login" })
  await server.call("memory_search", { query: "login" })
  expect(await server.end()).toBe(0)
  const messages = server.lines.map((line) => JSON.parse(line))
  expect(messages).toHaveLength(3)
  for (const message of messages) expect(message).toMatchObject({ jsonrpc: "2.0", id: expect.anything() })
})

test("requests before the handshake, and input that ends before its answers, are answered", async () => {
  const cwd = makeRepository(teamFiles)
  const lines = [
    { jsonrpc: "2.0", id: 1, method: "tools/list" },
    {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "memory_search", arguments: { query: "lanterns" } },
    },
  ]
  const { code, stdout } = await runCli(["mcp"], {
    cwd,
    input: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  })
  expect(code).toBe(0)
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(answers.map(({ id }) => id).sort()).toEqual([1, 2])
  expect(stdout).toContain("Use lanterns in every hall")
})

test("the project is the client's first root with a team, else the folder that the client names, else where it runs", async () => {
  const [team, elsewhere] = [makeRepository(teamFiles), makeRepository({})]
  mkdirSync(join(team, "src", "deep"), { recursive: true })
  const asked = { query: "lanterns" }
  const found = "Use lanterns in every hall"

  const withRoots = startMcp(elsewhere)
  await withRoots.begin({ roots: { listChanged: true } })
  const answer = withRoots.call("memory_search", asked)
  const question = await withRoots.next(({ method }) => method === "roots/list")
  const roots = [elsewhere, join(team, "src", "deep")].map((path) => ({ uri: pathToFileURL(path).href }))
  withRoots.send({ jsonrpc: "2.0", id: question.id, result: { roots } })
  expect((await answer).text).toContain(found)

  const named = startMcp(elsewhere, { env: { CLAUDE_PROJECT_DIR: team } })
  await named.begin()
  expect((await named.call("memory_search", asked)).text).toContain(found)

  const here = startMcp(join(team, "src"))
  await here.begin()
  expect((await here.call("memory_search", asked)).text).toContain(found)

  const byFlag = startMcp(elsewhere, { args: ["--root", team] })
  await byFlag.begin({ roots: {} }) // never asked
  expect((await byFlag.call("memory_search", asked)).text).toContain(found)

  const nowhere = startMcp(elsewhere)
  await nowhere.begin()
  const refused = await nowhere.call("memory_search", asked)
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("has no .squad folder") })
})

test("a client that announced roots and never sends them is served where the server runs", async () => {
  const server = startMcp(makeRepository(teamFiles))
  await server.begin({ roots: {} })
  const answer = server.call("memory_search", { query: "lanterns" })
  const question = await server.next(({ method }) => method === "roots/list")
  server.send({ jsonrpc: "2.0", id: question.id, error: { code: -32601, message: "no" } })
  expect((await answer).text).toContain("Use lanterns in every hall")
})

test("Squad's profile adds its tools, dotted names are listed on request, and a mistyped option is reported", async () => {
  const cwd = makeRepository(teamFiles)
  const server = startMcp(cwd, { args: ["--profile", "squad", "--tool-names", "dotted"] })
  await server.begin()
  const names = (await server.ask("tools/list")).result.tools.map(({ name }: { name: string }) => name)
  for (const name of ["squad_decide", "squad_state_health", "memory.archive", "memory.write"])
    expect(names).toContain(name)
  expect((await server.call("squad_state_health")).text).toBe("State backend storage: Drey")
  const { code, stdout, stderr } = await runCli(["mcp", "--profile", "squat"], { cwd })
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
  expect(stderr).toContain("squad")
})
