import { expect, test } from "vitest"
import { seeded } from "../../test/seeded.ts"
import type { LearnedStore } from "./learned-store.ts"
import { joinAll, joinRecords, type SyncRecord } from "./memory-sync.ts"
import { sqliteStore } from "./sqlite-store.ts"
import { add, learnOne, minute, newStorePath, testCommit, testEpisode, testIntake, testText } from "./test-store.ts"

const owner = "kim"

/** Machines of one user that share a set of records, as files in a repository would hold them. */
function makeMachines(count: number) {
  const stores = Array.from({ length: count }, () => sqliteStore(newStorePath()))
  let shared: SyncRecord[] = []
  return {
    stores,
    shared: () => shared,
    async sync(store: LearnedStore, now = minute(50)) {
      const { records, withheld } = await store.syncWith(shared, { owner, now })
      expect(withheld).toEqual([])
      shared = joinAll(shared, records)
    },
  }
}

async function stateOf(store: LearnedStore): Promise<SyncRecord[]> {
  return (await store.syncWith([], { owner, now: minute(0) })).records
}

async function learn(store: LearnedStore, name: string, at: number, key?: string): Promise<string> {
  const episode = testEpisode(name, { end: minute(at) })
  await store.takeIn(testIntake({ episodes: [episode] }))
  const operation = {
    op: "ADD" as const,
    ...testText(`Fact ${name} of the ledger`, key ? { key, kind: "invariant" } : {}),
  }
  const outcome = await store.commit(testCommit(name, [operation], { now: minute(at) }))
  const first = outcome.kind === "committed" ? outcome.outcomes[0] : undefined
  return first && "id" in first ? first.id : ""
}

test("a memory arrives with its evidence, trust and standing", async () => {
  const { stores, sync } = makeMachines(2)
  const [desk, laptop] = stores as [LearnedStore, LearnedStore]
  const id = await learnOne(desk, "a", add("Run the tests with the database up"))
  await desk.setPinned(id, true, minute(40))
  await sync(desk)
  await sync(laptop)
  const [[there], [here]] = [await laptop.find(id), await desk.find(id)]
  const { version: _, updated: __, metrics: ___, ...arrived } = there ?? {}
  expect(here).toMatchObject(arrived)
  expect(there).toMatchObject({ pinned: true, evidence: 1 })
  expect(await stateOf(laptop)).toEqual(await stateOf(desk))
})

test("forgetting wins over a later confirmation, and undoing it wins over forgetting", async () => {
  const { stores, sync } = makeMachines(2)
  const [desk, laptop] = stores as [LearnedStore, LearnedStore]
  const id = await learnOne(desk, "a", add("Use tabs"))
  await sync(desk)
  await sync(laptop)
  const version = async () => (await laptop.find(id))[0]?.version ?? 0
  const forgotten = await laptop.editMemory(
    { id, version: await version() },
    { kind: "forget", reason: "no" },
    minute(41),
  )
  const decision = {
    memory: id,
    version: 1,
    result: "promote",
    tier: "long_term",
    expires: undefined,
    flags: [],
    reason: "it helped",
  } as const
  await desk.applyDecisions("p-one", [{ ...decision, status: "active", flags: [] }], minute(45))
  expect(await desk.find(id)).toMatchObject([{ status: "active" }])
  for (const store of [laptop, desk, laptop]) await sync(store)
  expect(await desk.find(id)).toMatchObject([{ status: "deprecated" }])
  expect(await stateOf(laptop)).toEqual(await stateOf(desk))
  if (forgotten.kind !== "done") throw new Error(forgotten.kind)
  await laptop.undoEdit("p-one", (await laptop.lastEdit("p-one"))?.edit ?? forgotten.edit, minute(60))
})

test("what one machine purged leaves the others, and does not come back", async () => {
  const { stores, sync, shared } = makeMachines(2)
  const [desk, laptop] = stores as [LearnedStore, LearnedStore]
  const id = await learnOne(desk, "a", add("The vault is behind the picture"))
  await sync(desk)
  await sync(laptop)
  await laptop.forget([id], { purge: true, reason: "private", now: minute(41) })
  await desk.setPinned(id, true, minute(42))
  for (const store of [desk, laptop, desk]) await sync(store)
  expect(await desk.find(id)).toEqual([])
  expect(JSON.stringify(shared())).not.toContain("picture")
})

test("of two values of one key, the later one stays on both machines", async () => {
  const { stores, sync } = makeMachines(2)
  const [desk, laptop] = stores as [LearnedStore, LearnedStore]
  await learn(desk, "early", 31, "project.test_command")
  await learn(laptop, "later", 32, "project.test_command")
  for (const store of [desk, laptop, desk]) await sync(store)
  for (const store of [desk, laptop]) {
    const live = await store.memories({ statuses: ["provisional", "active"] })
    expect(live.map(({ text }) => text)).toEqual(["Fact later of the ledger"])
  }
})

