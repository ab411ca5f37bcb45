import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { dumpStore } from "../src/memories/test-store.ts"
import { openSession, workForADay } from "./learning-history.ts"
import { type LearningPlace, learningPlace } from "./learning-place.ts"
import { makeRepository, readTree } from "./run-cli.ts"
import { startChild } from "./start-child.ts"

const kills = Number(process.env.DREY_KILLS ?? 8)
const days = [1, 2, 3, 4, 5, 6]
const clock = "2026-03-20T12:00:00.000Z"

/** A process that takes in everything there is, at a fixed time, and says when it begins, how far it is, and when it is done. */
const ingester = `
import { openDrey } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, "../dist/index.js")).href)}
const [root, home, dreyHome] = process.argv.slice(2)
const environment = { HOME: home, DREY_HOME: dreyHome, DREY_USER: "ines" }
const drey = openDrey({ root, environment, now: () => new Date("${clock}") })
const learning = drey.memories
console.log("begins")
await learning.ingest({ progress: (stage, done) => console.log(stage, done) })
console.log("done")
await drey.close()
`

/** One task proves a memory, and each is followed by a review: so that something is promoted and proposed on the way. */
const quickPolicy = `[promotion]
invariant = { min_opportunities = 1, min_use_ratio = 0, min_regret_hits = 0 }
[evaluate]
every_episodes = 1
`

/** Transcripts of some days; the first was learned from already, and the second shows the context that came of it. */
async function prepare(): Promise<LearningPlace> {
  const it = learningPlace({ home: makeRepository({ ".drey/memory_policy.toml": quickPolicy }) })
  workForADay(openSession(it.home, it.root, days[0] ?? 0), days[0] ?? 0)
  const drey = it.open({ now: () => new Date("2026-03-02T08:59:00Z") })
  await drey.memories.ingest()
  const { context } = await drey.context.build({ task: "Show the sum of all rows in the billing table, with pnpm" })
  expect(context.included).not.toEqual([])
  await drey.close()
  for (const day of days.slice(1)) workForADay(openSession(it.home, it.root, day), day, context.text)
  return it
}

test(
  "an ingest that is killed at any moment and then finished leaves the same as one that was not",
  async () => {
    const it = await prepare()
    const squad = join(it.root, ".squad")
    const script = join(makeRepository({ "child.mjs": ingester }), "child.mjs")
    const begun = makeRepository({})
    for (const [from, name] of [[it.env.DREY_HOME, "home"] as const, [squad, "squad"] as const])
      cpSync(from, join(begun, name), { recursive: true })
    const beginAnew = () => {
      rmSync(squad, { recursive: true })
      cpSync(join(begun, "squad"), squad, { recursive: true })
      const dreyHome = join(makeRepository({}), ".drey")
      cpSync(join(begun, "home"), dreyHome, { recursive: true })
      return dreyHome
    }
    const start = async (dreyHome: string) => {
      const child = startChild(script, it.root, it.home, dreyHome)
      expect(await child.nextLine(), child.errors()).toBe("begins")
      return child
    }
    const finish = async (dreyHome: string) => {
      const child = await start(dreyHome)
      const began = performance.now()
      let steps = 0
      while ((await child.nextLine()) !== undefined) steps++
      const stepMs = (performance.now() - began) / steps
      expect(await child.ended, child.errors()).toBe(0)
      return { steps, stepMs, database: dumpStore(join(dreyHome, "drey.db")), proposals: proposalsIn(squad) }
    }

    const whole = beginAnew()
    const { steps, stepMs, ...expected } = await finish(whole)
    expect(expected.database.filter((row) => row.startsWith("memories ")).length).toBeGreaterThan(3)
    expect(expected.database.filter((row) => row.startsWith("episodes ")).length).toBeGreaterThan(days.length)
    expect(Object.keys(expected.proposals)).not.toEqual([])
    expect(await finish(whole)).toMatchObject(expected)

    for (let killed = 0; killed < kills; ) {
      const dreyHome = beginAnew()
      for (let inARow = 1 + Math.floor(Math.random() * 4); inARow > 0; inARow--) {
        const child = await start(dreyHome)
        for (let left = Math.floor(Math.random() * steps); left > 0; left--) await child.nextLine()
        await pause(Math.random() * 2 * stepMs) // anywhere within the step, whatever it does
        child.process.kill("SIGKILL")
        if ((await child.ended) === "SIGKILL") killed++
      }
      const { database, proposals } = await finish(dreyHome)
      expect({ database, proposals }).toEqual(expected)
    }
  },
  60_000 + kills * 6_000,
)

/** The inbox, without leftovers of a killed write, which every reader skips. */
function proposalsIn(squad: string): Record<string, string> {
  const files = Object.entries(readTree(squad)).filter(([path]) => /^decisions\/inbox\/.+\.md$/.test(path))
  return Object.fromEntries(files)
}
