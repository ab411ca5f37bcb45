import { existsSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, readTree, runGit, writeFiles } from "../../test/run-cli.ts"
import { readEntries } from "../formats/entries.ts"
import { undoLastChange, withStore } from "./change.ts"
import { defaultMemoryConfig } from "./governed/governed-context.ts"
import { stateFolder } from "./journal.ts"
import { applySetUp, hashOf, planSetUp, type SetUpOptions, type SetUpStep } from "./setup.ts"
import { findStore, folderOf } from "./team-folder.ts"

const now = new Date("2026-02-18T12:00:00Z")
const skill = ".squad/skills/drey-conventions/SKILL.md"

test("a new team folder has decisions, inbox, policy, skills and templates", async () => {
  const root = makeRepository({})
  const steps = await setUp(root)
  expect(steps.every(({ change }) => change === "created")).toBe(true)
  expect(steps.map(({ path }) => path)).toEqual([
    ".squad/decisions.md",
    ".squad/decisions/inbox/.gitkeep",
    ".squad/memory/config.json",
    ".squad/agents/.gitkeep",
    ".squad/memory/.gitignore",
    ".squad/skills/drey-conventions/SKILL.md",
    ".squad/skills/drey-memory-format/SKILL.md",
    ".squad/skills/drey-sessions/SKILL.md",
    ".squad/templates/entries/decision.md",
    ".squad/templates/entries/directive.md",
    ".squad/templates/entries/memory.md",
    ".squad/templates/entries/note.md",
  ])
  const decisions = readFileSync(join(root, ".squad/decisions.md"), "utf8")
  expect(decisions).toMatch(
    /^# Team decisions\n\n## Active Decisions\n\nNo decisions recorded yet\.\n\n## Governance\n/,
  )
  expect(readEntries(decisions, { kind: "decisions" })).toMatchObject({ entries: [], diagnostics: [] })
  expect(JSON.parse(readFileSync(join(root, ".squad/memory/config.json"), "utf8"))).toEqual(defaultMemoryConfig)
})

test("existing files stay, byte for byte, including unknown settings", async () => {
  const config = '{"version":1,"ours":{"kept":true}}'
  const files = {
    ".squad/decisions.md": "# Ours\r\n",
    ".squad/memory/config.json": config,
    ".squad/agents/kane/history.md": "# Kane\n",
    [skill]: "# A skill of our own by that name\n",
  }
  const root = makeRepository(files)
  const steps = await setUp(root)
  for (const [path, text] of Object.entries(files)) expect(readFileSync(join(root, path), "utf8")).toBe(text)
  expect(steps).toContainEqual({ path: ".squad/decisions.md", change: "kept", reason: "already exists" })
  expect(steps).toContainEqual({
    path: skill,
    change: "kept",
    reason: "changed by you, or not from Drey",
  })
  expect(steps.map(({ path }) => path)).not.toContain(".squad/agents/.gitkeep")
})

test("a second time there is nothing to do", async () => {
  const root = makeRepository({})
  runGit(root, "init", "-q")
  await setUp(root)
  const before = readTree(root)
  for (const command of ["init", "upgrade"] as const) {
    const steps = await setUp(root, { command })
    expect(steps.filter(({ change }) => change !== "kept")).toEqual([])
  }
  expect(readTree(root)).toEqual(before)
})

test("a repository with only .ai-team keeps its folder", async () => {
  const root = makeRepository({ ".ai-team/decisions.md": "# Decisions\n" })
  const steps = await setUp(root)
  expect(steps.every(({ path }) => path.startsWith(".ai-team/"))).toBe(true)
})

test("an upgrade replaces an older skill that was not edited", async () => {
  const root = makeRepository({})
  await setUp(root)
  const current = readFileSync(join(root, skill), "utf8")
  installOlder(root, current)
  expect(await stepFor(root, { command: "init" })).toMatchObject({ change: "kept" })
  expect(await stepFor(root, { command: "upgrade" })).toEqual({
    path: skill,
    change: "updated",
    reason: "1.2.0 replaces version 0.9.0",
  })
  expect(readFileSync(join(root, skill), "utf8")).toBe(current)
})

test("an upgrade keeps an edited skill, reports it, and replaces it only on request", async () => {
  const root = makeRepository({})
  await setUp(root)
  const current = readFileSync(join(root, skill), "utf8")
  installOlder(root, current)
  const changed = `${older(current)}\nAnd our own rule.\n`
  writeFiles(root, { [skill]: changed })
  expect(await stepFor(root, { command: "upgrade" })).toMatchObject({
    change: "kept",
    reason: "changed by you, or not from Drey",
  })
  expect(readFileSync(join(root, skill), "utf8")).toBe(changed)
  expect(await stepFor(root, { command: "upgrade", force: true })).toMatchObject({ change: "updated" })
  const [folder] = findStore(root, `${root}/home`).folders
  if (folder) await withStore(folder, () => undoLastChange(folder))
  expect(readFileSync(join(root, skill), "utf8")).toBe(changed)
})

