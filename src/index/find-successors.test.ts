import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import type { Item } from "./index-store.ts"
import { sqliteIndex } from "./sqlite-index.ts"

function decision(id: string, title: string, supersedes: string[] = []): Item {
  return {
    id,
    source: "decisions",
    type: "decision",
    class: "LOCAL",
    load: "ON-DEMAND",
    title,
    text: "",
    tags: [],
    author: "",
    contributors: [],
    agent: undefined,
    scope: "team",
    pathPrefix: undefined,
    path: "decisions.md",
    line: 1,
    at: undefined,
    expires: undefined,
    governed: true,
    supersedes,
    supersededBy: [],
    payload: "",
  }
}

test("the replacement of an item is found with it, over two steps and in other words", async () => {
  const index = await sqliteIndex(join(makeRepository({}), "index.db"))
  const items = [
    decision("old", "Indent with tabs"),
    decision("middle", "Two blanks", ["old"]),
    decision("new", "The formatter decides", ["middle"]),
    decision("other", "Logs go to stderr"),
  ]
  await index.update([{ key: "decisions.md", stamp: "1", items }])
  const find = async (superseded: boolean) => {
    const request = { text: "indent tabs", vectors: [], filter: { superseded }, limit: 10, now: 0 }
    return (await index.find(request)).candidates.map(({ id }) => id).sort()
  }
  expect(await find(true)).toEqual(["middle", "new", "old"])
  expect(await find(false)).toEqual([])
  await index.close()
})
