import { expect, test } from "vitest"
import { builtInPolicy } from "../../formats/policy.ts"
import type { EpisodeEvent } from "../episode.ts"
import type { LearnedStore } from "../learned-store.ts"
import type { Memory } from "../memory.ts"
import { sqliteStore } from "../sqlite-store.ts"
import {
  add,
  handedOut,
  learn,
  learnOne,
  minute,
  newStorePath,
  testCommit,
  testEpisode,
  testEvent,
  testIntake,
  testTask,
} from "../test-store.ts"
import { evaluateMemories } from "./evaluation.ts"
import { settleEpisode } from "./use-outcomes.ts"

const fingerprint = "error: relation <str> does not exist"
const trigger = { tools: [], heads: ["npm test"], paths: [], fingerprints: [fingerprint] }
const testRun = testEvent({ role: "tool", kind: "tool_result", action: "run", head: "npm test", ts: minute(5) })

async function get(store: LearnedStore, id: string): Promise<Memory> {
  const [memory] = await store.find(id)
  if (!memory) throw new Error(`there is no ${id}`)
  return memory
}

/** A task for which the memory was a candidate, and the episode that came of it. */
async function work(
  store: LearnedStore,
  name: string,
  memory: string,
  {
    injected = true,
    events = [testRun],
    errors = 0,
  }: { injected?: boolean; events?: EpisodeEvent[]; errors?: number } = {},
): Promise<void> {
  const episode = testEpisode(name, { events, errors, session: name })
  await store.recordTask(testTask(`t-${name}`, { session: name, memories: [handedOut(memory, injected)] }))
  await store.takeIn(testIntake({ episodes: [episode] }))
  const settlement = settleEpisode({
    episode,
    tasks: await store.tasksOf(episode),
    memories: new Map([[memory, await get(store, memory)]]),
    unasked: [],
    named: [],
    baseline: await store.baseline(episode.project),
    policyFor: () => builtInPolicy,
    taskText: "",
    likeness: () => 0,
  })
  await store.commit(testCommit(name, [], { settlement }))
}

async function evaluate(store: LearnedStore): Promise<string[]> {
  const now = minute(60)
  const decisions = evaluateMemories(await store.memories({ project: "p-one" }), builtInPolicy, now)
  return (await store.applyDecisions("p-one", decisions, now)).map(({ result, reason }) => `${result}: ${reason}`)
}

async function learnPattern(store: LearnedStore): Promise<string> {
  const pattern = add("Run the migrations before the tests", {
    evidence: { source: "failure_then_success", frustration: "none" },
  })
  const [outcome] = await learn(store, "origin", [pattern], { commit: { trigger } })
  if (outcome?.kind !== "added") throw new Error("nothing was learned")
  return outcome.id
}

test("a memory that helps in five tasks is promoted, by the ledger's counts", async () => {
  const store = sqliteStore(newStorePath())
  const id = await learnPattern(store)
  for (const name of ["a", "b", "c", "d"]) await work(store, name, id)
  expect(await evaluate(store)).toEqual([])
  await work(store, "e", id)
  expect(await evaluate(store)).toEqual(["promote: 5 opportunities, used in 5, helped 5 times"])
  expect(await get(store, id)).toMatchObject({ status: "active", tier: "long_term", expires: undefined })
  await store.close()
})

test("a memory that is skipped ten times ends, although it was never used", async () => {
  const store = sqliteStore(newStorePath())
  const id = await learnPattern(store)
  for (let at = 0; at < 10; at++) await work(store, `task-${at}`, id, { injected: false })
  expect(await evaluate(store)).toEqual(["deprecate: 10 opportunities, used in 0, never seen to help"])
  expect(await get(store, id)).toMatchObject({ status: "deprecated" })
  await store.close()
})

test("a memory whose error recurs each time is flagged, then ends", async () => {
  const store = sqliteStore(newStorePath())
  const id = await learnPattern(store)
  const events = [{ ...testRun, is_error: true, fingerprint }]
  for (const name of ["a", "b"]) await work(store, name, id, { events })
  expect(await evaluate(store)).toEqual(["flag: its mistake happened twice although it was in the context"])
  await work(store, "c", id, { events })
  expect(await evaluate(store)).toEqual([
    "deprecate: its mistake happened 3 times although it was in the context; never seen to help",
  ])
  await store.close()
})

test("episodes without any memory are the baseline for hits", async () => {
  const store = sqliteStore(newStorePath())
  const id = await learnPattern(store) // an episode without errors, the first of five
  for (const name of ["a", "b", "c", "d"]) await work(store, name, id, { injected: false, errors: 5 })
  expect(await store.baseline("p-one")).toEqual({ episodes: 5, errors: 4, retries: 0 })
  await work(store, "e", id, { errors: 4 })
  await work(store, "f", id, { errors: 5 })
  expect((await get(store, id)).metrics).toMatchObject({ useCount: 2, hits: 1, misses: 0 })
  await store.close()
})

test("an emergency guard that helps lives a week from then, and not longer", async () => {
  const store = sqliteStore(newStorePath())
  const guard = add("Never edit applied migrations", { kind: "guard", tier: "emergency", polarity: -1, ttlDays: 1 })
  const id = await learnOne(store, "origin", guard)
  expect((await get(store, id)).expires).toBe(minute(30, "2026-03-02"))
  await work(store, "a", id, { events: [testEvent({ ...testRun, role: "assistant", cites: [`m:${id.slice(2, 8)}`] })] })
  expect((await get(store, id)).expires).toBe(minute(30, "2026-03-08"))
  await store.close()
})
