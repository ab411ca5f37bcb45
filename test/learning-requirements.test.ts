import { appendFileSync, mkdirSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { learningPlace, operations, say, useModel } from "./learning-place.ts"
import { makeRepository, runGit } from "./run-cli.ts"

const start = "2026-03-01T09:00:00.000Z"
const later = "2026-03-02T09:00:00.000Z"

test("the writer is given what is known, under small numbers", async () => {
  const it = learningPlace()
  const model = await useModel(
    it,
    operations({ text: "Install packages with pnpm." }),
    operations({ op: "UPDATE", target_memory_id: 1, text: "Install packages with pnpm, never with npm." }),
  )
  const learning = await it.learning({ at: "2026-03-03T09:00:00Z" })
  say(it, "we install packages with pnpm", { session: "one", start })
  await learning.ingest()
  const [known] = await learning.list()
  say(it, "we install packages with pnpm, never with npm", { session: "two", start: later })
  await learning.ingest()
  const prompt = JSON.stringify(model.requests[1]?.body)
  expect(prompt).toContain("Install packages with pnpm.")
  expect(prompt).not.toContain(known?.id)
  const [memory, ...others] = await learning.list({ statuses: ["provisional"] })
  expect([memory?.text, others]).toEqual(["Install packages with pnpm, never with npm.", []])
  expect((await learning.find(known?.id ?? ""))[0]?.status).toBe("deprecated")
})

test("memory, evidence and vector are in the project the work was done in", async () => {
  const shop = learningPlace()
  const bank = learningPlace({ home: shop.home })
  say(shop, "we use pnpm here, not npm", { session: "shop" })
  say(bank, "we use poetry here, not pip", { session: "bank" })
  await bank.runJson("ingest")
  await shop.runJson("ingest", "--all-projects")
  const { id } = await (await shop.learning()).project()
  const memories = shop.rows<{ project_id: string; text: string; embedding_dims: number }>(
    `SELECT m.project_id, text, embedding_dims, e.project_id AS evidence_project FROM memories m
     JOIN evidence e USING (memory_id) JOIN episodes USING (episode_id) ORDER BY text`,
  )
  expect(memories).toEqual([
    expect.objectContaining({ text: expect.stringContaining("pnpm"), project_id: id, evidence_project: id }),
    expect.objectContaining({
      text: expect.stringContaining("poetry"),
      project_id: (await (await bank.learning()).project()).id,
    }),
  ])
  expect(memories.every(({ embedding_dims }) => embedding_dims > 0)).toBe(true)
})

test("a context depends on the task and never exceeds its budget", async () => {
  const it = learningPlace()
  say(it, "Always format dates with luxon in the calendar", { session: "one" })
  say(it, "Never mock the payment gateway in tests", { session: "two" })
  await it.runJson("ingest")
  const drey = it.open()
  const handed = async (task: string, budget = 2000) => (await drey.context.build({ task, budget })).context
  const [calendar, payment] = [
    await handed("Format the dates in the calendar"),
    await handed("Test the payment gateway"),
  ]
  expect([calendar.text.includes("luxon"), payment.text.includes("luxon")]).toEqual([true, false])
  expect([calendar.text.includes("gateway"), payment.text.includes("gateway")]).toEqual([false, true])
  for (let budget = 1; budget <= calendar.tokens + 1; budget += 7) {
    const { tokens, text } = await handed("Format the dates in the calendar", budget)
    expect(tokens).toBeLessThanOrEqual(budget)
    expect(text === "" || text.includes("</drey-context>")).toBe(true)
  }
})

test("an expired memory is not handed out, an hour before expiry it is", async () => {
  const it = learningPlace()
  const said = "remember that the staging deploy needs the flag --slow"
  const text = "The staging deploy needs the flag --slow."
  await useModel(it, operations({ kind: "note", tier: "short_term", text, ttl_days: 10, quote: said }))
  say(it, said, { start })
  await (await it.learning({ at: later })).ingest()
  const handed = async (at: string) =>
    (await it.open({ at }).context.build({ task: "Deploy to staging" })).context.included
  const [{ expires_at: end } = { expires_at: "" }] = it.rows<{ expires_at: string }>("SELECT expires_at FROM memories")
  expect(end.slice(0, 10)).toBe("2026-03-11")
  expect(await handed(new Date(Date.parse(end) - 3_600_000).toISOString())).toHaveLength(1)
  expect(await handed(new Date(Date.parse(end) + 1000).toISOString())).toEqual([])
})

test("a memory that is relevant to a task but does not fit has an opportunity and no use", async () => {
  const it = learningPlace()
  const words = [
    "with luxon",
    "in UTC",
    "as ISO 8601 text",
    "with the week beginning on Monday",
    "in the user's language",
  ]
  for (const [at, word] of words.entries())
    say(it, `Always format dates ${word} in the calendar`, { session: `s${at}` })
  await it.runJson("ingest")
  const drey = it.open()
  const { context } = await drey.context.build({ task: "Format the dates in the calendar", budget: 150 })
  const handedOut = context.included.map(({ id }) => id)
  const memories = await drey.memories.list()
  expect(memories).toHaveLength(words.length)
  expect(handedOut).not.toEqual([])
  expect(handedOut.length).toBeLessThan(words.length)
  for (const { id, metrics } of memories)
    expect(metrics).toMatchObject(
      handedOut.includes(id)
        ? { opportunities: 1, useCount: 1, passedOver: 0 }
        : { opportunities: 1, useCount: 0, passedOver: 1 },
    )
})

test("similarity is the cosine: vectors have length 1, and the nearest is the most similar", async () => {
  const it = learningPlace()
  say(it, "Always format dates with luxon", { session: "one" })
  say(it, "Never mock the payment gateway in tests", { session: "two" })
  await it.runJson("ingest")
  const vectors = it.rows<{ embedding: Uint8Array }>("SELECT embedding FROM memories")
  for (const { embedding } of vectors) expect(Math.hypot(...new Int8Array(embedding)) / 127).toBeGreaterThan(0.5)
  const nearest = async (query: string) =>
    (await it.runJson<{ title: string }[]>("search", query, "--source", "learned"))[0]?.title
  expect(await nearest("formatting of a date")).toContain("luxon")
  expect(await nearest("a fake for the gateway")).toContain("gateway")
})

test("what another project knows better does not crowd out what this one knows", async () => {
  const it = learningPlace()
  const other = learningPlace({ home: it.home })
  for (let at = 0; at < 25; at++)
    say(other, `Always deploy release ${at} to staging before noon`, { session: `o${at}` })
  say(it, "Always tag a release before you deploy it", { session: "own" })
  await other.runJson("ingest")
  await it.runJson("ingest")
  const { context } = await it.open().context.build({ task: "Deploy release 7 to staging before noon" })
  expect(context.text).toContain("tag a release")
  expect(context.text).not.toContain("before noon")
})

test("a corrected memory is found by its new words and no longer by the old", async () => {
  const it = learningPlace()
  say(it, "we use mysql here", { session: "one", start })
  const learning = await it.learning({ at: "2026-03-05T09:00:00Z" })
  await learning.ingest()
  expect((await it.run("search", "mysql", "--source", "learned")).code).toBe(0)
  say(it, "we use postgres here", { session: "two", start: later })
  await learning.ingest()
  const hits = async (word: string) => (await it.run("search", word, "--source", "learned", "--json")).stdout
  expect(JSON.parse(await hits("postgres"))).toHaveLength(1)
  expect(JSON.parse(await hits("mysql"))).toEqual([])
  expect(it.rows("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%vec0%'")).toEqual([])
})

test("the policy file has one name, for the user and for the project", async () => {
  const it = learningPlace({
    files: { ".squad/memory/memory_policy.toml": "[promotion.guard]\nmin_opportunities = 7\n" },
  })
  mkdirSync(it.env.DREY_HOME, { recursive: true })
  appendFileSync(
    join(it.env.DREY_HOME, "memory_policy.toml"),
    "[promotion]\nguard = { min_opportunities = 4, min_regret_hits = 9 }\n",
  )
  const { policy, files, warnings } = await it.runJson<{ policy: object; files: string[]; warnings: string[] }>(
    "policy",
  )
  expect(policy).toMatchObject({
    promotion: { guard: { min_opportunities: 7, min_use_ratio: 0.3, min_regret_hits: 9 } },
  })
  expect(files.map((path) => path.split("/").at(-1))).toEqual(["memory_policy.toml", "memory_policy.toml"])
  expect(warnings).toEqual([])
})

test("two folders of one name are two projects, two clones of one remote are one", async () => {
  const home = makeRepository({})
  const folders = ["a/shop", "b/shop", "c/other"].map((path) => join(realpathSync(home), path))
  for (const folder of folders) mkdirSync(join(folder, ".squad"), { recursive: true })
  const environment = { HOME: home, DREY_HOME: join(home, ".drey") }
  const idOf = async (root: string | undefined) => {
    const drey = openDrey({ root: root ?? "", environment })
    const { id } = await drey.memories.project()
    await drey.close()
    return id
  }
  expect(await idOf(folders[0])).not.toBe(await idOf(folders[1]))
  for (const [at, url] of ["git@github.com:acme/shop.git", "https://ines:x@github.com/acme/shop"].entries()) {
    runGit(folders[at * 2] ?? "", "init", "--quiet")
    runGit(folders[at * 2] ?? "", "remote", "add", "origin", url)
  }
  expect(await idOf(folders[0])).toBe(await idOf(folders[2]))
})

test("quotes and SQL in words, names and searches are only words", async () => {
  const it = learningPlace()
  const words = `Always escape ' and "quotes" and DROP TABLE memories -- in the importer`
  say(it, words, { session: "Robert'); DROP TABLE episodes;--" })
  await it.runJson("ingest")
  const learning = await it.learning()
  for (const name of ["'", '"', "') OR 1=1 --", "m-' UNION SELECT text FROM memories --", "%", "m-%", "m-_"])
    expect(await learning.find(name)).toEqual([])
  for (const query of ["importer' OR '1'='1", "importer%'; x", "importer*) NEAR("])
    expect((await it.run("search", query, "--source", "learned")).stdout).toContain("DROP TABLE memories")
  expect((await it.run("search", words, "--source", "learned")).stderr).not.toMatch(/SQL|syntax/)
  expect(it.rows("SELECT session_id FROM episodes")).toHaveLength(1)
})

test("a rule that only mentions a language or a tool replaces no other that mentions one", async () => {
  const it = learningPlace()
  say(it, "Always use single quotes in TypeScript files", { session: "one" })
  say(it, "Always use type hints in Python files", { session: "two" })
  say(it, "We use vitest for tests", { session: "three" })
  say(it, "Always run vitest with --coverage before a release", { session: "four" })
  await it.runJson("ingest")
  expect(it.rows("SELECT text FROM memories WHERE status = 'deprecated'")).toEqual([])
})
