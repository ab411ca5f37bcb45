import fc from "fast-check"
import { expect, onTestFinished, test } from "vitest"
import { openDatabase } from "../disk/sqlite.ts"
import type { IndexStore, Item, OriginItems } from "./index-store.ts"
import { sqliteIndex } from "./sqlite-index.ts"
import { newIndexPath } from "./test-index-path.ts"
import { testEmbedder, testItem } from "./test-items.ts"

/** Each run is a sequence of edits; all of them together are about this many. */
const numRuns = Math.ceil(Number(process.env.DREY_PROPERTY_RUNS ?? 2_000) / 10)

const ids = ["a", "b", "c", "d", "e"]
const words = fc.array(fc.constantFrom("moss", "owl", "buildContext", "v1.2.3", "the", "река", "日本語"), {
  maxLength: 4,
})
const item = fc
  .record({
    id: fc.constantFrom(...ids),
    title: words.map((list) => list.join(" ")),
    text: words.map((list) => list.join("\n\n")),
    tags: fc.subarray(["tag", "other"]),
    agent: fc.constantFrom(undefined, "kane"),
    at: fc.constantFrom(undefined, 0, 1000, 2000),
    dayOnly: fc.boolean(),
    line: fc.integer({ min: 1, max: 3 }),
    supersedes: fc.subarray([...ids, "1970-01-01T00:00:01Z"], { maxLength: 1 }),
    supersededBy: fc.subarray(ids, { maxLength: 1 }),
    payload: fc.constantFrom("{}", "[]"),
  })
  .map(({ id, ...given }) => testItem(id, given))

type Edit = { changed: Map<string, Item[]>; gone: string[]; embeds: boolean }

const key = fc.constantFrom("one.md", "two.md", "three.md")
const edit: fc.Arbitrary<Edit> = fc.record({
  changed: fc.array(fc.tuple(key, fc.array(item, { maxLength: 6 })), { maxLength: 2 }).map((pairs) => new Map(pairs)),
  gone: fc.array(key, { maxLength: 1 }),
  embeds: fc.boolean(),
})

test("an index grown edit by edit is rebuilt to the same content and the same answers", async () => {
  const path = newIndexPath()
  const grown = await sqliteIndex(path, { embedder: testEmbedder })
  const withoutVectors = await sqliteIndex(path)
  onTestFinished(async () => {
    for (const index of [grown, withoutVectors]) await index.close()
  })
  let stamp = 0

  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 20 }), async (edits) => {
      const state = new Map<string, OriginItems>()
      await grown.rebuild([])
      for (const { changed, gone, embeds } of edits) {
        const updates = [...changed].map(([name, items]) => ({ key: name, stamp: String(++stamp), items }))
        for (const update of updates) state.set(update.key, update)
        const dropped = gone.filter((name) => !changed.has(name))
        for (const name of dropped) state.delete(name)
        await (embeds ? grown : withoutVectors).update(updates, dropped)
      }
      await grown.update([])
      const [content, found] = [await grown.dump(), await foundBy(grown)]
      await grown.rebuild([...state.values()]) // aliases stay: no file could give them back
      expect(await grown.dump()).toEqual(content)
      expect(await foundBy(grown)).toEqual(found)
    }),
    { numRuns },
  )
})

test("many items written at once into an empty index give the same as written in parts", async () => {
  const items = Array.from({ length: 700 }, (_, number) =>
    testItem(`item-${number}`, { text: `Moss and owl ${number}`, at: number, supersedes: [`item-${number - 300}`] }),
  )
  const path = newIndexPath()
  const [whole, parts] = [await sqliteIndex(path), await sqliteIndex(newIndexPath())]
  onTestFinished(async () => {
    for (const index of [whole, parts]) await index.close()
  })
  await whole.update([{ key: "one.md", stamp: "1", items }])
  for (const count of [1, 300, 700])
    await parts.update([{ key: "one.md", stamp: "1".repeat(count), items: items.slice(0, count) }])
  await parts.restamp([{ key: "one.md", stamp: "1" }], await parts.origins())
  expect(await whole.dump()).toEqual(await parts.dump())

  const database = openDatabase(path)
  onTestFinished(() => database.close())
  const plan = database
    .prepare<{ detail: string }>("EXPLAIN QUERY PLAN SELECT row FROM items WHERE id = ?")
    .all("item-1")
  expect(plan.map(({ detail }) => detail).join()).toContain("items_id")
})

async function foundBy(index: IndexStore): Promise<unknown> {
  const vector = testEmbedder.embed(["moss owl"])[0] as Float32Array
  const request = {
    text: "moss buildContext 日本語",
    filter: { agent: "*", superseded: true as const },
    limit: 40,
    now: 0,
  }
  const { candidates, terms, items } = await index.find({ ...request, vectors: [{ model: "static", vector }] })
  const signals = candidates.map(({ row: _, ...rest }) => JSON.stringify(rest)).sort()
  return { signals, terms, items }
}
