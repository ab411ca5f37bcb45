import { afterAll, describe, expect, test } from "vitest"
import { loadMemories } from "../bench/team/load-memories.ts"
import { makeTask, randomFrom } from "../bench/team/made-up-memory.ts"
import { findPostgres } from "../scripts/postgres/find-postgres.ts"
import type { PostgresDriver } from "../src/disk/postgres/driver.ts"
import { pgliteDriver } from "../src/disk/postgres/pglite-driver.ts"
import { postgresDriver } from "../src/disk/postgres/postgres-driver.ts"
import { builtInPolicy, policyForEmbedder } from "../src/formats/policy.ts"
import { parseQuery } from "../src/formats/query.ts"
import { openStaticEmbedder } from "../src/index/embedders/static-embedder.ts"
import { sortIntoBuckets } from "../src/index/postgres/buckets.ts"
import { migrate } from "../src/memories/postgres/migrations.ts"
import { tenantIdOf } from "../src/memories/postgres/tenancy.ts"
import type { StoreEmbedder } from "../src/memories/similarity.ts"
import { add, learn, minute, testCommit } from "../src/memories/test-store.ts"
import { buildContext } from "../src/recall/context/context-builder.ts"
import { search } from "../src/recall/search/item-search.ts"
import { searchLearned } from "../src/recall/search/learned-search.ts"
import { boundTokens } from "../src/recall/token-count.ts"
import { type MemoryParts, tenantRecall, tenantStore } from "../src/server/memories/tenant-store.ts"
import { newDatabase } from "./postgres/start-postgres.ts"

const table = openStaticEmbedder()
if (table.kind !== "ready") throw new Error(table.reason)
const { embedder } = table
const parts: MemoryParts = {
  embed: { id: embedder.id, vector: (text) => embedder.embedNow(text) },
  countTokens: boundTokens,
  settings: policyForEmbedder(builtInPolicy, embedder.id).retrieval,
  now: () => new Date(minute(60)),
}

const texts = [
  "Run the payment tests with pnpm test:payments, never with npm",
  "The invoice service retries a webhook three times and then parks it",
  "Never edit generated protobuf files by hand: change the .proto and run buf generate",
  "Timestamps in the ledger are stored in UTC and rendered in the user's zone",
  "Use the feature flag client from packages/flags, not the vendor's SDK",
]

