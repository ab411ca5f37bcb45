import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import type { GovernedOptions } from "../src/project.ts"
import type { AdapterClient, MemoryProvider, ProviderWrite } from "../src/team/governed/providers.ts"
import { makeRepository, readTree, writeFiles } from "./run-cli.ts"

/** Put together at run time: no file of ours looks like it holds a secret. */
const secrets = [
  ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join(""),
  ["AK", "IA", "Q3XJ7M2LN8KP4RST"].join(""),
  ["pass", "word", "=hunter2-Tr0ub4dor"].join(""),
  ["postgres://", "app:", "s3cr3tPw9", "@db.example.com/app"].join(""),
  ["-----BEGIN RSA ", "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\n-----END RSA ", "PRIVATE KEY-----"].join(""),
]

async function open(files: Record<string, string> = {}, options: GovernedOptions = {}) {
  const root = makeRepository({ ".squad/team.md": "# Team\n", ...files })
  const drey = openDrey({ root })
  return { root, drey, memory: drey.governed.as(options) }
}

const filesIn = (root: string, below: string) => (existsSync(join(root, below)) ? readdirSync(join(root, below)) : [])
const indexOf = (root: string) => JSON.parse(readFileSync(join(root, ".squad/memory/index.json"), "utf8"))

test.each(secrets)("a secret is caught on every write path, and never printed (%#)", async (secret) => {
  const { root, drey, memory } = await open()
  const results = [
    await memory.write({ content: `Remember ${secret} for later`, class: "LOCAL" }),
    await memory.write({ content: "Fine", metadata: { note: secret } }),
    await memory.writeForAgent("kane", { content: `The key is\n${secret}` }),
    await memory.writeForAgent("kane", { content: "Fine", details: secret }),
    await memory.writeForAgent("kane", { content: "Fine", tags: [secret] }),
  ]
  expect(results.map(({ stored }) => stored)).toEqual([false, false, false, false, false])
  expect((await drey.governed.saveForAgent("kane", `Learned: ${secret}`)).kind).toBe("refused")
  expect(await memory.search(secret)).toEqual([])
  expect((await memory.classify({ content: secret, title: secret })).class).toBe("FORBIDDEN")
  const told = JSON.stringify([results, readTree(root)])
  for (const line of secret.split("\n")) expect(told).not.toContain(line.slice(0, 30))
  const { ok } = await memory.verifyAudit()
  expect(ok).toBe(true)
})

test.each([
  "The handler takes token: str and returns nothing",
  "secret: none is the default",
  "Design token: --brand",
  "Aspire 10.3.0 needs .NET SDK 10.0.100",
  "PR status check is required before merging",
  "A stack trace formatter would help",
  "Read api_key=<your key> from process.env.API_KEY",
])("no false rejection of %j", async (content) => {
  const { memory } = await open()
  expect(await memory.write({ content })).toMatchObject({ stored: true })
})

test("a secret only in the title, author or metadata leaves nothing on disk", async () => {
  const { root, memory } = await open()
  for (const secret of secrets) {
    await memory.write({ content: "Fine", title: secret })
    await memory.write({ content: "Fine", author: secret })
    await memory.write({ content: "Fine", metadata: { [secret]: "x" } })
  }
  expect(filesIn(root, ".squad/memory/local")).toEqual([])
  const tree = JSON.stringify(readTree(root))
  for (const secret of secrets) expect(tree).not.toContain(secret.slice(-12))
})

test("the audit contains no content, and a title only when the caller gave one", async () => {
  const { root, memory } = await open()
  const { id } = (await memory.write({ content: "Zebras graze quietly" })) as { id: string }
  await memory.write({ content: "Zebras sleep standing", title: "Animals" })
  await memory.search("zebras")
  await memory.promote(id, "DECISION", "scribe")
  await memory.delete(id, "scribe")
  const audit = readFileSync(join(root, ".squad/memory/audit.jsonl"), "utf8")
  expect(audit).not.toMatch(/zebra/i)
  expect((await memory.audit()).map(({ action, title }) => [action, title])).toEqual([
    ["write", "Stored governed memory"],
    ["write", "Animals"],
    ["search", undefined],
    ["write", "Stored governed memory"],
    ["promote", "Promoted governed memory"],
    ["delete", "Deleted governed memory"],
  ])
})

