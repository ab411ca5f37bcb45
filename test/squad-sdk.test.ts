import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import * as sdk from "../src/squad-sdk.ts"
import {
  ensureMemoryGovernanceDefaults,
  FSStorageProvider,
  HostInjectedCopilotMemoryAdapter,
  IndexServerMemoryProvider,
  LocalMemoryStore,
  MemPalaceMemoryProvider,
  runMemoryCommand,
} from "../src/squad-sdk.ts"
import { makeRepository } from "./run-cli.ts"

const secret = ["pass", "word=never-keep-this-9"].join("")
const storage = new FSStorageProvider()

/** Every type that Squad's memory module exports; a name that is missing here does not compile. */
export type SquadTypes = {
  MemoryClass: sdk.MemoryClass
  MemoryLoadGuidance: sdk.MemoryLoadGuidance
  MemoryGovernanceConfig: sdk.MemoryGovernanceConfig
  MemoryClassification: sdk.MemoryClassification
  MemoryWriteRequest: sdk.MemoryWriteRequest
  MemoryWriteResult: sdk.MemoryWriteResult
  MemorySearchResult: sdk.MemorySearchResult
  MemoryAuditRecord: sdk.MemoryAuditRecord
  CopilotMemoryProviderWriteRequest: sdk.CopilotMemoryProviderWriteRequest
  CopilotMemoryProviderWriteResult: sdk.CopilotMemoryProviderWriteResult
  CopilotMemoryProviderSearchResult: sdk.CopilotMemoryProviderSearchResult
  CopilotMemoryProviderClient: sdk.CopilotMemoryProviderClient
  MemoryProvider: sdk.MemoryProvider
  MemoryProviderSearchResult: sdk.MemoryProviderSearchResult
  MemoryProviderStatus: sdk.MemoryProviderStatus
  LocalMemoryStoreOptions: sdk.LocalMemoryStoreOptions
}

test("every value that Squad's memory module exports is there", () => {
  const squads = ["HostInjectedCopilotMemoryAdapter", "IndexServerMemoryProvider", "LocalMemoryStore"]
  const others = ["MemPalaceMemoryProvider", "REAL_COPILOT_UNAVAILABLE_REASON", "ensureMemoryGovernanceDefaults"]
  expect(Object.keys(sdk)).toEqual(expect.arrayContaining([...squads, ...others]))
  expect(sdk.REAL_COPILOT_UNAVAILABLE_REASON).toContain("Real Copilot Memory API unavailable")
})

test("a program's own types fit: a provider, a client and a configuration", async () => {
  const classification: sdk.MemoryClassification = await new LocalMemoryStore(storage, makeRepository({})).classify({
    content: "Use tabs.",
    requestedClass: "LOCAL" satisfies sdk.MemoryClass,
  })
  const request: sdk.CopilotMemoryProviderWriteRequest = { content: "Use tabs.", title: "Tabs", classification }
  const client: sdk.CopilotMemoryProviderClient = {
    write: async ({ title }) => ({ id: `kept ${title}` }),
    search: async () => [],
    delete: async (id) => id === "kept Tabs",
  }
  const adapter = new HostInjectedCopilotMemoryAdapter(client)
  expect([adapter.isAvailable(), await adapter.write(request), await adapter.delete("kept Tabs")]).toEqual([
    true,
    { id: "kept Tabs" },
    true,
  ])
  const options: sdk.LocalMemoryStoreOptions = { hostInjectedCopilotAdapterClient: client }
  const store = new LocalMemoryStore(storage, makeRepository({}), options)
  const config: sdk.MemoryGovernanceConfig = await store.configureHostInjectedCopilotAdapter({ enabled: true })
  expect(config.externalProviders.hostInjectedCopilotAdapter).toEqual({ enabled: true, requireApproval: true })
})

test("an adapter without a client refuses", async () => {
  const adapter = new HostInjectedCopilotMemoryAdapter()
  expect(adapter.isAvailable()).toBe(false)
  await expect(adapter.search("tabs")).rejects.toThrow(/no host-injected Copilot memory client/)
})

/** What a command printed, as a program that runs it in its own process sees it. */
async function runAndListen(root: string, args: string[]): Promise<{ output: string[]; diagnostics: string[] }> {
  const output: string[] = []
  const diagnostics: string[] = []
  const { log, error } = console
  Object.assign(console, { log: (text: string) => output.push(text), error: (text: string) => diagnostics.push(text) })
  try {
    await runMemoryCommand(root, args)
  } finally {
    Object.assign(console, { log, error })
  }
  return { output, diagnostics }
}

test("the defaults are created once, reported, and never overwritten", async () => {
  const root = makeRepository({})
  expect(await ensureMemoryGovernanceDefaults(storage, root)).toEqual(
    ["local", "policy-inbox", "semantic-inbox", "tombstones", "config.json", "index.json", "audit.jsonl"].map((name) =>
      join(".squad", "memory", name),
    ),
  )
  const config = join(root, ".squad/memory/config.json")
  writeFileSync(config, '{"version":1,"custom":true}\n')
  expect(await ensureMemoryGovernanceDefaults(storage, root)).toEqual([])
  expect(readFileSync(config, "utf8")).toBe('{"version":1,"custom":true}\n')
})

