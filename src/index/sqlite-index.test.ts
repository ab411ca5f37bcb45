import { expect, onTestFinished, test } from "vitest"
import { testIndex } from "./index-contract.ts"
import { sqliteIndex } from "./sqlite-index.ts"
import { newIndexPath } from "./test-index-path.ts"
import { testEmbedder, testItem } from "./test-items.ts"

testIndex("sqlite", async () => {
  const index = await sqliteIndex(newIndexPath(), { embedder: testEmbedder, minilm: "deep-1" })
  onTestFinished(() => index.close())
  return index
})

test("what was read before another process wrote is read again", async () => {
  const path = newIndexPath()
  const [writer, reader] = [await sqliteIndex(path), await sqliteIndex(path)]
  onTestFinished(async () => {
    await writer.close()
    await reader.close()
  })
  const write = (stamp: string, text: string, id = "a") =>
    writer.update([{ key: "decisions.md", stamp, items: [testItem(id, { text })] }])
  const look = async () => {
    const found = await reader.find({ text: "moss fern", vectors: [], filter: {}, limit: 5, now: 0 })
    const rows = found.candidates.map(({ row }) => row)
    const texts = [...(await reader.rows(rows)), ...(await reader.select({}, { now: 0 }))].map(({ text }) => text)
    return { ids: found.candidates.map(({ id }) => id), texts }
  }
  await write("1", "moss")
  expect(await look()).toEqual({ ids: ["a"], texts: ["moss", "moss"] })
  expect(await look()).toEqual({ ids: ["a"], texts: ["moss", "moss"] })
  await write("2", "fern")
  expect(await look()).toEqual({ ids: ["a"], texts: ["fern", "fern"] })
  await write("3", "fern", "b")
  expect(await look()).toEqual({ ids: ["b"], texts: ["fern", "fern"] })
})