function onEach(name: string, open: () => Promise<PostgresDriver>): void {
  let opened: Promise<PostgresDriver> | undefined
  let tenants = 0
  const newTenant = async () => {
    opened ??= open().then(async (driver) => {
      await migrate(driver)
      return driver
    })
    const driver = await opened
    const slug = `tenant-${++tenants}`
    const reach = { tenant: tenantIdOf(slug), teams: "all" as const }
    await driver.within(reach, "write", (ask) =>
      ask("INSERT INTO organisations (slug, name, created_at) VALUES ($1, $1, '2026-03-01T00:00:00.000Z')", [slug]),
    )
    const store = tenantStore(driver, reach, parts)
    const find = (text: string, project = "p-one") =>
      driver.within(reach, "read", async (ask) => {
        const parsed = parseQuery(text)
        if (parsed.kind === "invalid") throw new Error("no query")
        return (await search(tenantRecall(ask, project, parts), { query: parsed.query })).map(({ title }) => title)
      })
    return { driver, reach, store, find }
  }
  afterAll(async () => (await opened)?.close())

  describe(name, () => {
    test("a memory is found by its words and by their meaning as soon as it is stored", async () => {
      const { store, find } = await newTenant()
      await learn(
        store,
        "a",
        texts.map((text) => add(text, { kind: "invariant" })),
      )
      expect((await find("protobuf generated files"))[0]).toBe(texts[2])
      expect((await find("how do I run tests for payments"))[0]).toBe(texts[0])
    })

    test("a retired memory is no longer found, and found again when that is undone", async () => {
      const { store, find } = await newTenant()
      await learn(
        store,
        "a",
        texts.map((text) => add(text)),
      )
      const [memory] = (await store.memories({})).filter(({ text }) => text === texts[2])
      if (!memory) throw new Error("it was not stored")
      const edit = await store.editMemory(memory, { kind: "forget", reason: "wrong" }, minute(40))
      expect(await find("protobuf generated files")).not.toContain(texts[2])
      if (edit.kind !== "done") throw new Error("it was not forgotten")
      await store.undoEdit("p-one", edit.edit, minute(41))
      expect(await find("protobuf generated files")).toContain(texts[2])
      await store.forget([memory.id], { purge: true, reason: "wrong", now: minute(42) })
      expect(await find("protobuf generated files")).not.toContain(texts[2])
    })

    test("a project finds its own memories and those that hold everywhere, not another's", async () => {
      const { store, find } = await newTenant()
      await learn(store, "a", [
        add("The zebra cache is cleared with make zebra"),
        add("Zebra crossings are global", { scope: "global" }),
      ])
      await learn(store, "b", [add("The zebra cache of two lives in Redis")], { episode: { project: "p-two" } })
      expect((await find("zebra", "p-one")).sort()).toEqual([
        "The zebra cache is cleared with make zebra",
        "Zebra crossings are global",
      ])
      expect((await find("zebra", "p-two")).sort()).toEqual([
        "The zebra cache of two lives in Redis",
        "Zebra crossings are global",
      ])
    })

    test("a team finds its own memories among any number of another's", async () => {
      const { driver, reach, store, find } = await newTenant()
      const allowed = { policy: { ...testCommit("a", []).policy, allowTeam: true } }
      const theirs = Array.from({ length: 60 }, (_, at) =>
        add(`The zebra pelican number ${at} is fed at noon`, { owner: { type: "team", id: "birds" } }),
      )
      await learn(store, "a", theirs, { commit: allowed })
      const own = add("A zebra pelican eats fish", { owner: { type: "team", id: "fish" } })
      await learn(store, "b", [own], { commit: allowed })
      const asMember = { ...reach, teams: ["fish"] }
      const found = await driver.within(asMember, "read", (ask) =>
        searchLearned(tenantRecall(ask, "p-one", parts), { text: "zebra pelican", limit: 20 }),
      )
      expect(found.map(({ text }) => text)).toEqual(["A zebra pelican eats fish"])
      expect((await find("zebra pelican")).length).toBeGreaterThan(10)
    })

    test("a filter decides before the best are chosen", async () => {
      const { store, find } = await newTenant()
      const many = Array.from({ length: 120 }, (_, at) => add(`The zebra cache number ${at} is warm`))
      await learn(store, "a", [...many, add("A zebra must never be fed after midnight", { kind: "note" })])
      expect(await find("zebra type:note")).toEqual(["A zebra must never be fed after midnight"])
      expect(await find("zebra midnight type:guard")).toEqual([])
    })

    test("what was sorted into buckets is found as before", async () => {
      const { driver, reach, find } = await newTenant()
      await loadMemories(driver, parts.embed as StoreEmbedder, { slug: "", memories: 1500, reach })
      const random = randomFrom(3)
      const tasks = Array.from({ length: 20 }, () => makeTask(random))
      const before: string[][] = []
      for (const task of tasks) before.push(await find(task, "p-1"))
      const made = await driver.within(reach, "write", (ask) => sortIntoBuckets(ask, 1, minute(50), { bucketSize: 12 }))
      expect(made).toBeGreaterThan(20) // of which twelve are looked at
      let kept = 0
      for (const [at, task] of tasks.entries()) {
        const now = new Set(await find(task, "p-1"))
        kept += before[at]?.slice(0, 5).filter((title) => now.has(title)).length ?? 0
      }
      expect(kept / (tasks.length * 5)).toBeGreaterThan(0.95)
    })

    test("a context is built from what is relevant to the task", async () => {
      const { driver, reach, store } = await newTenant()
      await learn(
        store,
        "a",
        texts.map((text) => add(text, { kind: "invariant" })),
      )
      const { context } = await driver.within(reach, "read", (ask) =>
        buildContext(tenantRecall(ask, "p-one", parts), { task: "Change the protobuf message for invoices" }),
      )
      expect(context.text).toContain("buf generate")
      expect(context.text).not.toContain("feature flag client")
    })
  })
}

onEach("on the embedded PostgreSQL", () => pgliteDriver(undefined))
if (findPostgres() !== undefined) onEach("on a PostgreSQL server", async () => postgresDriver(await newDatabase()))