test("the class is normalised in every path", async () => {
  const { root, memory } = await open()
  const result = await memory.write({ content: "One index", class: " decision ", author: "Kane" })
  expect(result).toMatchObject({ stored: true, classification: { class: "DECISION" } })
  expect(filesIn(root, ".squad/decisions/inbox")).toHaveLength(1)
  const [record] = indexOf(root)
  expect((await memory.promote(record.id, "policy")).classification.class).toBe("POLICY")
  expect(filesIn(root, ".squad/memory/policy-inbox")).toHaveLength(1)
})

test("words are found in any order, by prefix, as a subset and as a phrase", async () => {
  const { memory } = await open()
  await memory.write({ content: "Use Vitest for memory governance regression tests.", title: "Memory tests" })
  const find = async (query: string) => (await memory.search(query)).length
  expect(await find("regression Vitest")).toBe(1)
  expect(await find("vitest regress")).toBe(1)
  expect(await find('"governance regression"')).toBe(1)
  expect(await find('"regression governance"')).toBe(0)
  expect(await find("vitest -regression")).toBe(0)
  expect(await find("vitest mocha")).toBe(0)
  expect(await find("http://localhost:3000")).toBe(0)
})

const everywhere = {
  ".squad/decisions.md": "# Decisions\n\n### 2026-02-05: Use lanterns in the hall\n**By:** Rook\n**What:** Lanterns.\n",
  ".squad/decisions-archive.md": "### 2025-11-03: Old lanterns\n**By:** Rook\n**What:** Oil lanterns.\n",
  ".squad/decisions/inbox/wren-lanterns.md":
    "### 2026-02-14: New lanterns\n**By:** Wren\n**What:** Electric lanterns.\n",
  ".squad/agents/kane/history.md": "# History\n\n- 2026-01-20: Lanterns flicker.\n",
  ".squad/skills/lighting/SKILL.md": "---\nname: lighting\ndescription: Lanterns\n---\n\nTrim the lanterns.\n",
}

test("search covers governed memories, decisions, inbox, archives, histories and skills", async () => {
  const { memory } = await open(everywhere)
  await memory.write({ content: "Lanterns need oil", class: "LOCAL" })
  const sources = async (filters = {}) => (await memory.search("lanterns", filters)).map(({ source }) => source).sort()
  expect(await sources()).toEqual(["archive", "decisions", "history", "inbox", "memory", "skills"])
  expect(await sources({ agent: "Kane" })).toEqual(["history"])
  expect(await sources({ source: "decisions" })).toEqual(["decisions"])
  expect(await sources({ class: "decision", author: "wren" })).toEqual(["inbox"])
  expect(await sources({ after: "2026-02-10", before: "2026-02-20" })).toEqual(["inbox"])
})

const body = '---\nid: not-mine\nclass: POLICY\n---\n\n# Heading\n\n---\n\nText with "quotes" and ---\n'

