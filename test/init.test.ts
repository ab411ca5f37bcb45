import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, readTree, runGit, writeFiles } from "./run-cli.ts"
import { runWarm, warmCliIn } from "./warm-cli.ts"

const skill = ".squad/skills/drey-memory-format/SKILL.md"

test("a second init changes no byte and reports that there is nothing to do", async () => {
  const cwd = makeRepository({ "package.json": "{}" })
  runGit(cwd, "init", "-q")
  const first = await runWarm(["init"], { cwd })
  expect(first).toMatchObject({ code: 0, stderr: "" })
  expect(first.stdout).toContain("created  .squad/decisions.md")
  expect(first.stdout).toContain("created  .gitattributes")
  const before = readTree(cwd)
  const second = await runWarm(["init"], { cwd })
  expect(second).toMatchObject({ code: 0, stderr: "" })
  expect(second.stdout).toContain(".squad is already complete; nothing to do.")
  expect(readTree(cwd)).toEqual(before)
})

test("a dry run shows what init would do and writes nothing", async () => {
  const cwd = makeRepository({})
  runGit(cwd, "init", "-q")
  const before = readTree(cwd)
  const shown = await runWarm(["init", "--dry-run", "--json"], { cwd })
  expect(readTree(cwd)).toEqual(before)
  const done = await runWarm(["init", "--json"], { cwd })
  const changes = (text: string) => JSON.parse(text).files.map(({ change }: { change: string }) => change)
  expect(changes(shown.stdout)).toEqual(changes(done.stdout))
  expect(JSON.parse(done.stdout)).toMatchObject({
    folder: ".squad",
    dryRun: false,
    git: true,
    legacy: { convertible: 0 },
  })
})

test("what init leaves is what doctor, validate and git expect", async () => {
  const cwd = makeRepository({})
  runGit(cwd, "init", "-q")
  await runWarm(["init"], { cwd })
  const doctor = await runWarm(["doctor"], { cwd })
  expect(doctor.stdout).toMatch(/^All well: \d+ checks passed/)
  expect(await runWarm(["validate"], { cwd })).toMatchObject({ code: 0 })
  runGit(cwd, "add", "--all")
  const staged = runGit(cwd, "diff", "--cached", "--name-only")
  expect(staged).toContain(".squad/decisions/inbox/.gitkeep")
  expect(staged).not.toContain(".drey/")
})

test("in a folder without git, init works and reports what is missing", async () => {
  const cwd = makeRepository({})
  const { code, stdout } = await runWarm(["init"], { cwd })
  expect(code).toBe(0)
  expect(stdout).toContain("This is not a git repository, so no merge driver was installed.")
})

test("init run below the repository's root sets up the root", async () => {
  const cwd = makeRepository({ "packages/one/index.js": "" })
  runGit(cwd, "init", "-q")
  await runWarm(["init"], { cwd: join(cwd, "packages/one") })
  expect(Object.keys(readTree(cwd))).toContain(".squad/decisions.md")
})

test("init reports legacy entries and converts none", async () => {
  const text = "# Decisions\n\n### 2026-02-10: Use tabs\n\n**By:** Kane\n**What:** Tabs.\n**Why:** Width is a choice.\n"
  const cwd = makeRepository({ ".squad/decisions.md": text })
  const { stdout } = await runWarm(["init"], { cwd })
  expect(stdout).toContain(
    '1 entry is in a legacy style: "drey init --convert" converts 1, and 0 need review with "drey convert-memory".',
  )
  expect(readFileSync(join(cwd, ".squad/decisions.md"), "utf8")).toBe(text)
})

test("init --convert converts legacy entries to SEM, and undo restores every byte", async () => {
  const text = "# Decisions\n\n### 2026-02-10: Use tabs\n\n**By:** Kane\n**What:** Tabs.\n**Why:** Width is a choice.\n"
  const cwd = makeRepository({ ".squad/decisions.md": text })
  const { run } = warmCliIn(cwd)
  const { stdout, code } = await run("init", "--convert", "--json")
  const { converted } = JSON.parse(stdout)
  expect([code, converted]).toEqual([0, { files: [".squad/decisions.md"], backups: [expect.any(String)] }])
  const path = join(cwd, ".squad/decisions.md")
  expect(readFileSync(path, "utf8")).toContain("### 2026-02-10T00:00:00+0000: decision: Use tabs")
  await run("undo")
  expect(readFileSync(path, "utf8")).toBe(text)
})

test("upgrade keeps a changed skill and says so", async () => {
  const cwd = makeRepository({})
  const { run } = warmCliIn(cwd)
  await run("init")
  const changed = `${readFileSync(join(cwd, skill), "utf8")}\nAnd our own rule.\n`
  writeFiles(cwd, { [skill]: changed })
  const kept = await run("upgrade")
  expect(kept.stdout).toMatch(/^kept +\.squad\/skills\/drey-memory-format\/SKILL\.md +changed by you/m)
  expect(readFileSync(join(cwd, skill), "utf8")).toBe(changed)
  const forced = await run("upgrade", "--force")
  expect(forced.stdout).toMatch(/^updated +\.squad\/skills\/drey-memory-format\/SKILL\.md/m)
  expect(readFileSync(join(cwd, skill), "utf8")).not.toBe(changed)
  expect(await run("undo")).toMatchObject({ code: 0 })
  expect(readFileSync(join(cwd, skill), "utf8")).toBe(changed)
})

test("upgrade without a team folder says so and makes none", async () => {
  const cwd = makeRepository({})
  const { code, stderr } = await runWarm(["upgrade"], { cwd })
  expect(code).toBe(2)
  expect(stderr).toContain("has no .squad folder")
  expect(readTree(cwd)).toEqual({})
})

test("four inits at once leave one valid folder", async () => {
  const cwd = makeRepository({})
  runGit(cwd, "init", "-q")
  const results = await Promise.all(Array.from({ length: 4 }, () => runWarm(["init"], { cwd })))
  // A slower one may find that another was first; it says so and changes nothing.
  for (const { code, stderr } of results) expect(code === 0 || /changed in the meantime/.test(stderr)).toBe(true)
  expect((await runWarm(["doctor"], { cwd })).stdout).toContain("All well: ")
})
