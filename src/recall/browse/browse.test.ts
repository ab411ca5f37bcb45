import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { openDrey } from "../../drey.ts"
import { parseQuery } from "../../formats/query.ts"
import { learnedPath } from "../../memories/ledger.ts"
import type { Memory } from "../../memories/memory.ts"
import { testMemory } from "../../memories/review/test-memory.ts"
import { sqliteStore } from "../../memories/sqlite-store.ts"

const entry = (day: string, title: string, text: string, more = "") =>
  `### 2026-02-${day}T09:00:00Z: decision: ${title}\n**Author:** Kane\n**Scope:** team\n${more}\n${text}\n\n**Rationale:** So it is.\n\n---\n\n`

const decisions =
  entry("01", "Paint the boat red", "Red is seen from afar.", "**Tags:** boat, Paint\n") +
  entry(
    "02",
    "Paint the boat green",
    "Green hides the moss.",
    "**Tags:** Boat\n**Supersedes:** 2026-02-01T09:00:00Z\n",
  ) +
  entry("03", "Moor at the north pier", "The south pier rots.", "**Tags:** permanent\n")

const at = { created: "2026-02-15T00:00:00.000Z", updated: "2026-02-15T00:00:00.000Z" }

/** A repository with three decisions and learned memories. */
async function openHarbour(learned: (project: string) => Memory[] = () => []) {
  const root = makeRepository({ ".squad/decisions.md": decisions, ".squad/team.md": "| Name |\n|---|\n| Kane |\n" })
  const home = makeRepository({})
  const drey = openDrey({
    root,
    environment: { HOME: home, DREY_HOME: home },
    now: () => new Date("2026-03-10T12:00:00Z"),
  })
  onTestFinished(() => drey.close())
  const [project] = await drey.memories.transcripts.projects()
  const store = sqliteStore(learnedPath(home))
  const teach = (memories: Memory[]) => store.importMemories(memories, "2026-03-01T00:00:00.000Z")
  onTestFinished(() => store.close())
  await teach(learned(project?.id ?? ""))
  const browse = drey.search.browse
  const find = async (text: string, page = { limit: 50, offset: 0 }) => browse.items(queryOf(text), page)
  const titles = async (text: string) => (await find(text)).rows.map(({ title }) => title)
  return { root, drey, browse, find, titles, teach, project: project?.id ?? "" }
}

function queryOf(text: string) {
  const parsed = parseQuery(text)
  if (parsed.kind === "invalid") throw new Error(parsed.problems[0]?.message)
  return parsed.query
}

test("every item is listed, replaced and ended ones too, each with its status", async () => {
  const { find, titles } = await openHarbour((project) => [
    testMemory("m-1", { ...at, project, text: "Ropes shrink when wet", key: "project.ropes" }),
    testMemory("m-2", {
      ...at,
      project,
      text: "Knots hold better dry",
      status: "active",
      tier: "long_term",
      flags: ["conflict"],
    }),
    testMemory("m-3", { ...at, project, text: "Sails last ten years", status: "deprecated" }),
  ])
  const { rows, total } = await find("")
  expect(total).toBe(6)
  expect(Object.fromEntries(rows.map(({ title, status }) => [title, status]))).toEqual({
    "Paint the boat red": "superseded",
    "Paint the boat green": "in force",
    "Moor at the north pier": "in force",
    "Ropes shrink when wet": "on trial",
    "Knots hold better dry": "proven",
    "Sails last ten years": "ended",
  })
  expect(rows.filter(({ pinned }) => pinned).map(({ title }) => title)).toEqual(["Moor at the north pier"])
  expect(await titles("status:ended")).toEqual(["Sails last ten years"])
  expect(await titles('status:"on trial" tag:project.ropes')).toEqual(["Ropes shrink when wet"])
  expect(await titles("tag:conflict")).toEqual(["Knots hold better dry"])
  expect(await titles("sails")).toEqual(["Sails last ten years"])
})

test("a memory learned while browsing is found by the next query", async () => {
  const { titles, teach, project, browse } = await openHarbour()
  expect(await titles("ropes")).toEqual([])
  const before = (await browse.catalogue()).stamp
  await teach([testMemory("m-1", { ...at, project, text: "Ropes shrink when wet" })])
  expect(await titles("ropes")).toEqual(["Ropes shrink when wet"])
  expect((await browse.catalogue()).stamp).not.toBe(before)
})