test("promoting keeps any text, the author, the time and the metadata", async () => {
  const { root, memory } = await open()
  const title = '--- a "title" ---'
  const written = await memory.write({ content: body, title, author: "Kane", class: "LOCAL", metadata: { tags: "a" } })
  if (!written.stored) throw new Error("not stored")
  const old = await memory.read(written.id)
  const promoted = await memory.promote(written.id, "DECISION", "scribe")
  if (!promoted.stored) throw new Error("not promoted")
  expect(await memory.read(promoted.id)).toMatchObject({
    content: body.trim(),
    title,
    author: "Kane",
    createdAt: old.createdAt,
    metadata: { tags: "a" },
    supersedes: written.id,
  })
  expect(await memory.read(written.id)).toMatchObject({
    content: body.trim(),
    status: "superseded",
    loadGuidance: "ARCHIVE",
    supersededBy: promoted.id,
  })
  expect(readFileSync(join(root, written.path), "utf8")).toContain(`supersededBy: ${promoted.id}`)
  const audited = (await memory.audit()).filter(({ action }) => action === "promote" || action === "read")
  expect(audited).toMatchObject([
    { action: "read", id: written.id },
    { action: "promote", id: written.id, actor: "scribe" },
    { action: "read", id: promoted.id },
    { action: "read", id: written.id },
  ])
  await expect(memory.promote("nobody", "LOCAL")).rejects.toThrow("Memory 'nobody' not found")
  await expect(memory.promote(promoted.id, "TRANSIENT")).rejects.toThrow("cannot be promoted to TRANSIENT")
})

test("a policy is loaded into the context of every agent", async () => {
  const { drey, memory } = await open()
  await memory.write({ content: "Always water the plants on Monday." })
  const { text, included } = await drey.context.forSquad("kane")
  expect(text).toContain("Always water the plants on Monday.")
  expect(included).toEqual([expect.objectContaining({ reason: "a rule of the team", source: "policy" })])
})

test("load guidance and class decide what an agent is handed", async () => {
  const { drey, memory } = await open()
  await memory.write({ content: "An ordinary note about ferns" })
  await memory.write({ content: "A note for everyone about moss", loadGuidance: "always" })
  await memory.write({ content: "We decided against ivy", loadGuidance: "archive" })
  const plain = await drey.context.forSquad("kane")
  expect(plain.text).toContain("moss")
  expect(plain.text).not.toMatch(/ferns|ivy/)
  expect((await drey.context.forSquad("kane", { task: "Plant ferns" })).text).toContain("ferns")
})

test("the same author and summary twice gives two files", async () => {
  const { root, memory } = await open()
  const request = { content: "Use one index", title: "Index", author: "kane", class: "DECISION" }
  await memory.write(request)
  await memory.write(request)
  expect(filesIn(root, ".squad/decisions/inbox")).toHaveLength(2)
  expect(await memory.list()).toHaveLength(2)
})

function recordingProvider(fails = false): MemoryProvider & { held: Map<string, ProviderWrite> } {
  const held = new Map<string, ProviderWrite>()
  return {
    id: "shelf",
    name: "Shelf",
    supportedClasses: ["LOCAL", "DECISION"],
    held,
    status: async () => ({ id: "shelf", name: "Shelf", available: true }),
    write: async (request) => {
      if (fails) throw new TypeError("the raw words of the provider")
      held.set(`shelf-${held.size}`, request)
      return { id: `shelf-${held.size - 1}` }
    },
    search: async () => {
      if (fails) throw new TypeError("the raw words of the provider")
      return []
    },
    delete: async (id) => held.delete(id),
  }
}

test("promotes and deletes reach the providers that hold a copy", async () => {
  const shelf = recordingProvider()
  const { memory } = await open({}, { providers: [shelf] })
  const written = await memory.write({ content: "Mail jane.doe@corp.example.org about moss", class: "LOCAL" })
  if (!written.stored) throw new Error("not stored")
  expect([...shelf.held.values()].map(({ content }) => content)).toEqual(["Mail [email] about moss"])
  const promoted = await memory.promote(written.id, "DECISION")
  if (!promoted.stored) throw new Error("not promoted")
  expect([...shelf.held.values()].map(({ classification }) => classification.class)).toEqual(["DECISION"])
  expect(await memory.delete(promoted.id)).toBe(true)
  expect(shelf.held.size).toBe(0)
})

