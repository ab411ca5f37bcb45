import { expect, onTestFinished, test } from "vitest"
import { sqliteStore } from "../../memories/sqlite-store.ts"
import { add, end, learn, minute, newStorePath, nothingSettled, testCommit, update } from "../../memories/test-store.ts"
import type { TeamMemory } from "../api.ts"
import { type TeamLedger, teamLedger } from "./team-ledger.ts"
import { testMemoryId, testShared, testTeamMemory } from "./test-team-memory.ts"

function openBoth() {
  const path = newStorePath()
  const [store, ledger] = [sqliteStore(path), teamLedger(path)]
  onTestFinished(async () => {
    await ledger.close()
    await store.close()
  })
  return { store, ledger }
}

function takeIn(ledger: TeamLedger, memories: TeamMemory[], removed: string[] = [], next = 1) {
  return ledger.takeIn({ memories, removed, next, projects: ["", "p-one"] })
}

const task = { task: "t-1", project: "p-one", session: "s", agent: undefined, taskHash: "h", ts: minute(1) }

test("a memory of the team is stored with its owner, its contributor and its original", async () => {
  const { store, ledger } = openBoth()
  const memory = testTeamMemory("billing", { key: "project.payments", kind: "invariant" })
  expect(await takeIn(ledger, [memory])).toMatchObject({ added: [memory.id], withheld: [] })
  expect(await store.find(memory.id)).toMatchObject([
    {
      text: memory.text,
      owner: { type: "team", id: "t-payments" },
      contributedBy: "Kim",
      sourceMemory: memory.sourceMemory,
      status: "active",
      trust: 3,
    },
  ])
})

test("of two versions the later one wins, in any order", async () => {
  const { store, ledger } = openBoth()
  const older = testTeamMemory("billing")
  const newer = { ...older, version: 5, text: "Use the ledger service for payments." }
  await takeIn(ledger, [older])
  expect(await takeIn(ledger, [newer])).toMatchObject({ changed: [older.id] })
  expect(await takeIn(ledger, [older])).toMatchObject({ added: [], changed: [] })
  expect(await store.find(older.id)).toMatchObject([{ text: newer.text }])
})

test("the usage record of a copy survives a new version of it", async () => {
  const { store, ledger } = openBoth()
  const memory = testTeamMemory("billing")
  await takeIn(ledger, [memory])
  await store.recordTask({ ...task, memories: [{ id: memory.id, injected: true, rank: 1, score: 1 }] })
  await takeIn(ledger, [{ ...memory, version: 2, text: "Use the ledger service for payments." }])
  expect((await store.find(memory.id))[0]?.metrics.useCount).toBe(1)
})

test("a memory removed on the server is removed here, but never the user's own", async () => {
  const { store, ledger } = openBoth()
  const memory = testTeamMemory("billing")
  await learn(store, "a", [add("Keep the logs in English.")])
  const [own] = await store.memories({})
  await takeIn(ledger, [memory])
  expect(await takeIn(ledger, [], [memory.id, own?.id ?? ""])).toMatchObject({ removed: [memory.id] })
  expect((await store.memories({})).map(({ id }) => id)).toEqual([own?.id])
})

test("a memory that has ended on the server is no longer a copy", async () => {
  const { store, ledger } = openBoth()
  const memory = testTeamMemory("billing")
  await takeIn(ledger, [memory])
  expect(await takeIn(ledger, [{ ...memory, version: 2, status: "deprecated" }])).toMatchObject({
    removed: [memory.id],
  })
  expect(await store.memories({})).toEqual([])
})

test("the user's own memory is not overwritten by one with the same id", async () => {
  const { store, ledger } = openBoth()
  await learn(store, "a", [add("Keep the logs in English.")])
  const [own] = await store.memories({})
  await takeIn(ledger, [testTeamMemory("billing", { id: own?.id ?? "", version: 99 })])
  expect(await store.memories({})).toEqual([own])
})

test("the copy under a key is replaced by its successor on the server", async () => {
  const { store, ledger } = openBoth()
  const fact = { kind: "invariant" as const, key: "project.package_manager" }
  await takeIn(ledger, [testTeamMemory("one", fact)])
  await takeIn(ledger, [testTeamMemory("two", fact)])
  expect((await store.memories({})).map(({ id }) => id)).toEqual([testMemoryId("two")])
})

