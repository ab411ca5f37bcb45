import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, test } from "vitest"
import { startMcpHttp } from "./mcp-server.ts"
import { hello, transports } from "./mcp-transports.ts"
import { officialClients } from "./official-clients.ts"
import { makeRepository } from "./run-cli.ts"
import { teamFiles } from "./team-store.ts"

const ajv = new Ajv2020({ strict: true, strictRequired: true, allErrors: true })
type Schema = Record<string, unknown>

describe.each(Object.entries(officialClients))("%s", (_, connect) => {
  test("tools are called, and answer, as their schemas define", async () => {
    const client = await connect(makeRepository(teamFiles))
    const { tools } = await client.listTools()
    const call = async (name: string, given: Record<string, unknown> = {}) => {
      const tool = tools.find((each) => each.name === name)
      expect(ajv.compile(tool?.inputSchema as Schema)(given), name).toBe(true)
      const { content, structuredContent, isError } = await client.call(name, given)
      expect(
        content.map(({ type }) => type),
        name,
      ).toEqual(["text"])
      expect(isError, name).toBeUndefined()
      if (tool?.outputSchema) {
        const isAsPromised = ajv.compile(tool.outputSchema as Schema)
        expect(isAsPromised(structuredContent), `${name}: ${ajv.errorsText(isAsPromised.errors)}`).toBe(true)
      }
      return structuredContent ?? {}
    }
    await call("get_task_context", { task: "Renew the login token", budget: 500, paths: ["src/login.ts"] })
    await call("report_outcome", { outcome: "success", note: "done" })
    await call("memory_classify", { content: "Always sign commits" })
    const { id } = await call("memory_write", { content: "Queues block at noon", class: "LOCAL", tags: ["queues"] })
    await call("memory_search", { query: "queues", limit: 3 })
    await call("memory_read", { ids: [id] })
    await call("recent", { limit: 2 })
    const promoted = await call("memory_promote", { id, targetClass: "DECISION" })
    await call("memory_delete", { id: promoted.id })
    await call("memory_audit", { limit: 5 })
    await call("memory_audit", { verify: true })
    const { session } = await call("session_record", { action: "start", text: "Add a login", agent: "kane" })
    await call("session_record", {
      action: "discover",
      session,
      agent: "kane",
      text: "The queue blocks",
      type: "failure_cause",
    })
    await call("session_recall", { view: "list" })
  })

  test("resources match the lists, and a missing one is reported by its address", async () => {
    const client = await connect(makeRepository(teamFiles))
    await client.call("session_record", { action: "start", text: "Add a login", agent: "kane" })
    const { resources } = await client.listResources()
    const { resourceTemplates } = await client.listResourceTemplates()
    const patterns = resourceTemplates.map(
      ({ uriTemplate }) => new RegExp(`^${uriTemplate.replace(/\{\w+\}/g, "[^/]+")}$`),
    )
    for (const { uri, mimeType } of resources) {
      expect(new URL(uri).protocol).toBe("drey:")
      const { contents } = await client.readResource({ uri })
      expect(contents).toEqual([{ uri, mimeType, text: expect.stringMatching(/./) }])
    }
    for (const pattern of patterns) expect(resources.filter(({ uri }) => pattern.test(uri)).length).toBeGreaterThan(0)
    const missing = { code: -32602, data: { uri: "drey://sessions/none" } }
    await expect(client.readResource({ uri: "drey://sessions/none" })).rejects.toMatchObject(missing)
  })

  test("a prompt declares its arguments, and requires them", async () => {
    const client = await connect(makeRepository(teamFiles))
    const { prompts } = await client.listPrompts()
    for (const { name, arguments: wanted = [] } of prompts) {
      const given = Object.fromEntries(wanted.map((each) => [each.name, "login"]))
      const { messages } = await client.getPrompt({ name, arguments: given })
      expect(messages).toMatchObject([{ role: "user", content: { type: "text" } }])
      expect(wanted.some(({ required }) => required)).toBe(true)
      await expect(client.getPrompt({ name })).rejects.toMatchObject({ code: -32602 })
    }
    await expect(client.getPrompt({ name: "none" })).rejects.toMatchObject({ code: -32602 })
  })

  test("progress rises to its total, and a call that is cancelled does not disturb the next", async () => {
    const client = await connect(makeRepository(teamFiles))
    const steps: number[] = []
    const onprogress = ({ progress }: { progress: number }) => void steps.push(progress)
    await client.call("get_task_context", { task: "Renew the login token" }, { onprogress })
    expect(steps.length).toBeGreaterThan(0)
    expect(steps).toEqual([...new Set(steps)].sort((one, other) => one - other))

    const controller = new AbortController()
    const cancelled = client.call("memory_search", { query: "lanterns" }, { signal: controller.signal })
    controller.abort()
    await expect(cancelled).rejects.toThrow()
    expect((await client.call("memory_search", { query: "lanterns" })).content[0]?.text).toContain("Use lanterns")
  })
})