test("a changed file is read again, and the catalogue is unchanged while nothing changes", async () => {
  const { titles, root, browse } = await openHarbour()
  expect(await titles("anchor")).toEqual([])
  const { items } = await browse.catalogue()
  expect((await browse.catalogue()).items).toBe(items)
  appendFileSync(join(root, ".squad/decisions.md"), entry("04", "Drop the anchor twice", "Once is not enough."))
  expect(await titles("anchor")).toEqual(["Drop the anchor twice"])
})

test("the best comes first, then everything else with a word; all results are counted, whatever the page", async () => {
  const { find } = await openHarbour((project) =>
    Array.from({ length: 300 }, (_, number) =>
      testMemory(`m-${number}`, { ...at, project, text: `The boat leaks at plank ${number} of its hull` }),
    ),
  )
  const first = await find("paint boat", { limit: 2, offset: 0 })
  expect(first.rows.map(({ title }) => title).sort()).toEqual(["Paint the boat green", "Paint the boat red"])
  expect(first.total).toBe(302)
  expect(first.facets.source).toEqual([
    { value: "learned", count: 300 },
    { value: "decisions", count: 2 },
  ])
  const ids = new Set<string>()
  for (let offset = 0; offset < 302; offset += 50)
    for (const { id } of (await find("paint boat", { limit: 50, offset })).rows) ids.add(id)
  expect(ids.size).toBe(302)
})

test("phrases and excluded words filter, stop words alone find nothing, a prefix finds its word", async () => {
  const { titles } = await openHarbour()
  expect(await titles('"boat green"')).toEqual(["Paint the boat green"])
  expect(await titles("boat -green")).toEqual(["Paint the boat red"])
  expect(await titles("the of and")).toEqual([])
  expect(await titles("moo")).toEqual(["Moor at the north pier"])
})

test("values that differ only by case are counted as one", async () => {
  const { find } = await openHarbour()
  expect((await find("")).facets.tag).toContainEqual({ value: "Boat", count: 2 })
})

test("a memory is described with its evidence, its outlook and what was learned with it", async () => {
  const { browse } = await openHarbour((project) => [
    testMemory("m-1", { ...at, project, text: "Ropes shrink when wet" }),
    testMemory("m-2", { ...at, project, text: "Wet ropes shrink, dry ones do not" }),
  ])
  const described = await browse.describe("m-1")
  expect(described).toMatchObject({ row: { id: "m-1" }, learned: { memory: { status: "provisional" } }, uses: [] })
  expect(described?.learned?.outlook.length).toBeGreaterThan(0)
  expect(described?.related.edges).toContainEqual({ from: "m-1", to: "m-2", kind: "similar" })
  expect(await browse.describe("m-9")).toBeUndefined()
})

test("the overview shows what helps and what needs attention", async () => {
  const { browse, drey } = await openHarbour((project) => [
    testMemory("m-1", { ...at, project, text: "Ropes shrink when wet" }),
    testMemory("m-2", { ...at, project, text: "Tar the ropes" }),
    testMemory("m-3", { project, text: "Count the oars", created: "2025-01-01T00:00:00.000Z" }),
    testMemory("m-4", { ...at, project, text: "Sails last ten years", status: "deprecated", flags: ["review"] }),
  ])
  await drey.memories.reportOutcome({ outcome: "success", helped: ["m-1"], wrong: ["m-2"] })
  const stock = await browse.stock()
  expect(stock.helping).toMatchObject({ hits: 1, misses: 1, withMemory: null, withoutMemory: null, tasks: 0 })
  expect(stock.learned).toEqual({ onTrial: 3, proven: 0, ended: 1 })
  expect(stock.entries).toMatchObject({ total: 3, inForce: 2, superseded: 1, decisionsPerWeek: 0.3 })
  expect(stock.best.map(({ id }) => id)).toEqual(["m-1"])
  expect(stock.needs).toEqual([
    { kind: "review", count: 1, text: "1 memory was reported as wrong", query: "tag:review" },
    { kind: "stale", count: 1, text: "1 memory has not been used for three months", query: "tag:stale" },
  ])
})
