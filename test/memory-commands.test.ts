import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, readTree } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const store = { ".squad/team.md": "# Team\n" }
const secret = ["pass", "word=hunter2-Tr0ub4dor"].join("")

async function run(cwd: string, args: string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runWarm(["memory", ...args], { cwd, env })
  return { code, stderr, document: stdout === "" ? undefined : JSON.parse(stdout), stdout }
}

test("flag values never become content, in either spelling, and -- ends the flags", async () => {
  const cwd = makeRepository(store)
  const plain = await run(cwd, ["write", "Use tabs", "--class", "local", "--author", "kane"])
  expect(plain).toMatchObject({ code: 0, document: { stored: true, classification: { class: "LOCAL" } } })
  expect(plain.stderr).toBe("Trusted this repository. Undo: drey trust --remove\n")
  expect(plain.stdout).toBe(`${JSON.stringify(plain.document, null, 2)}\n`)
  expect((await run(cwd, ["read", plain.document.id])).document).toMatchObject({ content: "Use tabs", author: "kane" })
  const joined = await run(cwd, ["write", "--class=LOCAL", "--approved", "Use", "spaces", "--title=Spaces"])
  expect((await run(cwd, ["read", joined.document.id])).document).toMatchObject({
    content: "Use spaces",
    title: "Spaces",
  })
  const ended = await run(cwd, ["write", "--class", "LOCAL", "--", "--author", "is a flag"])
  expect((await run(cwd, ["read", ended.document.id])).document.content).toBe("--author is a flag")
})

test("a memory is classified, written, found, promoted, deleted and audited by Squad's commands", async () => {
  const cwd = makeRepository(store)
  const env = { DREY_HOME: makeRepository({}) } // the audit of searches is there
  const { document: classified } = await run(cwd, ["classify", "--content", "Always use tabs"], env)
  expect(classified).toEqual({
    class: "POLICY",
    allowed: true,
    reason: "Content is allowed for governed local memory",
    destination: "policy-inbox",
    loadGuidance: "ALWAYS",
  })
  const { document: written } = await run(cwd, ["write", "Moss grows slowly", "--load-guidance", "always"], env)
  expect((await run(cwd, ["search", "--query", "slowly moss"], env)).document).toEqual([
    expect.objectContaining({ id: written.id, class: "LOCAL", loadGuidance: "ALWAYS", provider: "local" }),
  ])
  const promoted = await run(cwd, ["promote", written.id, "--class", "decision", "--actor", "scribe"], env)
  expect(promoted).toMatchObject({ code: 0, document: { stored: true, classification: { class: "DECISION" } } })
  expect((await run(cwd, ["list"], env)).document.map(({ id }: { id: string }) => id)).toEqual([promoted.document.id])
  expect(await run(cwd, ["delete", promoted.document.id], env)).toMatchObject({ code: 0, document: { deleted: true } })
  expect(await run(cwd, ["delete", promoted.document.id], env)).toMatchObject({ code: 1, document: { deleted: false } })
  const { document: audit } = await run(cwd, ["audit", "--since", "1h"], env)
  expect(audit.map(({ action }: { action: string }) => action)).toEqual([
    "classify",
    "write",
    "search",
    "write",
    "promote",
    "delete",
  ])
  expect(await run(cwd, ["audit", "--verify"], env)).toMatchObject({ code: 0, document: { ok: true } })
  expect(await run(cwd, ["reindex"], env)).toMatchObject({ code: 0, document: { entries: 2, recovered: 0 } })
})