describe.each(Object.entries(transports))("over %s", (_, connect) => {
  test.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])(
    "a client of %s lists and calls tools, reads resources and gets prompts",
    async (version) => {
      const ask = await connect(makeRepository(teamFiles))
      await ask("initialize", hello(version))
      expect((await ask("tools/list")).result.tools).toHaveLength(12)
      const { result } = await ask("tools/call", { name: "memory_search", arguments: { query: "lanterns" } })
      expect(result.content[0].text).toContain("Use lanterns in every hall")
      expect((await ask("resources/read", { uri: "drey://decisions" })).result.contents).toHaveLength(1)
      const asked = { name: "team_knowledge", arguments: { topic: "lanterns" } }
      expect((await ask("prompts/get", asked)).result.messages).toHaveLength(1)
    },
  )

  test.each([[], ["--profile", "squad"], ["--profile", "squad", "--tool-names", "dotted"]])(
    "all schemas are JSON Schema, and all names such as clients take: %s %s %s %s",
    async (...args) => {
      const ask = await connect(makeRepository(teamFiles), args)
      await ask("initialize", hello("2025-11-25"))
      const { tools } = (await ask("tools/list")).result
      for (const { name, description, inputSchema, outputSchema } of tools) {
        expect(name).toMatch(/^[a-z_.]{1,40}$/)
        expect(description).not.toBe("")
        for (const schema of [inputSchema, ...(outputSchema ? [outputSchema] : [])]) {
          expect(schema.type, name).toBe("object")
          expect(() => ajv.compile(schema), name).not.toThrow()
        }
      }
      expect(new Set(tools.map(({ name }: { name: string }) => name)).size).toBe(tools.length)
    },
  )

  test("wrong parameters are the client's error, reported in a sentence", async () => {
    const ask = await connect(makeRepository(teamFiles))
    await ask("initialize", hello("2025-11-25"))
    const wrong: [string, object][] = [
      ["resources/read", {}],
      ["resources/read", { uri: 7 }],
      ["prompts/get", {}],
      ["prompts/get", { name: "team_knowledge", arguments: { topic: 7 } }],
      ["prompts/get", { name: "team_knowledge", arguments: ["topic"] }],
      ["tools/call", { name: "memory_search", arguments: "lanterns" }],
    ]
    for (const [method, params] of wrong) {
      const { error } = await ask(method, params)
      expect(error?.code, `${method} ${JSON.stringify(params)}`).toBe(-32602)
    }
    expect((await ask("resources/read", {})).error?.message).toBe(
      'Invalid params for resources/read: "uri" must be a text',
    )
  })

  test("what is not offered is not advertised, and requested anyway it is an unknown method", async () => {
    const ask = await connect(makeRepository(teamFiles))
    const { capabilities } = (await ask("initialize", hello("2025-11-25"))).result
    expect(capabilities).toEqual({ tools: {}, resources: {}, prompts: {} })
    const probes: [string, object][] = [
      ["logging/setLevel", { level: "debug" }],
      [
        "completion/complete",
        { ref: { type: "ref/prompt", name: "team_knowledge" }, argument: { name: "topic", value: "l" } },
      ],
      ["resources/subscribe", { uri: "drey://decisions" }],
      ["resources/unsubscribe", { uri: "drey://decisions" }],
      ["tasks/list", {}],
    ]
    for (const [method, params] of probes) expect((await ask(method, params)).error?.code, method).toBe(-32601)
    expect((await ask("ping")).result).toEqual({})
  })
})

test("over HTTP an unknown version is refused, and there is nothing to get or to delete", async () => {
  const { url, token } = await startMcpHttp(makeRepository(teamFiles))
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
  const unknown = { ...headers, "MCP-Protocol-Version": "1999-01-01" }
  expect((await fetch(url, { method: "POST", headers: unknown, body })).status).toBe(400)
  for (const method of ["GET", "DELETE"]) expect((await fetch(url, { method, headers })).status, method).toBe(405)
  const notice = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })
  const noticed = await fetch(url, { method: "POST", headers, body: notice })
  expect([noticed.status, await noticed.text()]).toEqual([202, ""])
})
