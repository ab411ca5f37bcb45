import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parseQuery } from "../src/formats/query.ts"
import { semEntry } from "./legacy-fixtures.ts"
import { writeFiles } from "./run-cli.ts"
import { openTeam } from "./team-store.ts"

const decisions = ".squad/decisions.md"
const archive = ".squad/decisions-archive.md"
const filler = "It was measured on three machines and reads well enough. ".repeat(18)

const decision = (title: string, options: Parameters<typeof semEntry>[3] = {}, second = 1, type = "decision") =>
  semEntry(`2026-01-05T09:00:${String(second).padStart(2, "0")}Z`, type, title, options)

/** So many entries of about a kilobyte. */
const many = (count: number, type: string, title: string, fields: string[] = []) =>
  Array.from({ length: count }, (_, at) =>
    semEntry(`2026-01-0${1 + (at % 9)}T1${at % 10}:00:${String(at).padStart(2, "0")}Z`, type, `${title} ${at}`, {
      fields,
      rationale: filler,
    }),
  ).join("\n")

test("an archived entry that is active comes for a task that it is relevant to, after those of decisions.md, and for no other", async () => {
  const { drey } = openTeam({
    [decisions]: `# Decisions\n\n${decision("Render invoices with headless Chromium")}`,
    [archive]: `# Archived Decisions\n\n${decision("Render invoices of archived customers with headless Chromium", {}, 2)}`,
  })
  const { context } = await drey.context.build({ task: "Render invoices of archived customers with headless Chromium" })
  expect(context.included.map(({ source }) => source)).toEqual(["decisions", "archive"])
  expect(context.text.indexOf("archived customers")).toBeGreaterThan(context.text.indexOf("Render invoices with"))
  const other = await drey.context.build({ task: "Translate the hymn of the astronauts" })
  expect(other.context.included.map(({ source }) => source)).toEqual(["decisions"])
  const pack = await drey.context.atStart({ client: "claude-code", session: "s", budget: 2000, told: [] })
  expect(pack.text).toContain("Render invoices with")
  expect(pack.text).not.toContain("archived customers")
})

test("search finds archived entries by default, superseded ones only on request", async () => {
  const { drey } = openTeam({
    [decisions]: `# Decisions\n\n${decision("Lanterns burn oil")}`,
    [archive]: `# Archived Decisions\n\n${decision("Lanterns hang in every hall", {}, 2)}\n${decision("Lanterns burn wax", { fields: ["**supersededBy:** 2026-01-05T09:00:01Z"] }, 3)}`,
  })
  const parsed = parseQuery("lanterns")
  if (parsed.kind !== "query") throw new Error("A word is a query.")
  const titles = async (all: boolean) =>
    (await drey.search.items({ query: parsed.query, all })).hits.map(({ title }) => title).sort()
  const active = ["Lanterns burn oil", "Lanterns hang in every hall"]
  expect(await titles(false)).toEqual(active)
  expect(await titles(true)).toEqual([active[0], "Lanterns burn wax", active[1]])
  const governed = async (all: boolean) =>
    (await drey.governed.search("lanterns", { all })).map(({ title }) => title).sort()
  expect(await governed(false)).toEqual(active)
  expect(await governed(true)).toHaveLength(3)
  const { context } = await drey.context.build({ task: "Lanterns burn wax" })
  expect(context.text).not.toContain("wax")
})

test("what `tidy` moves is found as before, and its output says so", async () => {
  const wanted = semEntry("2025-01-05T09:00:00Z", "decision", "Invoices are rendered by headless Chromium")
  const { root, drey } = openTeam({
    [decisions]: `# Decisions\n\n${wanted}\n${many(25, "decision", "Choice")}`,
  })
  const task = "Render the invoices with headless Chromium"
  const before = (await drey.context.build({ task, isLook: true })).context
  expect(before.text).toContain("Invoices are rendered by headless Chromium")
  const { actions } = await drey.team.tidy()
  expect(actions.map(({ description }) => description)).toEqual([
    expect.stringMatching(/^\d+ entries to \.squad\/decisions-archive\.md; still found by search and context$/),
  ])
  const moved = readFileSync(join(root, archive), "utf8")
  expect(moved).toContain("Invoices are rendered")
  expect((await drey.context.build({ task })).context.text).toContain("Invoices are rendered by headless Chromium")
})

