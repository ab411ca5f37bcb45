import { expect, test } from "vitest"
import { testMemory } from "../upkeep/test-memory.ts"
import { newMemories } from "./new-memories.ts"

test("after twenty new memories the rest is counted, with the command that lists them all", async () => {
  const outcomes = Array.from({ length: 23 }, (_, at) => ({ kind: "added" as const, id: `m-${1000 + at}` }))
  const lines = await newMemories({ find: async (id) => [testMemory(id)] }, outcomes)
  expect(lines).toHaveLength(21)
  expect(lines[20]).toContain("and 3 more: drey status --all")
  expect(await newMemories({ find: async (id) => [testMemory(id)] }, outcomes.slice(0, 20))).toHaveLength(20)
})