test("records from outside are checked, and a secret is withheld", async () => {
  const { stores } = makeMachines(2)
  const [desk, laptop] = stores as [LearnedStore, LearnedStore]
  await learnOne(desk, "a", add("Use tabs"))
  const [record] = await stateOf(desk)
  if (!record || "purged" in record) throw new Error("nothing was learned")
  const secret = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`
  const bad = { ...record, content: { ...record.content, text: `Sign in with ${secret}` } }
  const { withheld } = await laptop.syncWith([bad], { owner, now: minute(50) })
  expect(withheld.map(({ id }) => id)).toEqual([record.id])
  expect(await laptop.memories({})).toEqual([])
})

test.each(Array.from({ length: 12 }, (_, seed) => seed))(
  "whatever three machines do offline, in any order of syncs, they end equal and nothing is lost (seed %i)",
  async (seed) => {
    const random = seeded(seed)
    const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value
    const { stores, sync, shared } = makeMachines(3)
    const learned = new Map<string, string>() // its text
    const [forgotten, purged] = [new Set<string>(), new Set<string>()]
    const keyed = new Set<string>()
    for (let step = 0; step < 60; step++) {
      const at = 60 + step
      const store = pick(stores)
      const what = random()
      if (what < 0.3) await sync(store, minute(at))
      else if (what < 0.6) {
        const isKeyed = random() < 0.3
        const id = await learn(
          store,
          `${seed}-${step}`,
          at,
          isKeyed ? pick(["project.build", "project.lint"]) : undefined,
        )
        learned.set(id, `Fact ${seed}-${step} of the ledger`)
        if (isKeyed) keyed.add(id)
      } else {
        const [memory] = [pick(await store.memories({ statuses: ["provisional", "active"] }))]
        if (!memory) continue
        const { id, version } = memory
        if (what < 0.7) await store.setPinned(id, !memory.pinned, minute(at))
        else if (what < 0.8) {
          await store.editMemory({ id, version }, { kind: "forget", reason: "wrong" }, minute(at))
          forgotten.add(id)
        } else if (what < 0.84) {
          await store.forget([id], { purge: true, reason: "private", now: minute(at) })
          purged.add(id)
        } else {
          const review = { memory: id, version, expires: undefined, flags: [], reason: "it helped" }
          await store.applyDecisions(
            "p-one",
            [{ ...review, result: "promote", status: "active", tier: "long_term" }],
            minute(at),
          )
        }
      }
    }
    for (let round = 0; round < 2; round++) for (const store of stores) await sync(store, minute(200))
    const [first, ...others] = await Promise.all(stores.map(stateOf))
    for (const other of others) expect(other).toEqual(first)
    expect(first).toEqual(joinAll(shared(), []))
    const live = await stores[0]?.memories({ statuses: ["provisional", "active"] })
    const texts = new Map(live?.map(({ id, text }) => [id, text]))
    for (const [id, text] of learned) {
      if (forgotten.has(id) || purged.has(id)) expect(texts.has(id)).toBe(false)
      else if (!keyed.has(id)) expect(texts.get(id)).toBe(text)
    }
  },
  30_000,
)

test("joining is commutative, associative and idempotent", async () => {
  const [store] = makeMachines(1).stores as [LearnedStore]
  await learnOne(store, "a", add("Use tabs"))
  const [record] = await stateOf(store)
  if (!record || "purged" in record) throw new Error("nothing was learned")
  const random = seeded(7)
  const variant = (): SyncRecord => {
    if (random() < 0.1) return { id: record.id, purged: minute(Math.floor(random() * 3)), textHash: "h", project: null }
    const at = minute(Math.floor(random() * 3))
    const status = random() < 0.5 ? "active" : "provisional"
    const [endings, restorings] = [Math.floor(random() * 3), Math.floor(random() * 3)]
    const made = {
      ...record,
      standing: { ...record.standing, at, status } as const,
      pinned: { at, value: random() < 0.5 },
    }
    return { ...made, endings, restorings }
  }
  for (let turn = 0; turn < 500; turn++) {
    const [a, b, c] = [variant(), variant(), variant()]
    expect(joinRecords(a, b)).toEqual(joinRecords(b, a))
    expect(joinRecords(joinRecords(a, b), c)).toEqual(joinRecords(a, joinRecords(b, c)))
    expect(joinRecords(joinRecords(a, b), b)).toEqual(joinRecords(a, b))
  }
})