test("superseded entries and notes are moved first, decisions and rules only while the file is too large", async () => {
  const superseded = decision("Use tabs", { fields: ["**supersededBy:** 2026-01-05T09:00:02Z"], rationale: filler })
  const successor = decision("Use spaces", { rationale: filler }, 2)
  const rules = many(8, "directive", "Rule")
  const { root, drey } = openTeam({
    [decisions]: `# Decisions\n\n${superseded}\n${successor}\n${rules}\n${many(8, "note", "Finished work")}\n${many(4, "decision", "Choice")}`,
  })
  await drey.team.archive()
  const first = readFileSync(join(root, archive), "utf8")
  expect(first).toContain("decision: Use tabs")
  expect(first).toContain("note: Finished work 0")
  expect(first).not.toMatch(/: directive: |decision: Choice|Use spaces/)
  writeFiles(root, { [decisions]: `# Decisions\n\n${rules}\n${many(12, "decision", "Choice")}` })
  await drey.team.archive()
  const second = readFileSync(join(root, archive), "utf8")
  expect(second).toMatch(/decision: Choice/)
  expect(second).not.toContain(": directive: ")
})

test("an entry past its review date is handed over and marked", async () => {
  const fields = ["**expires:** 2026-02-01T00:00:00Z"]
  const due = semEntry("2025-01-05T09:00:00Z", "decision", "Lanterns burn oil", { fields, details: filler })
  const { drey } = openTeam({ [decisions]: `# Decisions\n\n${due}` })
  const { context } = await drey.context.build({ task: "Which oil do lanterns burn?" })
  expect(context.text).toContain("Lanterns burn oil")
  expect(context.text).toContain("review due since 2026-02-01")
})

test("what `summarize` moves is recalled for its agent, and for no other", async () => {
  const history = `# Kane\n\n## Learnings\n\n${Array.from(
    { length: 40 },
    (_, at) =>
      `### 2026-01-${String(1 + (at % 28)).padStart(2, "0")}: ${at === 0 ? "The scheduler drops jobs at midnight" : `Part ${at} is done`}\n\n${filler.slice(0, 500)}\n`,
  ).join("\n")}`
  const { root, drey } = openTeam({
    [decisions]: "# Decisions\n",
    ".squad/agents/kane/history.md": history,
    ".squad/agents/dallas/history.md": "# Dallas\n",
  })
  const { actions } = await drey.team.summarize()
  expect(actions[0]?.description).toMatch(
    /older parts to \.squad\/agents\/kane\/history-archive\.md; the agent still finds them$/,
  )
  expect(readFileSync(join(root, ".squad/agents/kane/history-archive.md"), "utf8")).toContain("drops jobs at midnight")
  const task = "Why does the scheduler drop jobs at midnight?"
  const { context } = await drey.context.build({ agent: "kane", task })
  expect(context.text.split("## Your own history")[1]).toContain("drops jobs at midnight")
  expect((await drey.context.build({ agent: "dallas", task })).context.text).not.toContain("drops jobs")
})

test.each([
  ["not text", new Uint8Array([0xff, 0xfe, 0x00, 0x80, 0xff])],
  ["a broken entry", "# Archived Decisions\n\n### 2026-99-99T: decision\n**author:**\n```\nnever closed\n"],
  ["a merge conflict", "# Archived Decisions\n\n<<<<<<< ours\n### a\n=======\n### b\n>>>>>>> theirs\n"],
  ["empty", ""],
])("an archive that is %s keeps its bytes, and no entry is lost", async (_, given) => {
  const text = `# Decisions\n\n${many(30, "decision", "Choice")}`
  const { root, drey } = openTeam({ [decisions]: text, [archive]: given })
  const { refused } = await drey.team.tidy()
  expect(refused).toEqual([])
  const kept = readFileSync(join(root, archive))
  expect(kept.includes(Buffer.from(given as string))).toBe(true)
  const parsed = parseQuery("")
  if (parsed.kind !== "query") throw new Error("An empty query is a query.")
  const { entries } = await drey.search.entries(parsed.query, { all: true })
  const titles = new Set(entries.map(({ entry }) => entry.title))
  for (let at = 0; at < 30; at++) expect(titles).toContain(`Choice ${at}`)
  expect((await drey.context.build({ task: "Take choice 3" })).context.text).not.toBe("")
})

test("an empty team folder prints nothing, and an entry of 50 KB moves whole", async () => {
  const { drey: empty } = openTeam({ ".squad/team.md": "" })
  expect(await empty.team.tidy()).toMatchObject({ actions: [], notes: [], refused: [], left: [] })
  const long = decision("Invoices are rendered by headless Chromium", {
    details: "Chromium prints them. ".repeat(2500),
  })
  const { root, drey } = openTeam({ [decisions]: `# Decisions\n\n${long}\n${decision("Use spaces", {}, 2)}` })
  await drey.team.tidy()
  expect(readFileSync(join(root, archive), "utf8")).toContain(long.trim())
  expect(readFileSync(join(root, decisions), "utf8")).toContain("Use spaces")
  const { context } = await drey.context.build({ task: "Render invoices with headless Chromium" })
  expect(context.text).toContain("Invoices are rendered by headless Chromium")
  expect(context.tokens).toBeLessThanOrEqual(2000)
})