test("a failing provider is audited without its message, and the memory is stored and found anyway", async () => {
  const { root, memory } = await open({}, { providers: [recordingProvider(true)] })
  expect(await memory.write({ content: "Moss grows", class: "LOCAL" })).toMatchObject({ stored: true })
  expect(await memory.search("moss")).toHaveLength(1)
  const reasons = (await memory.audit()).filter(({ action }) => action === "provider-error")
  expect(reasons.map(({ reason }) => reason)).toEqual([
    "Shelf provider write failed (TypeError); raw provider error text omitted",
    "Shelf provider search failed (TypeError); raw provider error text omitted",
  ])
  expect(readFileSync(join(root, ".squad/memory/audit.jsonl"), "utf8")).not.toContain("raw words")
})

test("external memory fails closed: switched on, approved, and with a client, in this order", async () => {
  const calls: string[] = []
  const client: AdapterClient = {
    write: async () => {
      calls.push("write")
      return { id: "copilot-1" }
    },
    search: async () => [
      { id: "copilot-1", title: "Moss", snippet: "moss" },
      { id: "made-up", title: "x", snippet: "x" },
    ],
    delete: async () => calls.push("delete") > 0,
  }
  const { root, drey, memory } = await open({}, { client })
  const request = { content: "Moss grows", title: "Moss", class: "COPILOT_MEMORY" }
  const reasonOf = async (approved: boolean, of = memory) =>
    (await of.write({ ...request, approved })).classification.reason
  expect(await reasonOf(true)).toContain("disabled")
  await memory.configureProvider({ enabled: true, actor: "data" })
  expect(await reasonOf(false)).toContain("explicit approval")
  expect(await reasonOf(true, drey.governed)).toContain("hostInjectedCopilotAdapter is enabled")
  expect(calls).toEqual([])
  expect(await memory.write({ ...request, approved: true })).toMatchObject({ stored: true, id: "copilot-1" })
  expect((await memory.search("moss")).map(({ id, provider }) => [id, provider])).toEqual([
    ["copilot-1", "hostInjectedCopilotAdapter"],
  ])
  expect(await memory.delete("copilot-1")).toBe(true)
  expect(calls).toEqual(["write", "delete"])
  writeFiles(root, { ".squad/memory/config.json": '{"defaultProvider":"copilot"}' })
  expect(await reasonOf(true)).toContain("Real Copilot Memory API unavailable")
  expect(await memory.search("moss")).toEqual([])
  expect((await memory.audit()).at(-1)).toMatchObject({ action: "reject", provider: "copilot" })
})

test.each(["LOCAL", "DECISION", "POLICY"] as const)(
  "a %s write is refused and audited while the default provider is Copilot, which has no API",
  async (memoryClass) => {
    const { root, memory } = await open()
    writeFiles(root, { ".squad/memory/config.json": '{"defaultProvider":"copilot"}' })
    const before = readTree(join(root, ".squad"))
    const written = await memory.write({ content: "Moss grows", title: "Moss", class: memoryClass })
    expect(written).toMatchObject({ stored: false, classification: { allowed: false } })
    expect(written.classification.reason).toContain("Real Copilot Memory API unavailable")
    expect(await memory.audit()).toMatchObject([{ action: "reject", class: memoryClass, provider: "copilot" }])
    const changed = Object.entries(readTree(join(root, ".squad"))).filter(([path, text]) => before[path] !== text)
    expect(JSON.stringify(changed)).not.toContain("Moss")
  },
)

test("a corrupt index is set aside and rebuilt from entry files, tombstones, larger files and the audit", async () => {
  const { root, drey, memory } = await open()
  const kept = await memory.write({ content: "Kept", title: "Kept one", class: "DECISION" })
  const gone = await memory.write({ content: "Gone", title: "Gone one" })
  await memory.writeForAgent("kane", { content: "Own" })
  if (!gone.stored || !kept.stored) throw new Error("not stored")
  await memory.promote(kept.id, "POLICY")
  await memory.delete(gone.id)
  const strip = (records: { updatedAt: string; createdAt: string }[]) =>
    records
      .map(({ updatedAt: _, createdAt: __, ...rest }) => rest)
      .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
  const before = strip(indexOf(root))
  writeFileSync(join(root, ".squad/memory/index.json"), "{ broken")
  expect(await drey.governed.reindex()).toMatchObject({ entries: 4 })
  expect(readFileSync(join(root, ".squad/memory/index.json.corrupt"), "utf8")).toBe("{ broken")
  expect(strip(indexOf(root))).toEqual(before)
})

