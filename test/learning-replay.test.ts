import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import type { Drey } from "../src/drey.ts"
import { dumpStore } from "../src/memories/test-store.ts"
import { openSession, workForADay } from "./learning-history.ts"
import { type LearningPlace, learningPlace } from "./learning-place.ts"

const days = [1, 2, 3, 4, 5, 6]
/** Long after the last day: whatever was left open is idle. */
const afterwards = "2026-03-20T12:00:00.000Z"

/** The lines of a day's transcript with their times, and the file, which is empty again. */
function writeDay(it: LearningPlace, day: number, context?: string): { path: string; lines: string[] } {
  const session = openSession(it.home, it.root, day)
  workForADay(session, day, context)
  const lines = readFileSync(session.path, "utf8").split(/(?<=\n)/)
  truncateSync(session.path)
  return { path: session.path, lines }
}

const timeOf = (line: string) => new Date(JSON.parse(line).timestamp)

/**
 * Writes a day's transcript line by line with a look after each, at the time of that line, but not right after a long pause: what a
 * person says is two lines in some clients, and a read between them sees an idle task, which cannot be detected afterwards.
 */
async function live(it: { drey: Drey; clock: { now: Date } }, { path, lines }: { path: string; lines: string[] }) {
  const learning = it.drey.memories
  for (const line of lines) {
    appendFileSync(path, line)
    const wasIdle = timeOf(line).getTime() - it.clock.now.getTime() >= 10 * 60_000
    it.clock.now = timeOf(line)
    if (!wasIdle) await learning.ingest()
  }
}

/** Opens the same repository for the same person with another folder of Drey's own, at a time that the test moves. */
function openWith(it: LearningPlace, name: string): { drey: Drey; database: string; clock: { now: Date } } {
  const clock = { now: new Date(0) }
  const dreyHome = join(it.home, name)
  const drey = it.open({ now: () => clock.now, dreyHome })
  return { drey, database: join(dreyHome, "drey.db"), clock }
}

test("the same transcripts read line by line and read at once teach the same", async () => {
  const it = learningPlace()
  const watched = openWith(it, "watched")
  for (const day of days) await live(watched, writeDay(it, day))
  watched.clock.now = new Date(afterwards)
  await watched.drey.memories.ingest()

  const replayed = openWith(it, "replayed")
  replayed.clock.now = new Date(afterwards)
  const { episodes, learned } = await replayed.drey.memories.ingest()
  expect(episodes).toBeGreaterThan(days.length)
  expect(learned.outcomes.filter(({ kind }) => kind === "added").length).toBeGreaterThan(3)
  expect(dumpStore(replayed.database)).toEqual(dumpStore(watched.database))
})

test("half a line, then its rest, changes nothing and loses nothing", async () => {
  const it = learningPlace()
  const halves = openWith(it, "halves")
  const learning = halves.drey.memories
  const { path, lines } = writeDay(it, 4)
  for (const [at, line] of lines.entries()) {
    const cut = (at * 37) % line.length
    appendFileSync(path, line.slice(0, cut))
    await learning.ingest() // at the time of the line before
    appendFileSync(path, line.slice(cut))
    halves.clock.now = timeOf(line)
    await learning.ingest()
  }
  halves.clock.now = new Date(afterwards)
  await learning.ingest()
  const whole = openWith(it, "whole")
  whole.clock.now = new Date(afterwards)
  await whole.drey.memories.ingest()
  expect(dumpStore(halves.database)).toEqual(dumpStore(whole.database))
})

test("with contexts handed out on the way, reading often and reading once a day teach the same, hits and credit included", async () => {
  const it = learningPlace()
  const often = openWith(it, "often")
  const daily = openWith(it, "daily")
  const task = "Show the sum of all rows in the billing table, with pnpm and postgres"
  let handedOut = 0
  for (const day of days) {
    const morning = new Date(`2026-03-${String(day).padStart(2, "0")}T08:59:00Z`)
    const contexts = []
    for (const { drey, clock } of [often, daily]) {
      clock.now = morning
      await drey.memories.ingest() // yesterday's last task is idle by now
      contexts.push((await drey.context.build({ task })).context)
    }
    expect(contexts[1]).toEqual(contexts[0])
    handedOut += contexts[0]?.included.length ?? 0
    await live(often, writeDay(it, day, contexts[0]?.text || undefined))
  }
  expect(handedOut).toBeGreaterThan(3)
  for (const { drey, clock } of [often, daily]) {
    clock.now = new Date(afterwards)
    await drey.memories.ingest()
  }
  const rows = dumpStore(daily.database)
  expect(rows.some((row) => row.startsWith("memory_uses ") && /"(?:hit|miss)"/.test(row))).toBe(true)
  expect(dumpStore(often.database)).toEqual(rows)
})

test("a history of several clients is learned from in the order of the work, whatever the order of the files", async () => {
  const it = learningPlace()
  for (const day of days) {
    const { path, lines } = writeDay(it, day)
    writeFileSync(path, lines.join(""))
  }
  const all = openWith(it, "all")
  all.clock.now = new Date(afterwards)
  await all.drey.memories.ingest()
  const learned = dumpStore(all.database).filter((row) => row.startsWith("memory_audit "))
  const times = learned.map((row) => JSON.parse(row.slice("memory_audit ".length)))
  const byRow = times.sort((one, other) => Number(one[0]) - Number(other[0])).map((row) => row[2])
  expect(byRow).toEqual([...byRow].sort())
  expect(byRow.length).toBeGreaterThan(5)
})

test("a file that was replaced by a shorter one is read again, and what it repeats is not learned twice", async () => {
  const it = learningPlace()
  const { path, lines } = writeDay(it, 1)
  const { drey, database, clock } = openWith(it, "one")
  clock.now = new Date(afterwards)
  const learning = drey.memories
  writeFileSync(path, lines.join(""))
  const first = await learning.ingest()
  expect(first.episodes).toBeGreaterThan(0)
  const learned = () => dumpStore(database).filter((row) => !row.startsWith("ingest_positions "))
  const before = learned()
  const { size } = statSync(path)
  rmSync(path)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, lines.slice(0, -3).join(""))
  expect(statSync(path).size).toBeLessThan(size)
  expect(await learning.ingest()).toMatchObject({ records: lines.length - 3, events: expect.any(Number), episodes: 0 })
  expect(learned()).toEqual(before)
})

test("a resumed session whose file repeats the beginning of another adds only what is new", async () => {
  const it = learningPlace()
  const { path, lines } = writeDay(it, 1)
  const { drey, clock } = openWith(it, "one")
  clock.now = new Date("2026-03-01T09:00:00Z")
  const learning = drey.memories
  writeFileSync(path, lines.join(""))
  const whole = await learning.ingest()
  const copy = lines.map((line) => {
    const { sessionId, ...record } = JSON.parse(line)
    return `${JSON.stringify({ ...record, sessionId: "fork" })}\n`
  })
  writeFileSync(join(dirname(path), "fork.jsonl"), copy.join(""))
  const fork = await learning.ingest()
  expect(fork).toMatchObject({ records: whole.records, repeated: whole.events, episodes: 0 })
})
