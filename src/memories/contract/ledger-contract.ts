import { expect, test } from "vitest"
import { taskHashOf } from "../../formats/ids.ts"
import type { LearnedStore } from "../learned-store.ts"
import {
  add,
  handedOut,
  learn,
  learnOne,
  minute,
  settledUse,
  testCommit,
  testEpisode,
  testEvent,
  testIntake,
  testTask,
  update,
  wordEmbedder,
} from "../test-store.ts"
import type { OpenStore } from "./store-contract.ts"

/** Opportunities, uses, hits and the baseline. */
export function testLedger(told: (behaviour: string) => string, open: OpenStore): void {
  const metricsOf = async (store: LearnedStore, id: string) => (await store.find(id))[0]?.metrics

  test(told("an opportunity is not a use: a relevant memory that was not handed out was skipped"), async () => {
    const store = await open()
    const [used, passed] = [await learnOne(store, "a", add("One")), await learnOne(store, "b", add("Two"))]
    await store.recordTask(testTask("t-1", { memories: [handedOut(used), handedOut(passed, false)] }))
    expect(await metricsOf(store, used)).toMatchObject({
      opportunities: 1,
      useCount: 1,
      passedOver: 0,
      lastUsed: minute(0),
    })
    expect(await metricsOf(store, passed)).toMatchObject({
      opportunities: 1,
      useCount: 0,
      passedOver: 1,
      lastUsed: undefined,
    })
    expect((await store.history(passed)).uses).toMatchObject([
      { task: "t-1", session: "session", injected: false, rank: 1, score: 0.5 },
    ])
  })

  test(told("a task that is requested again while it is open counts once, and the last handout counts"), async () => {
    const store = await open()
    const id = await learnOne(store, "a", add("One"))
    const again = (task: string, given: Parameters<typeof testTask>[1]) =>
      store.recordTask(testTask(task, { taskHash: "same", memories: [handedOut(id, false)], ...given }))
    expect(await again("t-1", {})).toBe("t-1")
    expect(await again("t-2", { memories: [handedOut(id)], ts: minute(2) })).toBe("t-1")
    expect(await again("t-1", { ts: minute(3) })).toBe("t-1")
    expect(await metricsOf(store, id)).toMatchObject({
      opportunities: 1,
      useCount: 1,
      passedOver: 0,
      lastUsed: minute(2),
    })
    expect(await again("t-3", { session: "another" })).toBe("t-3")
    expect(await again("t-4", { agent: "kane" })).toBe("t-4")
    expect(await again("t-5", { taskHash: "other" })).toBe("t-5")
    expect(await again("t-6", { project: "p-two" })).toBe("t-6")
    expect(await again("t-7", { ts: minute(4, "2026-03-02") })).toBe("t-7")
    expect(await metricsOf(store, id)).toMatchObject({ opportunities: 6, useCount: 1 })
  })

  test(
    told(
      "a task belongs to the episode that shows its context or has its session, otherwise to the one with its words at that time",
    ),
    async () => {
      const store = await open()
      await store.recordTask(testTask("t-shown", { session: "x", taskHash: "same", ts: minute(1) }))
      await store.recordTask(testTask("t-again", { session: "x", taskHash: "same", ts: minute(2) }))
      await store.recordTask(testTask("t-session", { session: "s", ts: minute(3) }))
      await store.recordTask(testTask("t-late", { session: "s", ts: minute(200) }))
      const taskHash = taskHashOf("please  fix the BUILD")
      await store.recordTask(testTask("t-said", { session: undefined, taskHash, ts: minute(-5) }))
      await store.recordTask(testTask("t-by-hand", { session: undefined, ts: minute(4) }))
      const tasks = async (given: Parameters<typeof testEpisode>[1]) =>
        (await store.tasksOf(testEpisode("e", given))).map(({ task }) => task)
      const shown = [testEvent(), testEvent({ contexts: ["t-again"] })]
      expect(await tasks({ session: "s", events: shown })).toEqual(["t-shown", "t-session"])
      expect(await tasks({ session: "unknown", events: shown })).toEqual(["t-shown"])
      expect(await tasks({ session: "s" })).toEqual(["t-session"])
      expect(await tasks({ session: "unknown" })).toEqual(["t-said"])
      expect(await tasks({ session: "unknown", events: [testEvent({ summary: "Draw a logo" })] })).toEqual([])
      expect(await tasks({ session: "unknown", events: [testEvent({ role: "assistant" })] })).toEqual([])
      expect(await tasks({ session: "unknown", project: "p-two" })).toEqual([])
      expect(await tasks({ session: "unknown", start: minute(60), end: minute(90) })).toEqual([])
    },
  )

  test(
    told("a context without a session belongs to none if two sessions had the same message at that time"),
    async () => {
      const here = testEpisode("here")
      const taskOf = async (others: Parameters<typeof testIntake>[0]) => {
        const store = await open()
        await store.takeIn(testIntake({ episodes: [here] }))
        await store.takeIn(testIntake(others))
        const taskHash = taskHashOf("Please fix the build")
        await store.recordTask(testTask("t-1", { session: undefined, taskHash, ts: minute(5) }))
        return (await store.tasksOf(here)).map(({ task }) => task)
      }
      const openTask = { client: "codex", session: "s", project: "p-one", transcript: "/s.jsonl" } as const
      expect(await taskOf({ episodes: [testEpisode("there")] })).toEqual([])
      expect(await taskOf({ open: [{ ...openTask, events: [testEvent()] }] })).toEqual([])
      expect(await taskOf({ episodes: [testEpisode("later", { start: minute(20) })] })).toEqual(["t-1"])
      expect(await taskOf({ episodes: [testEpisode("elsewhere", { project: "p-two" })] })).toEqual(["t-1"])
      expect(await taskOf({ episodes: [testEpisode("other", { events: [testEvent({ summary: "Hi" })] })] })).toEqual([
        "t-1",
      ])
      expect(await taskOf({ episodes: [testEpisode("again", { session: here.session })] })).toEqual(["t-1"])
    },
  )

  test(
    told("a settled task is closed: the same words are another task, and another episode does not have it"),
    async () => {
      const store = await open()
      const task = () => testTask("t-1", { session: "s", taskHash: "same" })
      await store.recordTask(task())
      await learn(store, "a", [], { episode: { session: "s" } })
      expect(await store.tasksOf(testEpisode("b", { session: "s" }))).toEqual([])
      expect(await store.tasksOf(testEpisode("a", { session: "s" }))).toHaveLength(1)
      expect(await store.recordTask({ ...task(), task: "t-2" })).toBe("t-2")
    },
  )

  test(told("an episode that continues another has its tasks"), async () => {
    const store = await open()
    await store.recordTask(testTask("t-1", { session: "s" }))
    const parts = ["a", "b"].map((id, at) =>
      testEpisode(id, {
        session: "s",
        start: minute(at * 40),
        end: minute(at * 40 + 30),
        ...(at ? { continuationOf: testEpisode("a").id } : {}),
      }),
    )
    await store.takeIn(testIntake({ episodes: parts }))
    for (const id of ["a", "b"]) await store.commit(testCommit(id, []))
    const third = testEpisode("c", {
      session: "s",
      start: minute(80),
      end: minute(90),
      continuationOf: testEpisode("b").id,
    })
    expect(await store.tasksOf(third)).toMatchObject([{ task: "t-1" }])
  })

  test(told("hits, misses and credit are counted when the episode is settled, once for each episode"), async () => {
    const store = await open()
    const [good, bad] = [await learnOne(store, "a", add("One")), await learnOne(store, "b", add("Two"))]
    const memories = [handedOut(good), handedOut(bad)]
    for (const task of ["t-1", "t-2"]) await store.recordTask(testTask(task, { session: "s", memories }))
    const settlement = {
      injected: true,
      uses: [
        settledUse(good, "t-1", { exposed: true, cited: true, hit: true, regretSaved: 0.5, netRegret: 0.5 }),
        settledUse(good, "t-2", { exposed: true, hit: true, regretSaved: 0.25, netRegret: -1 }),
        settledUse(bad, "t-1", { exposed: true, miss: true, netRegret: -1 }),
        settledUse("m-purged", "t-1", { hit: true }),
      ],
    }
    await learn(store, "c", [], { episode: { session: "s", end: minute(45) }, commit: { settlement } })
    await store.commit(testCommit("c", [], { settlement }))
    expect(await metricsOf(store, good)).toMatchObject({
      hits: 1,
      misses: 0,
      regretSaved: 0.75,
      netRegret: -0.5,
      lastHit: minute(45),
    })
    expect(await metricsOf(store, bad)).toMatchObject({ hits: 0, misses: 1, netRegret: -1, lastHit: undefined })
    expect((await store.history(good)).uses[0]).toMatchObject({
      exposed: true,
      cited: true,
      outcome: "hit",
      episode: testEpisode("c").id,
    })
  })

  test(told("without a context request there was an opportunity, but nothing was skipped"), async () => {
    const store = await open()
    const id = await learnOne(store, "a", add("One"))
    const settlement = { injected: false, uses: [settledUse(id, undefined, { exposed: true })] }
    await learn(store, "b", [], { commit: { settlement } })
    expect(await metricsOf(store, id)).toMatchObject({ opportunities: 1, useCount: 0, passedOver: 0 })
    expect(await store.tasksOf(testEpisode("b"))).toEqual([])
  })

  test(told("a use that is settled after its memory was refined counts for the refinement"), async () => {
    const store = await open({ embed: wordEmbedder })
    const old = await learnOne(store, "a", add("Run the migrations before the integration tests of the api"))
    await store.recordTask(testTask("t-1", { session: "s", memories: [handedOut(old)] }))
    const next = await learnOne(
      store,
      "b",
      update(old, "Run the migrations before the integration tests of the api, always"),
    )
    await store.recordTask(testTask("t-1", { session: "s", memories: [handedOut(next)] }))
    const settlement = { injected: true, uses: [settledUse(old, "t-1", { hit: true })] }
    await learn(store, "c", [], { episode: { session: "s" }, commit: { settlement } })
    expect(await metricsOf(store, next)).toMatchObject({ opportunities: 1, useCount: 1, hits: 1 })
  })

  test(told("a report overrides what the transcript shows"), async () => {
    const store = await open()
    const [good, bad, found] = [
      await learnOne(store, "a", add("One")),
      await learnOne(store, "b", add("Two")),
      await learnOne(store, "c", add("Three")),
    ]
    await store.recordTask(
      testTask("t-1", { session: "s", taskHash: "same", memories: [handedOut(good), handedOut(bad)] }),
    )
    await store.recordTask(testTask("t-2", { session: "s", taskHash: "same" }))
    const report = {
      project: "p-one",
      outcome: "success" as const,
      helped: [good, found],
      wrong: [bad],
      ts: minute(10),
    }
    await store.reportOutcome({ ...report, task: "t-2", note: "It held." })
    await store.reportOutcome({ ...report, session: "s" })
    const settlement = {
      injected: true,
      uses: [settledUse(good, "t-1", { miss: true }), settledUse(bad, "t-1", { hit: true })],
    }
    await learn(store, "d", [], { episode: { session: "s" }, commit: { settlement } })
    expect(await metricsOf(store, good)).toMatchObject({ hits: 1, misses: 0 })
    expect(await metricsOf(store, bad)).toMatchObject({ hits: 0, misses: 1 })
    expect(await metricsOf(store, found)).toMatchObject({ hits: 1, useCount: 0 })
    expect(await store.find(bad)).toMatchObject([{ flags: ["review"] }])
    await expect(store.reportOutcome({ ...report, helped: ["m-unknown"] })).rejects.toThrow("m-unknown")
    const theirs = await learnOne(store, "theirs", add("Theirs"), { project: "p-two" })
    await expect(store.reportOutcome({ ...report, wrong: [theirs] })).rejects.toThrow(theirs)
    expect(await store.find(theirs)).toMatchObject([{ flags: [] }])
    const everywhere = await learnOne(store, "everywhere", add("Everywhere", { scope: "global" }), { project: "p-two" })
    await store.reportOutcome({ ...report, helped: [everywhere], wrong: [] })
  })

  test(told("a report on a search result counts without a context"), async () => {
    const store = await open()
    const id = await learnOne(store, "a", add("One"))
    await store.reportOutcome({ project: "p-one", outcome: "success", helped: [id], wrong: [], ts: minute(10) })
    expect(await metricsOf(store, id)).toMatchObject({ hits: 1, useCount: 0, passedOver: 0, lastHit: minute(10) })
  })

  test(told("a report on an unknown task does not count for the session's last one"), async () => {
    const store = await open()
    const id = await learnOne(store, "a", add("One"))
    await store.recordTask(testTask("t-1", { session: "s", memories: [handedOut(id)] }))
    const report = { project: "p-one", outcome: "failure" as const, session: "s", helped: [], wrong: [id] }
    await store.reportOutcome({ ...report, task: "t-other", ts: minute(10) })
    const { uses } = await store.history(id)
    expect(uses.find(({ task }) => task === "t-1")).toMatchObject({ outcome: undefined })
    expect(uses.filter(({ outcome }) => outcome === "wrong")).toHaveLength(1)
  })

  test(told("the baseline consists of the project's last episodes in which nothing was handed out"), async () => {
    const store = await open()
    const settle = (id: string, errors: number, end: number, injected = false, project = "p-one") =>
      learn(store, id, [], {
        episode: { errors, loops: errors * 2, end: minute(end), project },
        commit: { settlement: { uses: [], injected } },
      })
    await settle("a", 100, 1)
    for (const [at, errors] of [1, 2, 3, 4].entries()) await settle(`b${at}`, errors, 10 + at)
    await settle("c", 50, 30, true)
    await settle("d", 50, 31, false, "p-two")
    await store.takeIn(testIntake({ episodes: [testEpisode("e", { errors: 70, end: minute(40) })] }))
    expect(await store.baseline("p-one")).toEqual({ episodes: 4, errors: 2.5, retries: 5 })
    expect(await store.baseline("p-two")).toEqual({ episodes: 1, errors: 50, retries: 100 })
    expect(await store.record("p-one")).toEqual({ episodes: 1, errors: 50, retries: 100 })
    expect(await store.record("p-two")).toEqual({ episodes: 0, errors: 0, retries: 0 })
  })
}