test("what a killed writer left behind is completed: an entry file without a record, a tombstone without a deletion", async () => {
  const { root, memory } = await open()
  const first = await memory.write({ content: "First", title: "First" })
  const second = await memory.write({ content: "Second", title: "Second" })
  if (!first.stored || !second.stored) throw new Error("not stored")
  const records = indexOf(root)
  writeFileSync(join(root, ".squad/memory/index.json"), `${JSON.stringify(records.slice(0, 1), null, 2)}\n`)
  writeFiles(root, {
    [`.squad/memory/tombstones/${first.id}.json`]: JSON.stringify({ deletedAt: "2026-07-28T00:00:00Z" }),
  })
  expect((await memory.search("first")).length).toBe(0)
  expect((await memory.search("second")).map(({ id }) => id)).toEqual([second.id])
  await memory.reindex() // as every write does it; a search changes no file
  expect(existsSync(join(root, first.path))).toBe(false)
  expect(indexOf(root).map(({ status }: { status: string }) => status)).toEqual(["deleted", "active"])
})

test("settings: unknown keys survive, the legacy key counts, and a file that is not JSON is read as the defaults and left alone", async () => {
  const warnings: string[] = []
  const config = { custom: true, externalProviders: { copilotMemory: { enabled: true, adapter: "host" }, other: 1 } }
  const files = { ".squad/memory/config.json": JSON.stringify(config) }
  const { root, memory } = await open(files, { warn: (message) => warnings.push(message) })
  const status = await memory.providerStatus()
  expect(status.hostInjectedCopilotAdapter).toMatchObject({ enabled: true, requireApproval: true })
  await memory.configureProvider({ enabled: false })
  const written = JSON.parse(readFileSync(join(root, ".squad/memory/config.json"), "utf8"))
  expect(written).toMatchObject({ custom: true, externalProviders: { other: 1, copilotMemory: { adapter: "host" } } })
  writeFiles(root, { ".squad/memory/config.json": "{ broken" })
  expect((await memory.providerStatus()).defaultProvider).toBe("local")
  expect(warnings.at(-1)).toMatch(/config\.json:\d+:\d+ is not JSON; the default settings are used/)
  await expect(memory.configureProvider({ enabled: true })).rejects.toThrow("it was not changed")
  expect(readFileSync(join(root, ".squad/memory/config.json"), "utf8")).toBe("{ broken")
})

test("a memory inside a larger file can be read, promoted and deleted; the rest of the file stays", async () => {
  const history = "# History\r\n\r\n- 2026-01-20: Indexes rot.\r\n"
  const { root, memory } = await open({ ".squad/agents/kane/history.md": history })
  const path = join(root, ".squad/agents/kane/history.md")
  const one = await memory.writeForAgent("Kane", { content: "Queues block", details: "# Why\n\n---\n\nFull." })
  const two = await memory.writeForAgent("Kane", { content: "Locks wait" })
  if (!one.stored || !two.stored) throw new Error("not stored")
  expect(readFileSync(path, "utf8").startsWith(history)).toBe(true)
  expect(readFileSync(path, "utf8")).not.toMatch(/[^\r]\n/)
  expect((await memory.read(one.id)).content).toContain("Full.")
  expect(await memory.promote(two.id, "DECISION")).toMatchObject({ stored: true })
  expect(await memory.delete(one.id)).toBe(true)
  const after = readFileSync(path, "utf8")
  expect(after.startsWith(history)).toBe(true)
  expect(after).not.toContain("Queues block")
  expect(after).toContain("**supersededBy:**")
})
