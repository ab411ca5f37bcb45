import { expect, test } from "vitest"
import type { OpenStore } from "./store-contract.ts"
import {
  add,
  handedOut,
  learn,
  learnOne,
  minute,
  testCommit,
  testEpisode,
  testIntake,
  testTask,
  wordEmbedder,
} from "./test-store.ts"

/** What several who have the same store open make of it, each in its own way. */
export function testSharing(told: (behaviour: string) => string, open: OpenStore): void {
  test(told("values with quotes and SQL in them are values"), async () => {
    const store = await open()
    const nasty = `'; DROP TABLE memories; -- "%_\\ ? :id $1`
    await store.registerProject(nasty, nasty)
    const [outcome] = await learn(store, nasty, [add(nasty, { scope: "repo_path", pathPrefix: "a';--/b" })], {
      episode: { project: nasty, session: nasty, transcript: nasty },
      commit: { owner: { type: "user", id: nasty } },
    })
    await store.recordTask(testTask(nasty, { project: nasty, session: nasty, taskHash: nasty, agent: nasty }))
    expect(outcome).toMatchObject({ kind: "added" })
    expect(
      await store.memories({ project: nasty, owner: { type: "user", id: nasty }, episode: testEpisode(nasty).id }),
    ).toMatchObject([{ text: nasty, pathPrefix: "a';--/b" }])
    expect(await store.find(nasty)).toEqual([])
    expect(await store.memories({ project: "' OR 1=1 --" })).toEqual([])
    expect(await store.tasksOf(testEpisode("x", { project: nasty, session: nasty }))).toHaveLength(1)
  })

  test(told("two who have it open see each other's work at once"), async () => {
    const one = await open()
    const other = await open({ beside: one })
    const id = await learnOne(one, "a", add("One"))
    expect(await other.find(id)).toHaveLength(1)
    await other.recordTask(testTask("t-1", { memories: [handedOut(id)] }))
    expect((await one.find(id))[0]?.metrics.useCount).toBe(1)
  })

  test(told("an episode that two commit at the same moment is committed once"), async () => {
    const one = await open()
    const other = await open({ beside: one })
    await one.takeIn(testIntake({ episodes: [testEpisode("a")] }))
    const commit = testCommit("a", [add("One"), add("Two", { kind: "note" })])
    const outcomes = await Promise.all([one, other, one, other].map((store) => store.commit(commit)))
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["already", "already", "already", "committed"])
    expect(await one.memories({})).toHaveLength(2)
    expect(await other.sinceEvaluation("p-one")).toMatchObject({ episodes: 1 })
  })

  test(told("those who write at the same moment lose nothing of each other's"), async () => {
    const one = await open()
    const other = await open({ beside: one })
    const id = await learnOne(one, "a", add("One"))
    const tasks = Array.from({ length: 12 }, (_, at) => testTask(`t-${at % 6}`, { memories: [handedOut(id)] }))
    const batches = Array.from({ length: 8 }, (_, at) =>
      testIntake({ episodes: [testEpisode(`b${at}`, { session: "shared", start: minute(at) })] }),
    )
    await Promise.all([
      ...tasks.map((task, at) => (at % 2 === 0 ? one : other).recordTask(task)),
      ...batches.map((intake, at) => (at % 2 === 0 ? one : other).takeIn(intake)),
    ])
    expect((await one.find(id))[0]?.metrics.useCount).toBe(6)
    expect(await other.waiting()).toHaveLength(8)
  })

  test(told("vectors of two models are never compared: words decide where one of this model is missing"), async () => {
    const one = await open({ embed: wordEmbedder })
    await learn(one, "a", [add("moss and owl")])
    const opposite = { id: "opposite", vector: (text: string) => wordEmbedder.vector(text).map((value) => -value) }
    const other = await open({ embed: opposite, beside: one })
    const [near] = await other.nearest({ project: "p-one", text: "moss and owl", now: minute(31), limit: 1 })
    expect(near?.similarity).toBe(1)
  })

  test(told("memories from before there was an embedder are compared by it after the next commit"), async () => {
    const plain = await open()
    await learn(plain, "a", [add("moss and owl")])
    const version = await plain.version("p-one")
    const opposite = { id: "opposite", vector: (text: string) => wordEmbedder.vector(text).map((value) => -value) }
    await learn(await open({ embed: wordEmbedder, beside: plain }), "b", [])
    const turned = await open({ embed: { ...opposite, id: wordEmbedder.id }, beside: plain })
    const [near] = await turned.nearest({ project: "p-one", text: "moss and owl", now: minute(31), limit: 1 })
    expect(near?.similarity).toBeLessThan(-0.9)
    expect(await plain.version("p-one")).toBe(version)
  })
}
