import { once } from "node:events"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { describe, expect, test } from "vitest"
import { dumpStore } from "../src/memories/test-store.ts"
import { type ClaudeSession, claudeSession } from "./claude-session.ts"
import { openSession, workForADay } from "./learning-history.ts"
import { type LearningPlace, learningPlace, operations, say, useModel } from "./learning-place.ts"
import { startCli } from "./run-cli.ts"

const start = "2026-03-01T09:00:00.000Z"
const later = "2026-03-02T09:00:00.000Z"

async function taught(words = "we use pnpm here, not npm"): Promise<LearningPlace> {
  const it = learningPlace()
  say(it, words, { start })
  await (await it.learning({ at: later })).ingest()
  return it
}

describe("schema", () => {
  test("a database of a later version is not changed, and the error says so", async () => {
    const it = await taught()
    it.change("PRAGMA user_version = 999")
    for (const args of [["ingest"], ["status"], ["evaluate"], ["why", "m:000000"]]) {
      const { code, stderr } = await it.run(...args)
      expect(code).toBe(2)
      expect(stderr).toMatch(/drey\.db was written by a later version of Drey/)
      expect(stderr).not.toContain("    at ")
    }
    expect(it.rows("PRAGMA user_version")).toEqual([{ user_version: 999 }])
  })

  const wrong = {
    "a kind that does not exist": "UPDATE memories SET kind = 'rumour'",
    "a tier that does not exist": "UPDATE memories SET tier = 'forever'",
    "a state that does not exist": "UPDATE memories SET status = 'asleep'",
    "a polarity of 0": "UPDATE memories SET polarity = 0",
    "a confidence above 1": "UPDATE memories SET confidence = 1.5",
    "a guard that recommends": "UPDATE memories SET kind = 'guard', polarity = 1",
    "a path for a memory of the whole project": "UPDATE memories SET path_prefix = 'src'",
    "a part of the project without a path": "UPDATE memories SET scope = 'repo_path'",
    "a path that leaves the repository": "UPDATE memories SET scope = 'repo_path', path_prefix = '../x'",
    "a global memory of one project": "UPDATE memories SET scope = 'global'",
    "a source of evidence that does not exist": "UPDATE evidence SET source = 'a dream'",
    "a reason to close that does not exist": "UPDATE episodes SET flush_reason = 'boredom'",
    "evidence for no memory": "UPDATE evidence SET memory_id = 'm-0000000000000000'",
  }
  test.each(Object.entries(wrong))("%s is refused by the database itself", async (_what, sql) => {
    const it = await taught()
    expect(() => it.change(sql)).toThrow(/constraint/i)
  })
})

describe("transcripts", () => {
  test("two processes that ingest the same transcripts at the same time leave what one would", async () => {
    const it = learningPlace()
    for (const day of [1, 2, 3]) workForADay(openSession(it.home, it.root, day), day)
    const both = await Promise.all([it.run("ingest"), it.run("ingest"), it.run("ingest")])
    expect(both.map(({ code }) => code)).toEqual([0, 0, 0])
    const alone = it.open({ dreyHome: join(it.home, "alone") })
    await alone.memories.ingest()
    expect(dumpStore(it.database)).toEqual(dumpStore(join(it.home, "alone", "drey.db")))
  })

  test("every recorded transcript is read, record by record, with none unknown", async () => {
    const folder = join(import.meta.dirname, "fixtures", "transcripts")
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
    const files = names.filter((name) => /(?:rollout|session|events|[0-9a-f-]{36})[^/]*\.jsonl$/.test(name))
    expect(files.length).toBeGreaterThan(3)
    for (const file of files) {
      const read = await (await learningPlace().learning()).ingest({ files: [join(folder, file)] })
      expect(read, file).toMatchObject({ unreadable: [] })
      expect(read.records, file).toBeGreaterThan(0)
    }
  })
})