test("a skill newer than this Drey's is never replaced", async () => {
  const root = makeRepository({})
  await setUp(root)
  const newer = readFileSync(join(root, skill), "utf8").replace("version: 1.2.0", "version: 9.0.0")
  writeFiles(root, { [skill]: newer, [installedIn(root)]: record(newer) })
  expect(await stepFor(root, { command: "upgrade", force: true })).toMatchObject({
    change: "kept",
    reason: "version 9.0.0 is newer than 1.2.0 of this Drey",
  })
})

test("other line ends do not count as an edit of a skill", async () => {
  const root = makeRepository({})
  await setUp(root)
  const current = readFileSync(join(root, skill), "utf8")
  writeFiles(root, { [skill]: current.replaceAll("\n", "\r\n") })
  expect(await stepFor(root, { command: "upgrade" })).toMatchObject({ change: "kept", reason: "up to date" })
})

test("with a damaged installation record nothing is overwritten", async () => {
  const root = makeRepository({})
  await setUp(root)
  writeFiles(root, { [skill]: older(readFileSync(join(root, skill), "utf8")), [installedIn(root)]: "{" })
  expect(await stepFor(root, { command: "upgrade" })).toMatchObject({ change: "kept" })
})

test("legacy entries are counted and not changed", async () => {
  const text = "# Decisions\n\n### 2026-02-10: Use tabs\n\n**By:** Kane\n**What:** Tabs.\n**Why:** Width is a choice.\n"
  const root = makeRepository({ ".squad/decisions.md": text })
  const plan = planSetUp(findStore(root, `${root}/home`), { command: "init" }, now)
  expect(plan.legacy).toEqual({ convertible: 1, review: 0 })
  await applySetUp(plan, now)
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toBe(text)
})

test("in a git repository the merge driver is registered, and the plan says so beforehand", async () => {
  const root = makeRepository({ ".gitattributes": "*.png binary\n" })
  runGit(root, "init", "-q")
  const plan = planSetUp(findStore(root, `${root}/home`), { command: "init" }, now)
  expect(plan.git?.map(({ change }) => change)).toEqual(["updated", "updated", "created"])
  await applySetUp(plan, now)
  expect(readFileSync(join(root, ".gitattributes"), "utf8")).toMatch(
    /^\*\.png binary\n[\s\S]*\.squad\/decisions\S* merge=union/,
  )
  expect(runGit(root, "config", "merge.drey.driver")).toContain("merge-driver %O %A %B %P")
  expect(planSetUp(findStore(root, `${root}/home`), { command: "init" }, now).git?.map(({ change }) => change)).toEqual(
    ["kept", "kept", "kept"],
  )
})

test("an index that git already tracks stays in git", async () => {
  const root = makeRepository({ ".squad/memory/index.json": "[]\n" })
  runGit(root, "init", "-q")
  runGit(root, "add", "-A")
  await applySetUp(planSetUp(findStore(root, `${root}/home`), { command: "init" }, now), now)
  expect(existsSync(join(root, ".squad/memory/.gitignore"))).toBe(false)
})

test("planning writes nothing", () => {
  const root = makeRepository({})
  planSetUp(findStore(root, `${root}/home`), { command: "init" }, now)
  expect(readTree(root)).toEqual({})
})

async function setUp(root: string, options: SetUpOptions = { command: "init" }): Promise<SetUpStep[]> {
  return (await applySetUp(planSetUp(findStore(root, `${root}/home`), options, now), now)).steps
}

async function stepFor(root: string, options: SetUpOptions): Promise<SetUpStep | undefined> {
  return (await setUp(root, options)).find(({ path }) => path === skill)
}

function older(text: string): string {
  return text.replace("version: 1.2.0", "version: 0.9.0").replace("# Working", "# Once, working")
}

/** As an earlier Drey would have left it. */
function installOlder(root: string, current: string): void {
  writeFiles(root, { [skill]: older(current), [installedIn(root)]: record(older(current)) })
}

/** Where the record is, below the root: the home of these tests is in it. */
function installedIn(root: string): string {
  return relative(root, join(stateFolder(folderOf(findStore(root, `${root}/home`))), "installed.json"))
}

function record(text: string): string {
  return JSON.stringify({ version: 1, files: { [skill.slice(".squad/".length)]: [hashOf(text)] } })
}