test("a program written for Squad writes, finds, promotes, deletes and audits", async () => {
  const root = makeRepository({})
  const store = new LocalMemoryStore(storage, root)
  const written = await store.write({
    content: "Moss grows slowly",
    title: "Moss",
    author: "data",
    requestedClass: "LOCAL",
  })
  if (!written.stored) throw new Error("not stored")
  expect(written.path).toContain(join(".squad", "memory", "local"))
  const promoted = await store.promote(written.id, "DECISION", "scribe")
  expect(await store.search("moss")).toEqual([expect.objectContaining({ class: "DECISION", loadGuidance: "ALWAYS" })])
  expect(await store.delete(written.id)).toBe(true)
  expect(existsSync(join(root, ".squad/memory/tombstones", `${written.id}.json`))).toBe(true)
  expect(promoted.stored).toBe(true)
  expect((await store.auditLog()).map(({ action }) => action)).toEqual([
    "write",
    "write",
    "promote",
    "search",
    "delete",
  ])
})

test("what is forbidden reaches neither disk nor provider", async () => {
  const root = makeRepository({})
  const palace = new MemPalaceMemoryProvider()
  const store = new LocalMemoryStore(storage, root, { registeredProviders: [palace] })
  const result = await store.write({ content: secret, author: "worf" })
  expect(result).toMatchObject({ stored: false, classification: { class: "FORBIDDEN" } })
  expect(result.classification.reason).toContain("credential-like assignment")
  expect(readdirSync(join(root, ".squad/memory/local"))).toEqual([])
  expect(palace.size).toBe(0)
  const audit = await store.auditLog()
  expect(audit).toEqual([expect.objectContaining({ action: "reject", title: "Rejected governed memory" })])
})

test("copies go to both of Squad's providers, which forget the oldest first", async () => {
  const root = makeRepository({})
  const providers = [new MemPalaceMemoryProvider(1), new IndexServerMemoryProvider()]
  const store = new LocalMemoryStore(storage, root, { registeredProviders: providers })
  await store.write({
    content: "First fern",
    title: "First",
    requestedClass: "LOCAL",
    metadata: { locus: "Hall", topic: "Plants" },
  })
  await store.write({ content: "Second fern", title: "Second", requestedClass: "LOCAL" })
  expect(providers.map(({ size }) => size)).toEqual([1, 2])
  const found = await store.search("fern")
  expect(new Set(found.map(({ provider }) => provider))).toEqual(new Set(["local", "mempalace", "indexserver"]))
  expect(found.map(({ path }) => path).join("\n")).toMatch(/indexserver:plants:/)
  expect((await store.providerStatus()).registeredProviders.map(({ id }) => id)).toEqual(["mempalace", "indexserver"])
})

test("a corrupt index is reported, set aside, and rebuilt for the next call", async () => {
  const root = makeRepository({})
  const store = new LocalMemoryStore(storage, root)
  await store.write({ content: "Moss", title: "Moss", requestedClass: "LOCAL" })
  const index = join(root, ".squad/memory/index.json")
  writeFileSync(index, "{ broken")
  await expect(store.write({ content: "Fern", requestedClass: "LOCAL" })).rejects.toThrow("Memory index is corrupt")
  expect(readFileSync(`${index}.corrupt`, "utf8")).toBe("{ broken")
  expect(await store.search("moss")).toHaveLength(1)
})

test("a record that points out of the team folder is blocked, and a storage that cannot delete is reported", async () => {
  const root = makeRepository({})
  const failing = { delete: async () => Promise.reject(new Error("no")) }
  const store = new LocalMemoryStore(failing, root)
  const written = await store.write({ content: "Moss", title: "Moss", requestedClass: "LOCAL" })
  if (!written.stored) throw new Error("not stored")
  await expect(store.delete(written.id)).rejects.toThrow("no")
  expect(existsSync(join(root, ".squad/memory/tombstones", `${written.id}.json`))).toBe(true)
  const index = join(root, ".squad/memory/index.json")
  const [record] = JSON.parse(readFileSync(index, "utf8"))
  writeFileSync(index, JSON.stringify([{ ...record, id: "x", status: "active", path: "../outside.md" }]))
  await expect(store.search("moss")).rejects.toThrow("Unsafe memory path blocked")
})

test("the commands run in the program's own process: JSON on console.log, diagnostics without content on console.error", async () => {
  const root = makeRepository({})
  await expect(runMemoryCommand(root, ["provider", "--provider", "copilot"])).rejects.toThrow(
    "Real Copilot Memory API unavailable",
  )
  const { output, diagnostics } = await runAndListen(root, ["write", "--log-level", "debug", "--content", secret])
  expect(JSON.parse(output[0] ?? "")).toMatchObject({ stored: false, classification: { class: "FORBIDDEN" } })
  expect(diagnostics.join("\n")).toContain("[memory:debug] write.request contentLength=")
  expect(diagnostics.join("\n")).not.toContain("never-keep")
  expect(process.exitCode ?? 0).toBe(0)
})

test("a scope whose agent has no plain name is refused, and nothing is written for it", async () => {
  const root = makeRepository({})
  for (const scope of ["agent:../up", "agent:..", "agent:"])
    await expect(runMemoryCommand(root, ["write", "x", "--scope", scope])).rejects.toThrow(`"${scope}" is not a scope`)
  expect(existsSync(join(root, ".squad", "agents"))).toBe(false)
})
