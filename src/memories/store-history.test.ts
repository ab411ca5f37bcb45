import fc from "fast-check"
import { expect, onTestFinished, test } from "vitest"
import { openDatabase } from "../disk/sqlite.ts"
import { memoryIdOf } from "./commit.ts"
import type { LearnedStore } from "./learned-store.ts"
import { rebuildMetrics } from "./memory-rows.ts"
import { sqliteStore } from "./sqlite-store.ts"
import { runSteps } from "./steps.ts"
import {
  add,
  dumpStore,
  end,
  handedOut,
  minute,
  newStorePath,
  nothingSettled,
  settledUse,
  testCommit,
  testEpisode,
  testEvent,
  testIntake,
  testTask,
  update,
  wordEmbedder,
} from "./test-store.ts"
import type { Operation } from "./writer.ts"

/** Each run is a history of some ten steps. */
const numRuns = Math.ceil(Number(process.env.DREY_PROPERTY_RUNS ?? 2_000) / 100)

const texts = [
  "Run the tests with the database container up and migrated",
  "Run the tests with the database container up, migrated and seeded",
  "Use pnpm, not npm",
  "Use npm, not pnpm",
  "Deploys go out on Tuesdays",
]
const names = ["a", "b", "c", "d", "e"]
const firstMemory = (name: string) => memoryIdOf(testEpisode(name).id, 0)

const given = fc.record({
  kind: fc.constantFrom("pattern" as const, "invariant" as const, "guard" as const),
  polarity: fc.constantFrom(1 as const, -1 as const),
  scope: fc.constantFrom("project" as const, "global" as const),
  confidence: fc.constantFrom(0.3, 0.5, 0.9),
  evidence: fc.record({
    source: fc.constantFrom("explicit_statement" as const, "pattern_observed" as const),
    frustration: fc.constant("none" as const),
  }),
})
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.tuple(fc.constantFrom(...texts), given).map(([text, more]) => add(text, more)),
  fc
    .tuple(fc.constantFrom(...texts), given)
    .map(([text, more]) => add(text, { ...more, key: "project.package_manager" })),
  fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(...texts), given)
    .map(([name, text, more]) => update(firstMemory(name), text, more)),
  fc.constantFrom(...names).map((name) => end(firstMemory(name))),
)

/** One step of the work on one episode: everything is derived from it, so that it can be repeated at any time. */
type Step = {
  name: string
  operations: Operation[] | undefined
  injected: boolean
  outcome: "hit" | "miss" | "none"
  memory: string
}

const steps: fc.Arbitrary<Step[]> = fc.tuple(
  ...names.map((name) =>
    fc.record({
      name: fc.constant(name),
      operations: fc.option(fc.array(operation, { minLength: 1, maxLength: 3 }), { nil: undefined, freq: 5 }),
      injected: fc.boolean(),
      outcome: fc.constantFrom("hit" as const, "miss" as const, "none" as const),
      memory: fc.constantFrom(...names),
    }),
  ),
)

async function take(store: LearnedStore, { name, operations, injected, outcome, memory }: Step): Promise<void> {
  const at = names.indexOf(name)
  const [start, end] = [minute(at * 60), minute(at * 60 + 30)]
  const episode = testEpisode(name, {
    start,
    end,
    errors: at,
    events: [testEvent({ id: name, ts: start, contexts: [`t-${name}`] })],
  })
  const target = firstMemory(memory)
  const memories = [handedOut(target, injected)]
  await store.takeIn(testIntake({ read: { seen: [name] }, episodes: [episode] }))
  const stored = await store.episode(episode.id)
  if (!stored?.processed) await store.recordTask(testTask(`t-${name}`, { session: name, ts: start, memories }))
  const [use] = (await store.tasksOf(episode)).flatMap(({ uses }) => uses)
  const settlement = use
    ? {
        injected,
        uses: [
          settledUse(target, use.task, {
            exposed: true,
            hit: outcome === "hit",
            miss: outcome === "miss",
            regretSaved: 0.1,
          }),
        ],
      }
    : nothingSettled
  if (operations) await store.commit(testCommit(name, operations, { settlement, now: end }))
  else await store.skip(episode.id, "nothing in it", settlement, end)
}

async function run(history: Step[], repeats: number[]): Promise<string[]> {
  const path = newStorePath()
  const store = sqliteStore(path, { embed: wordEmbedder })
  onTestFinished(() => store.close())
  for (const [at, step] of history.entries()) {
    await take(store, step)
    for (const repeat of repeats) if (repeat <= at) await take(store, history[repeat] as Step)
  }
  await store.close()
  return dumpStore(path)
}

test("whatever is repeated, and whenever, the rows are the same", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.array(fc.nat(names.length - 1), { maxLength: 4 }), async (history, repeats) => {
      expect(await run(history, repeats)).toEqual(await run(history, []))
    }),
    { numRuns },
  )
})

test("after any history, the sums match the record of uses, and at most one fact has a key", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const path = newStorePath()
      const store = sqliteStore(path, { embed: wordEmbedder })
      for (const step of history) await take(store, step)
      const facts = (
        await store.memories({ statuses: ["provisional", "active"], kinds: ["invariant", "preference"] })
      ).filter(({ key }) => key)
      const places = facts.map(({ project, key }) => `${project} ${key}`)
      expect(new Set(places).size).toBe(places.length)
      for (const memory of await store.memories({})) {
        const [from] = memory.derivedFrom === undefined ? [] : await store.find(memory.derivedFrom)
        if (from) expect(memory.trust).toBeLessThanOrEqual(from.trust)
      }
      await store.close()
      const before = dumpStore(path)
      const database = openDatabase(path)
      runSteps(database, rebuildMetrics())
      database.close()
      expect(dumpStore(path)).toEqual(before)
    }),
    { numRuns },
  )
})
