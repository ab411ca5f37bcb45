import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { dumpStore } from "./dump-store.ts"
import type { LearnedStore } from "./learned-store.ts"
import { sqliteStore } from "./sqlite-store.ts"
import { testStore } from "./store-contract.ts"
import { add, learn, learnOne, minute, newStorePath, wordEmbedder } from "./test-store.ts"

function openStore(path = newStorePath(), options: Parameters<typeof sqliteStore>[1] = {}): LearnedStore {
  const store = sqliteStore(path, options)
  onTestFinished(() => store.close())
  return store
}

const paths = new WeakMap<LearnedStore, string>()

testStore("sqlite", async ({ beside, ...options } = {}) => {
  const path = (beside && paths.get(beside)) ?? newStorePath()
  const store = openStore(path, { maxAttempts: 3, baselineWindow: 4, ...options })
  paths.set(store, path)
  return store
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

test("a store that was closed can be asked again", async () => {
  const path = newStorePath()
  const store = openStore(path)
  const id = await learnOne(store, "a", add("One"))
  await store.close()
  expect(await store.find(id)).toHaveLength(1)
})
