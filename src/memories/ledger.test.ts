import { readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { build } from "esbuild"
import { expect, onTestFinished, test } from "vitest"
import { openLedger } from "./ledger.ts"
import { sqliteStore } from "./sqlite-store.ts"
import { add, handedOut, learnOne, newStorePath, testTask } from "./test-store.ts"

test("there is no ledger before something was learned, and opening it creates nothing", () => {
  expect(openLedger(newStorePath())).toBeUndefined()
})

test("the ledger writes into the same record as the store", async () => {
  const path = newStorePath()
  const store = sqliteStore(path)
  onTestFinished(() => store.close())
  const [one, other] = [await learnOne(store, "a", add("One")), await learnOne(store, "b", add("Two"))]
  const ledger = openLedger(path)
  expect(ledger?.version("p-one")).toBe(await store.version("p-one"))
  const task = testTask("t-1", { memories: [handedOut(one), handedOut(other, false)] })
  ledger?.recordTask(task)
  expect(await store.recordTask({ ...task, task: "t-2" })).toBe("t-1")
  expect(ledger?.useCounts([one, other, "m-unknown"])).toEqual(
    new Map([
      [one, 1],
      [other, 0],
    ]),
  )
  expect((await store.find(one))[0]?.metrics).toMatchObject({ useCount: 1, opportunities: 1 })
  ledger?.close()
})

test("a recorded use counts once, even if the process that stored it was killed before it could remove the record", async () => {
  const path = newStorePath()
  const store = sqliteStore(path)
  onTestFinished(() => store.close())
  const memory = await learnOne(store, "a", add("One"))
  const line = JSON.stringify(testTask("t-1", { memories: [handedOut(memory)] }))
  writeFileSync(`${path}-uses.jsonl`, `${line}\n`)
  writeFileSync(`${path}-uses-killed.jsonl`, `${line}\n{"task":"t-2"}\n{"task":"t-3","proj`)
  expect((await store.find(memory))[0]?.metrics).toMatchObject({ useCount: 1, opportunities: 1 })
  expect(readdirSync(dirname(path)).filter((name) => name.includes("uses"))).toEqual([])
})

test("processes that record uses while others count them lose none", async () => {
  const path = newStorePath()
  const [store, other] = [sqliteStore(path), sqliteStore(path)]
  onTestFinished(async () => {
    await store.close()
    await other.close()
  })
  const memory = await learnOne(store, "a", add("One"))
  const ledger = openLedger(path)
  for (let task = 0; task < 50; task++) {
    ledger?.recordTask(testTask(`t-${task}`, { taskHash: `h-${task}`, memories: [handedOut(memory)] }))
    if (task % 7 === 0) await Promise.all([store.find(memory), other.find(memory)])
  }
  expect((await other.find(memory))[0]?.metrics).toMatchObject({ useCount: 50 })
  ledger?.close()
})

test("a cold process that only needs the ledger loads no learning, migration or purge code", async () => {
  const { metafile } = await build({
    entryPoints: [join(import.meta.dirname, "ledger.ts")],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    external: ["@photostructure/sqlite"],
  })
  const names = Object.keys(metafile.inputs).map((path) => path.replace(/.*src\//, ""))
  expect(names).toContain("memories/ledger.ts")
  expect(names.filter((name) => /^learning\/|migration|forget|purge/.test(name))).toEqual([])
})
