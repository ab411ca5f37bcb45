import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { dumpStore } from "./dump-store.ts"
import type { LearnedStore } from "./learned-store.ts"
import { sqliteStore } from "./sqlite-store.ts"
import { testStore } from "./store-contract.ts"
import {
  add,
  handedOut,
  learn,
  learnOne,
  minute,
  newStorePath,
  testEpisode,
  testTask,
  wordEmbedder,
} from "./test-store.ts"

function openStore(path = newStorePath(), options: Parameters<typeof sqliteStore>[1] = {}): LearnedStore {
  const store = sqliteStore(path, options)
  onTestFinished(() => store.close())
  return store
}

testStore("sqlite", async (options = {}) =>
  openStore(newStorePath(), { maxAttempts: 3, baselineWindow: 4, ...options }),
)

test("values with quotes and SQL in them are values", async () => {
  const store = openStore()
  const nasty = `'; DROP TABLE memories; -- "%_\\`
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

test("of a memory that was purged not one byte is left in the files", async () => {
  const path = newStorePath()
  const store = openStore(path)
  const secret = "the zanzibar handshake is opened by ferret"
  const [id = ""] = [await learnOne(store, "a", add(secret))]
  await learnOne(store, "b", add("Another one"))
  await store.setPinned(id, true, minute(31))
  const isThere = () =>
    readdirSync(dirname(path)).some((name) => readFileSync(join(dirname(path), name)).includes("zanzibar"))
  await store.forget([id], { purge: true, reason: "private", now: minute(32) })
  expect(isThere()).toBe(false)
  await learnOne(store, "c", add(`${secret}, again`), { end: minute(60) })
  expect(isThere()).toBe(true)
})

test("memories from before there was an embedder, or from another one, get their vectors with the next commit", async () => {
  const path = newStorePath()
  const models = () =>
    dumpStore(path)
      .filter((row) => row.startsWith("memories "))
      .map((row) => /words-\d|broken/.exec(row)?.[0])
  const broken = { id: "broken", vector: () => expect.unreachable() }
  await learn(openStore(path), "a", [add("One")])
  await learn(openStore(path, { embed: broken }), "b", [add("Two")])
  expect(models()).toEqual([undefined, undefined])
  await learn(openStore(path, { embed: wordEmbedder }), "c", [])
  expect(models()).toEqual(["words-1", "words-1"])
  const version = await openStore(path).version("p-one")
  await learn(openStore(path, { embed: { ...wordEmbedder, id: "words-2" } }), "d", [add("Three")])
  expect(models()).toEqual(["words-2", "words-2", "words-2"])
  expect(await openStore(path).version("p-one")).toBe(version + 1)
})

test("vectors of two models are never compared: words decide where a vector of this one is missing", async () => {
  const path = newStorePath()
  await learn(openStore(path, { embed: wordEmbedder }), "a", [add("moss and owl")])
  const opposite = { id: "opposite", vector: (text: string) => wordEmbedder.vector(text).map((value) => -value) }
  const [near] = await openStore(path, { embed: opposite }).nearest({
    project: "p-one",
    text: "moss and owl",
    now: minute(31),
    limit: 1,
  })
  expect(near?.similarity).toBe(1)
})

test("two stores on one file see each other's work at once", async () => {
  const path = newStorePath()
  const [one, other] = [openStore(path), openStore(path)]
  const id = await learnOne(one, "a", add("One"))
  expect(await other.find(id)).toHaveLength(1)
  await other.recordTask(testTask("t-1", { memories: [handedOut(id)] }))
  expect((await one.find(id))[0]?.metrics.useCount).toBe(1)
  await one.close()
  expect(await one.find(id)).toHaveLength(1)
  expect(existsSync(path)).toBe(true)
})