describe("what closes an episode", () => {
  const command = (name: string) =>
    `<command-name>/${name}</command-name>\n<command-message>${name}</command-message>\n<command-args></command-args>`
  const endings: Record<string, (session: ClaudeSession) => void> = {
    task_boundary: (session) => {
      session.user("Now something else: write the manual for the scheduler")
      session.edit("docs/scheduler.md")
    },
    resolved: (session) => {
      session.run("make report", "make: *** [report] Error 2", 2)
      session.user("how many times do I have to tell you? it's still broken!!")
      session.edit("Makefile")
      session.run("make report", "done")
      session.user("also show the date")
    },
    session_end: (session) => session.user(command("exit")),
    size: (session) => {
      for (let step = 0; step < 520; step++) session.run(`make step${step}`, "done")
    },
  }

  test.each(Object.entries(endings))("%s", async (reason, end) => {
    const it = learningPlace()
    const session = claudeSession(it.home, { cwd: it.root, session: "s", start })
    session.user("Build the report")
    session.edit("src/report.ts")
    session.run("make report", "done")
    end(session)
    expect((await (await it.learning({ at: start })).ingest()).flushed).toEqual({ [reason]: 1 })
    const isInTheMiddle = reason === "resolved" || reason === "size"
    await (await it.learning({ at: later })).ingest()
    const [first, second] = it.rows<{ episode_id: string; continuation_of: string | null }>(
      "SELECT episode_id, continuation_of FROM episodes ORDER BY ordinal",
    )
    expect(first?.continuation_of).toBeNull()
    if (second) expect(second.continuation_of).toBe(isInTheMiddle ? first?.episode_id : null)
  })

  test("idle: the last task, after ten minutes and not before", async () => {
    const it = learningPlace()
    say(it, "we use pnpm here, not npm", { start }) // its last record is from 09:01:00
    expect((await (await it.learning({ at: "2026-03-01T09:10:30Z" })).ingest()).flushed).toEqual({})
    expect((await (await it.learning({ at: "2026-03-01T09:11:30Z" })).ingest()).flushed).toEqual({ idle: 1 })
  })

  test("explicit: flush, and a second one does nothing", async () => {
    const it = learningPlace()
    say(it, "we use pnpm here, not npm", { start: new Date().toISOString() })
    expect(await it.runJson("flush")).toMatchObject({ episodes: 1, learned: { episodes: 1 } })
    const before = dumpStore(it.database)
    expect(await it.runJson("flush")).toMatchObject({ episodes: 0, learned: { episodes: 0 } })
    expect(dumpStore(it.database)).toEqual(before)
    expect(it.rows("SELECT flush_reason FROM episodes")).toEqual([{ flush_reason: "explicit" }])
  })

  test("shutdown: a watch that ends", async () => {
    const it = learningPlace()
    say(it, "we use pnpm here, not npm", { start: new Date().toISOString() })
    const child = startCli(["watch", "--every", "1"], { cwd: it.root, env: it.env })
    await createInterface({ input: child.stderr })[Symbol.asyncIterator]().next()
    await expect.poll(() => it.rows("SELECT 1 FROM open_tasks"), { timeout: 20_000 }).toHaveLength(1)
    child.kill("SIGINT")
    expect(await once(child, "close")).toEqual([0, null])
    expect(it.rows("SELECT flush_reason FROM episodes")).toEqual([{ flush_reason: "shutdown" }])
    expect(it.rows("SELECT text FROM memories")).toHaveLength(1)
  })
})

describe("writer", () => {
  test("is called once for each episode that may teach something", async () => {
    const it = learningPlace()
    const model = await useModel(it, operations(), operations(), operations())
    say(it, "no, the total goes below the table", { session: "one", start })
    say(it, "thanks", { session: "two", start })
    const reading = claudeSession(it.home, { cwd: it.root, session: "three", start })
    reading.user("What does the table do?")
    reading.use("Read", { file_path: join(it.root, "src/table.ts") }, "     1\texport {}")
    reading.assistant("It shows rows.")
    const { learned } = await (await it.learning({ at: later })).ingest()
    expect(learned.episodes).toBe(3)
    expect(learned.skipped).toHaveLength(1)
    expect(model.requests).toHaveLength(2)
    await (await it.learning({ at: later })).ingest()
    expect(model.requests).toHaveLength(2)
  })

  test("an answer that is not JSON is requested again; then the episode waits and is retried", async () => {
    const it = learningPlace()
    const model = await useModel(
      it,
      { text: "I would rather talk about it." },
      { text: "{ops: maybe}" },
      operations({ text: "Install packages with pnpm." }),
    )
    say(it, "we install packages with pnpm", { start })
    const learning = await it.learning({ at: later })
    expect((await learning.ingest()).learned).toMatchObject({ postponed: [expect.anything()], outcomes: [] })
    expect(model.requests).toHaveLength(2)
    expect(await learning.list()).toEqual([])
    expect((await learning.ingest()).learned).toMatchObject({ postponed: [], outcomes: [{ kind: "added" }] })
    expect(model.requests).toHaveLength(3)
  })

  test("an episode that fails five times is parked, and retried on demand", async () => {
    const it = learningPlace()
    const refusals = Array.from({ length: 10 }, () => ({ text: "no" }))
    const model = await useModel(it, ...refusals, operations({ text: "Install packages with pnpm." }))
    say(it, "we install packages with pnpm", { start })
    const learning = await it.learning({ at: later })
    for (let attempt = 0; attempt < 7; attempt++) await learning.ingest()
    expect(model.requests).toHaveLength(10)
    expect((await learning.status()).counts.episodes).toMatchObject({ parked: 1, processed: 0 })
    await learning.ingest({ parked: true })
    expect((await learning.list()).map(({ text }) => text)).toEqual(["Install packages with pnpm."])
  })
})
