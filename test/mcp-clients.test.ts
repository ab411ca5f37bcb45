import { expect, test } from "vitest"
import { officialClients } from "./official-clients.ts"
import { makeRepository } from "./run-cli.ts"
import { teamFiles } from "./team-store.ts"

test.each(Object.entries(officialClients))(
  "%s lists and calls every tool, and reads what there is to read",
  async (name, connect) => {
    const client = await connect(makeRepository(teamFiles))
    expect(client.protocol).toBe(name.includes("2026") ? "2026-07-28" : "2025-11-25")
    expect(client.getInstructions()).toContain("get_task_context")
    const { tools } = await client.listTools()
    const called = new Set<string>()
    const call = async (tool: string, given: Record<string, unknown> = {}) => {
      called.add(tool)
      const result = await client.call(tool, given)
      return { ...result, text: result.content[0]?.text ?? "", data: result.structuredContent ?? {} }
    }
    expect((await call("get_task_context", { task: "Renew the login token" })).text).toContain(
      "Log in with short tokens",
    )
    expect((await call("report_outcome", { outcome: "success" })).text).toContain("Recorded: success")
    expect((await call("memory_classify", { content: "Always sign commits" })).text).toMatch(/^POLICY: /)
    const stored = await call("memory_write", { content: "Queues block at noon", class: "LOCAL" })
    expect(stored.text).toBe(`Stored LOCAL memory ${stored.data.id} at ${stored.data.path}`)
    expect((await call("memory_search", { query: "queues" })).text).toContain("Queues block at noon")
    expect((await call("memory_read", { ids: [stored.data.id] })).text).toContain("Queues block at noon")
    const promoted = await call("memory_promote", { id: stored.data.id, targetClass: "DECISION" })
    expect(promoted.text).toMatch(/^Promoted memory /)
    expect((await call("memory_delete", { id: promoted.data.id })).text).toMatch(/^Deleted memory /)
    expect((await call("memory_audit")).text).toContain(" promote ")
    expect((await call("recent")).isError ?? false).toBe(false)
    const begun = await call("session_record", { action: "start", text: "Add a login", agent: "kane" })
    expect(begun.text).toMatch(/^Started session /)
    expect((await call("session_recall", { view: "list" })).text).toContain("Add a login")
    expect([...called].sort()).toEqual(tools.map((tool) => tool.name).sort())

    expect(await call("memory_delete", { id: "none" })).toMatchObject({ isError: true, text: "Memory none not found" })
    await expect(client.call("no_such_tool")).rejects.toThrow("Unknown tool: no_such_tool")
    const { resources } = await client.listResources()
    for (const { uri } of resources) expect((await client.readResource({ uri })).contents).toHaveLength(1)
    expect(resources.map(({ uri }) => uri)).toContain("drey://agents/kane/history")
    await expect(client.readResource({ uri: "drey://agents/nobody/history" })).rejects.toThrow("not found")
    expect((await client.listPrompts()).prompts.map((prompt) => prompt.name)).toEqual(["team_knowledge"])
    const { messages } = await client.getPrompt({ name: "team_knowledge", arguments: { topic: "login" } })
    expect(JSON.stringify(messages)).toContain("Log in with short tokens")
  },
)