test("a memory learned here for the team keeps its key, and the copy has none", async () => {
  const { store, ledger } = openBoth()
  const owner = { type: "team", id: "t-payments" } as const
  const fact = { kind: "invariant" as const, key: "project.package_manager" }
  const policy = { ...testCommit("a", []).policy, allowTeam: true }
  await learn(store, "a", [add("Install with pnpm.", { ...fact, owner })], { commit: { policy } })
  expect(await takeIn(ledger, [testTeamMemory("one", fact)])).toMatchObject({ added: [testMemoryId("one")] })
  expect((await store.memories({})).map(({ key }) => key ?? "none").sort()).toEqual(["none", fact.key])
})

test("content refused by governance is not stored, and not repeated", async () => {
  const { store, ledger } = openBoth()
  const secret = `ghp_${"a1B2".repeat(9)}`
  const memory = testTeamMemory("billing")
  await takeIn(ledger, [memory])
  const taken = await takeIn(ledger, [{ ...memory, version: 2, text: `Use the token ${secret} for payments.` }])
  expect(taken.withheld).toMatchObject([{ id: memory.id }])
  expect(JSON.stringify(taken)).not.toContain(secret)
  expect(await store.memories({})).toEqual([])
})

test.each<[string, Partial<TeamMemory>]>([
  ["a path without a scope for it", { pathPrefix: "src" }],
  ["a path out of the repository", { scope: "repo_path", pathPrefix: "../secrets" }],
  ["a scope without its project", { scope: "project", project: null }],
  ["an id of another form", { id: "42" }],
  ["no words", { text: " \n " }],
])("a memory with %s is skipped, and the rest of the page is stored", async (_, given) => {
  const { store, ledger } = openBoth()
  const taken = await takeIn(ledger, [testTeamMemory("odd", given), testTeamMemory("billing")])
  expect(taken).toMatchObject({ added: [testMemoryId("billing")], withheld: [{}] })
  expect(await store.memories({})).toHaveLength(1)
})

test("every use of a copy is queued for the server, once, with its outcome; other uses are not", async () => {
  const { store, ledger } = openBoth()
  const memory = testTeamMemory("billing")
  await learn(store, "a", [add("Keep the logs in English.")])
  const [own] = await store.memories({})
  await takeIn(ledger, [memory])
  const use = (id: string, injected: boolean) => ({ id, injected, rank: 1, score: 1 })
  await store.recordTask({ ...task, memories: [use(memory.id, false), use(own?.id ?? "", true)] })
  await store.recordTask({ ...task, memories: [use(memory.id, true)] })
  await store.recordTask({ ...task, memories: [use(memory.id, true)] })
  const about = { task: "t-1", exposed: true, cited: false, miss: false, regretSaved: 2.5, netRegret: -1 }
  const settlement = { uses: [{ memory: memory.id, hit: true, ...about }], injected: true }
  await learn(store, "b", [], { commit: { settlement } })
  await store.reportOutcome({
    project: "p-one",
    task: "t-1",
    outcome: "success",
    helped: [memory.id],
    wrong: [],
    ts: minute(50),
  })
  const plain = { memory: memory.id, task: "t-1", project: "p-one", exposed: false, cited: false, outcome: null }
  const nothing = { regretSaved: 0, netRegret: 0 }
  const waiting = await ledger.waiting(10)
  expect(waiting.map((each) => (each.kind === "use" ? each.event : each))).toEqual([
    { ...plain, ...nothing, at: minute(1), injected: false },
    { ...plain, ...nothing, at: minute(1), injected: true },
    { ...plain, at: minute(30), injected: true, exposed: true, outcome: "hit", regretSaved: 2.5, netRegret: -1 },
    { ...plain, ...nothing, at: minute(50), injected: true, exposed: true, outcome: "helped" },
  ])
  expect(new Set(waiting.map((each) => each.kind === "use" && each.occasion)).size).toBe(4)
})

test("a share that was never sent is withdrawn without contacting the server", async () => {
  const { ledger } = openBoth()
  const shared = testShared("billing")
  await ledger.putShare(shared)
  expect(await ledger.putUnshare(shared.sourceMemory, "a mistake")).toBe("cancelled")
  expect(await ledger.waiting(10)).toEqual([])
})