test("--scope agent:<name> adds to the end of that agent's history", async () => {
  const cwd = makeRepository({ ".squad/agents/Kane/history.md": "# History" })
  const { document } = await run(cwd, ["write", "Queues block", "--scope", "agent:kane", "--tags", "queues, locks"])
  expect(document.path).toBe(".squad/agents/Kane/history.md")
  const text = readFileSync(join(cwd, document.path), "utf8")
  expect(text).toMatch(/^# History\n\n### \S+: memory: Queues block\n/)
  expect(text).toContain("**tags:** queues, locks")
  expect((await run(cwd, ["search", "queues", "--agent", "kane"])).document).toHaveLength(1)
  expect(await run(cwd, ["write", "x", "--scope", "agent:kane", "--class", "POLICY"])).toMatchObject({ code: 2 })
  for (const scope of ["agent:../up", "agent:..", "agent:a/b", "agent:a\\b", "agent:"]) {
    const { code, stderr } = await run(cwd, ["write", "x", "--scope", scope])
    expect([scope, code, stderr]).toEqual([scope, 2, expect.stringContaining(`"${scope}" is not a scope`)])
  }
})

test.each([
  [["write", "x", "--class", "SECRET"], 2, "Unknown memory class: SECRET"],
  [["write", "x", "--load-guidance", "often"], 2, "Unknown load guidance: often"],
  [["list", "--log-level", "loud"], 2, "Unknown memory log level: loud. Expected none|error|info|debug."],
  [["promote", "nobody", "--class", "LOCAL"], 1, "Memory 'nobody' not found"],
  [["read", "nobody"], 1, "Memory 'nobody' not found"],
  [["promote", "nobody"], 2, "Usage: drey memory promote <id>"],
  [["write"], 2, "Usage: drey memory write <content>"],
  [["search"], 2, "Usage: drey memory search <words>"],
  [["provider", "--provider", "copilot"], 1, "Real Copilot Memory API unavailable"],
  [["provider", "--default-copilot"], 1, "Real Copilot Memory API unavailable"],
])("drey memory %j exits with %i and says so", async (args, code, message) => {
  const cwd = makeRepository(store)
  const result = await run(cwd, args)
  expect(result).toMatchObject({ code, stdout: "" })
  expect(result.stderr).toContain(message)
})

test("a refused memory exits with 1 and a reason, and its text is nowhere", async () => {
  const cwd = makeRepository(store)
  const result = await run(cwd, ["write", secret, "--title", "Login", "--log-level", "debug"])
  expect(result).toMatchObject({ code: 1, document: { stored: false, classification: { class: "FORBIDDEN" } } })
  expect(result.stderr).toContain("[memory:info] command.start command=write")
  expect(result.stderr).toContain("[memory:debug] write.request contentLength=")
  expect(JSON.stringify([result, readTree(cwd)])).not.toContain("hunter2")
})

test("the log level comes from the flag, else the environment, else the project; a bad one there warns", async () => {
  const cwd = makeRepository({ ".squad/config.json": '{"memory":{"logLevel":"debug"}}' })
  expect((await run(cwd, ["search", "moss"])).stderr).toContain("[memory:debug] search.request queryLength=4")
  const byEnvironment = await run(cwd, ["search", "moss"], { SQUAD_MEMORY_LOG_LEVEL: "info" })
  expect(byEnvironment.stderr).toContain("[memory:info] search.complete count=0 providers=none")
  expect(byEnvironment.stderr).not.toContain("[memory:debug]")
  expect((await run(cwd, ["search", "moss", "--log-level=silent"], { DREY_MEMORY_LOG_LEVEL: "debug" })).stderr).toBe("")
  const bad = makeRepository({ ".squad/config.json": '{"memory":{"logLevel":"loud"}}' })
  expect((await run(bad, ["list"])).stderr).toBe(
    "drey: Unknown memory log level: loud. Expected none|error|info|debug.\n",
  )
})

test("the provider is shown and changed under each of its names", async () => {
  const cwd = makeRepository(store)
  expect((await run(cwd, ["status"])).document).toMatchObject({
    defaultProvider: "local",
    realCopilotMemory: { available: false, configured: false },
    hostInjectedCopilotAdapter: { enabled: false, requireApproval: true, clientAvailable: false, configured: false },
    registeredProviders: [],
  })
  const changed = await run(cwd, ["providers", "--enable-copilot", "--require-approval", "off", "--actor", "data"])
  expect(changed.document.hostInjectedCopilotAdapter).toMatchObject({ enabled: true, requireApproval: false })
  const disabled = await run(cwd, ["provider", "--disable-host-injected-copilot-adapter"])
  expect(disabled.document.hostInjectedCopilotAdapter).toMatchObject({ enabled: false, requireApproval: false })
})

test("drey memory audit --verify exits with 1 when a line was changed", async () => {
  const cwd = makeRepository(store)
  await run(cwd, ["write", "Moss grows", "--title", "Moss"])
  const path = join(cwd, ".squad/memory/audit.jsonl")
  writeFileSync(path, readFileSync(path, "utf8").replace('"title":"Moss"', '"title":"Fern"'))
  const { code, document } = await run(cwd, ["audit", "--verify"])
  expect(code).toBe(1)
  expect(document.problems[0]).toMatchObject({ kind: "edited", path: "memory/audit.jsonl", line: 1 })
})

test("an id may be shortened to a unique beginning; one that fits several is wrong usage and names them", async () => {
  const cwd = makeRepository({
    ...store,
    ...Object.fromEntries(
      ["aaaa1111", "aaaa2222"].map((start) => [
        `.squad/memory/local/${start}.md`,
        `---\nid: "${start}-0000-4000-8000-000000000000"\ntitle: "Memory ${start}"\nauthor: "kane"\nclass: LOCAL\nloadGuidance: ON-DEMAND\ncreatedAt: 2026-01-02T03:04:05.000Z\n---\n\nText of ${start}.\n`,
      ]),
    ),
  })
  expect((await run(cwd, ["read", "aaaa1"])).document).toMatchObject({ content: "Text of aaaa1111." })
  for (const args of [
    ["read", "aaaa"],
    ["delete", "aaaa"],
    ["promote", "aaaa", "--class", "DECISION"],
  ]) {
    const { code, stderr, stdout } = await run(cwd, args)
    expect([code, stdout]).toEqual([2, ""])
    expect(stderr).toMatch(/aaaa matches several ids\n.*aaaa1111-\S+, aaaa2222-/)
  }
  const promoted = await run(cwd, ["promote", "aaaa1", "--class", "DECISION"])
  expect(promoted).toMatchObject({ code: 0, document: { stored: true } })
  expect(await run(cwd, ["delete", "aaaa2222"])).toMatchObject({ code: 0, document: { deleted: true } })
  expect((await run(cwd, ["list"])).document).toMatchObject([{ id: promoted.document.id }])
})
