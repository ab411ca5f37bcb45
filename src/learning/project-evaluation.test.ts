import { expect, onTestFinished, test } from "vitest"
import { builtInPolicy } from "../formats/policy.ts"
import type { LearnedStore } from "../memories/learned-store.ts"
import { testMemory } from "../memories/review/test-memory.ts"
import { sqliteStore } from "../memories/sqlite-store.ts"
import { newStorePath } from "../memories/test-store.ts"
import { evaluateProject } from "./project-evaluation.ts"

const now = "2026-03-02T09:00:00.000Z"

test("a project with very many memories is evaluated completely, in batches", async () => {
  const store = sqliteStore(newStorePath())
  onTestFinished(() => store.close())
  await store.registerProject("p-large", "/large")
  const expires = "2026-02-01T00:00:00.000Z"
  const ids = Array.from({ length: 2300 }, (_, at) => `m-${at.toString(16).padStart(16, "0")}`)
  const memories = ids.map((id) => testMemory(id, { project: "p-large", expires }))
  await store.importMemories(memories, now)
  const atOnce: number[] = []
  const watched: LearnedStore = {
    ...store,
    async memories(filter) {
      const page = await store.memories(filter)
      atOnce.push(page.length)
      return page
    },
  }
  const project = { id: "p-large", root: "/large" }
  const evaluate = (dryRun: boolean) =>
    evaluateProject({ store: watched, policyFor: () => builtInPolicy }, project, { now, dryRun })
  expect((await evaluate(true)).decisions).toHaveLength(2300)
  expect(await store.sinceEvaluation("p-large")).toMatchObject({ at: undefined })
  expect((await evaluate(false)).decisions.map(({ memory }) => memory)).toEqual(ids)
  expect(await store.sinceEvaluation("p-large")).toMatchObject({ at: now })
  expect(await store.memories({ statuses: ["provisional", "active"] })).toEqual([])
  expect(atOnce).toEqual([1000, 1000, 300, 1000, 1000, 300])
})