test("a share that may have arrived is withdrawn by asking the server afterwards", async () => {
  const { ledger } = openBoth()
  const shared = testShared("billing")
  await ledger.putShare(shared)
  const [entry] = await ledger.waiting(1)
  await ledger.noteAttempt(entry?.entry ?? 0)
  expect(await ledger.putUnshare(shared.sourceMemory, "a mistake")).toBe("waits")
  expect((await ledger.waiting(10)).map(({ kind }) => kind)).toEqual(["share", "unshare"])
})

test("a memory that was shared twice is withdrawn on the server, because the first share may have arrived", async () => {
  const { ledger } = openBoth()
  const shared = testShared("billing")
  const kinds = async () => (await ledger.waiting(10)).map(({ kind }) => kind)
  await ledger.putShare(shared)
  const [entry] = await ledger.waiting(1)
  await ledger.noteAttempt(entry?.entry ?? 0)
  await ledger.putShare(shared)
  expect(await ledger.putUnshare(shared.sourceMemory, "a mistake")).toBe("waits")
  expect(await kinds()).toEqual(["share", "unshare"])
  await ledger.putShare(shared)
  for (const { entry } of await ledger.waiting(10)) await ledger.noteAttempt(entry)
  await ledger.putUnshare(shared.sourceMemory, "a mistake after all")
  await ledger.putUnshare(shared.sourceMemory, "said twice")
  expect(await kinds()).toEqual(["share", "unshare", "share", "unshare"])
})

test("an acknowledged share is no longer queued, and its copy is here under the memory's own name", async () => {
  const { ledger } = openBoth()
  const shared = testShared("billing")
  await ledger.putShare(shared)
  const [entry] = await ledger.waiting(1)
  const copy = testTeamMemory("billing")
  await ledger.acknowledge([entry?.entry ?? 0], { copy })
  expect(await ledger.waiting(10)).toEqual([])
  expect(await ledger.copyOf(shared.sourceMemory)).toBe(copy.id)
  await ledger.acknowledge([], { gone: copy.id })
  expect(await ledger.copyOf(shared.sourceMemory)).toBeUndefined()
})

test("leaving a team keeps only the user's own memories", async () => {
  const { store, ledger } = openBoth()
  await learn(store, "a", [add("Keep the logs in English.")], { commit: { settlement: nothingSettled } })
  const before = await store.memories({})
  await takeIn(ledger, [testTeamMemory("billing"), testTeamMemory("everywhere", { scope: "global", project: null })])
  await ledger.putShare(testShared("other"))
  expect(await ledger.counts()).toMatchObject({ waiting: { share: 1 }, copies: [{ memories: 1 }, { memories: 1 }] })
  expect(await ledger.drop()).toBe(2)
  expect(await store.memories({})).toEqual(before)
  expect(await ledger.counts()).toEqual({ waiting: { use: 0, share: 0, unshare: 0 }, setAside: 0, copies: [] })
  expect(await ledger.cursors()).toEqual(new Map())
})

test("a fact that the team already has is not learned again, and its copy is unchanged", async () => {
  const { store, ledger } = openBoth()
  const memory = testTeamMemory("billing")
  await takeIn(ledger, [memory])
  const before = await store.find(memory.id)
  expect(await learn(store, "a", [add(memory.text)])).toEqual([{ kind: "duplicate", of: memory.id }])
  expect(await store.memories({})).toEqual(before)
})

test("a change of a team's memory becomes a memory of the user, and an end of it is dropped", async () => {
  const { store, ledger } = openBoth()
  const memory = testTeamMemory("billing")
  await takeIn(ledger, [memory])
  const before = await store.find(memory.id)
  const [changed, ended] = await learn(store, "a", [
    update(memory.id, "Use the ledger for all payments."),
    end(memory.id),
  ])
  expect(changed).toMatchObject({ kind: "added" })
  expect(ended).toEqual({ kind: "dropped", reason: `${memory.id} belongs to the team` })
  expect(await store.find(memory.id)).toEqual(before)
})

test("a copy that was reported as wrong is flagged only on the server", async () => {
  const { store, ledger } = openBoth()
  const memory = testTeamMemory("billing")
  await takeIn(ledger, [memory])
  await store.reportOutcome({ project: "p-one", outcome: "failure", helped: [], wrong: [memory.id], ts: minute(5) })
  expect((await store.find(memory.id))[0]?.flags).toEqual([])
  expect(await ledger.waiting(5)).toMatchObject([{ kind: "use", event: { outcome: "wrong" } }])
})
