import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, readTree, writeFiles } from "./run-cli.ts"
import { runWarm, warmCliIn } from "./warm-cli.ts"

const decision = (title: string, text = "It is so.") =>
  `### 2026-02-15T14:32:15-0800: decision: ${title}\n\n**author:** Kane\n\n**summary:** ${title}\n\n**details:**\n\n${text}\n\n**rationale:** Tried.\n\n---\n`

const skill = (version: string, text = "Do it well.") =>
  `---\nname: reviews\ndescription: How we review\nversion: ${version}\n---\n\n${text}\n`

const memoryFile = `---\nid: 0b2f6a52-6a0e-4d5c-9d2e-0e6f3c1f7a11\nclass: LOCAL\nloadGuidance: [ON-DEMAND]\ntitle: "Cache"\nauthor: "Kane"\ncreatedAt: 2026-02-01T00:00:00.000Z\nmetadata: {}\n---\n\nThe cache is warm.\n`

const team: Record<string, string> = {
  ".squad/team.md": "# Team\n\n| Name | Role |\n|---|---|\n| Kane | Backend |\n",
  ".squad/routing.md": "# Routing\n\nAll to Kane.\n",
  ".squad/decisions.md": `# Squad Decisions\n\n${decision("Use tabs")}\n${decision("Use one index")}\n${decision("Use pnpm", "With a lock file.\n\n```sh\npnpm i\n```")}\n### 2026-02-20: Legacy style\n**By:** Kane\n**What:** Still read.\n`,
  ".squad/decisions-archive.md": `# Archive\n\n${decision("Old choice")}`,
  ".squad/decisions/archive/2026-Q1.md": decision("Older choice"),
  ".squad/decisions/inbox/kane-proposal.md": decision("A proposal"),
  ".squad/agents/kane/charter.md": "# Kane\n\nBackend.\n",
  ".squad/agents/kane/history.md":
    "# Kane — History\n\n## Learnings\n\n- Ports are fixed.\n\n## Key File Paths\n\n- src/server.ts starts it.\n\n## Team Updates\n\n- We moved to pnpm.\n",
  ".squad/agents/_alumni/dallas/history.md": "# Dallas\n\n## Learnings\n\n- Left in May.\n",
  ".squad/casting/registry.json": '{\n  "agents": { "kane": { "universe": "alien" } }\n}\n',
  ".squad/memory/config.json": '{ "version": 1, "own": true }\n',
  ".squad/memory/index.json": `${JSON.stringify([{ id: "0b2f6a52-6a0e-4d5c-9d2e-0e6f3c1f7a11", title: "Cache", path: ".squad/memory/local/kane-cache-0b2f6a52.md", updatedAt: "2026-02-01T00:00:00.000Z" }])}\n`,
  ".squad/memory/local/kane-cache-0b2f6a52.md": memoryFile,
  ".squad/memory/tombstones/11111111-1111-4111-8111-111111111111.json":
    '{ "id": "11111111-1111-4111-8111-111111111111" }\n',
  ".squad/skills/reviews/SKILL.md": skill("1.2"),
  ".github/skills/releases/SKILL.md": "# releases\n\n**Confidence:** high\n\nTag, then publish.\n",
}

test("an export is restored completely in an empty repository", async () => {
  const source = makeRepository(team)
  expect(await runWarm(["export", "--out", "drey-export.json"], { cwd: source })).toMatchObject({ code: 0 })
  const target = makeRepository({})
  const { code, stderr } = await runWarm(["import", join(source, "drey-export.json")], { cwd: target })
  expect([code, stderr]).toEqual([0, ""])
  const before = await entriesOf(source)
  const after = await entriesOf(target)
  expect(after.filter(({ title }) => !title.startsWith("Imported from"))).toEqual(before)
  expect(before.length).toBeGreaterThanOrEqual(10)
  for (const path of Object.keys(team).filter((name) => !/json$|kane\/history/.test(name) && name.startsWith(".squad")))
    expect([path, readFileSync(join(target, path), "utf8")]).toEqual([path, team[path]])
  for (const path of Object.keys(team).filter((name) => name.endsWith(".json")))
    expect([path, readJson(join(target, path))]).toEqual([path, JSON.parse(team[path] ?? "")])
  expect(readFileSync(join(target, ".squad/skills/releases/SKILL.md"), "utf8")).toContain("Tag, then publish.")
})

test("an exported file has the shape Squad reads, every text twice, and checksums", async () => {
  const source = makeRepository(team)
  await runWarm(["export", "--out", "out/team.json"], { cwd: source })
  const bundle = readJson(join(source, "out", "team.json"))
  expect(bundle).toMatchObject({
    version: "1.0",
    team_md: team[".squad/team.md"],
    decisions_md: team[".squad/decisions.md"],
    decisions: team[".squad/decisions.md"],
    casting: { registry: { agents: { kane: { universe: "alien" } } } },
    agents: { kane: { charter: team[".squad/agents/kane/charter.md"] } },
    skills: [team[".github/skills/releases/SKILL.md"], team[".squad/skills/reviews/SKILL.md"]],
    drey: { schema: 1, inbox: { "kane-proposal.md": team[".squad/decisions/inbox/kane-proposal.md"] } },
  })
  expect(Object.keys(bundle.drey.checksums)).toContain("decisions-archive.md")
  expect(Date.parse(bundle.exported_at)).toBeGreaterThan(Date.parse("2020-01-01"))
})

test("an export goes to stdout when that is a pipe, and its summary to stderr", async () => {
  const source = makeRepository(team)
  const { code, stdout, stderr } = await runWarm(["export"], { cwd: source })
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Exported \d+ entries, /)])
  expect(JSON.parse(stdout)).toMatchObject({ version: "1.0", team_md: team[".squad/team.md"] })
  expect(existsSync(join(source, "drey-export.json"))).toBe(false)
})

test("an export of nothing is an error, and no file is written", async () => {
  const empty = makeRepository({ ".squad/decisions.md": "# Squad Decisions\n\nNo decisions recorded yet.\n" })
  const { code, stderr } = await runWarm(["export", "--out", "drey-export.json"], { cwd: empty })
  expect([code, stderr]).toEqual([1, expect.stringContaining("has nothing to export")])
  expect(existsSync(join(empty, "drey-export.json"))).toBe(false)
  const withoutSkills = makeRepository({ ".squad/decisions.md": decision("Use tabs") })
  expect(await runWarm(["export", "--skills"], { cwd: withoutSkills })).toMatchObject({ code: 1 })
})

test("secrets and people's data do not leave with an export", async () => {
  const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`
  const source = makeRepository({
    ".squad/decisions.md": decision("Use the token", `It is ${token}.\nAsk ines.falk@corp-mail.com.`),
    ".squad/memory/index.json": JSON.stringify([{ id: "1", title: token }]),
  })
  const { stdout } = await runWarm(["export", "--out", "drey-export.json"], { cwd: source })
  const text = readFileSync(join(source, "drey-export.json"), "utf8")
  expect(text).not.toContain(token)
  expect(text).not.toContain("ines.falk")
  expect(text).toContain("[secret: access token]")
  expect(stdout).toMatch(/^Redacted: \.squad\/decisions\.md:\d+ \(github-token\)$/m)
  expect(stdout).toMatch(/^Redacted: \.squad\/decisions\.md:\d+ \(email\)$/m)
  expect(stdout).toContain("Redacted: .squad/memory/index.json:1 (github-token)\n")
})

test("an export reports how many entries of the older folder it leaves out", async () => {
  const both = { ".squad/decisions.md": decision("Use tabs"), ".ai-team/decisions.md": decision("Use two queues") }
  const { stdout } = await runWarm(["export", "--out", "drey-export.json"], { cwd: makeRepository(both) })
  expect(stdout).toContain("Skipped: 1 entry in .ai-team that .squad does not have.")
  const copies = makeRepository({ ...both, ".ai-team/decisions.md": decision("Use tabs") })
  expect((await runWarm(["export", "--out", "drey-export.json"], { cwd: copies })).stdout).not.toContain("Left out")
})

test("a store that is there already is not replaced unasked; --force moves it aside whole", async () => {
  const bundle = await exportOf(team)
  const target = makeRepository({ ".squad/decisions.md": decision("Ours"), ".squad/notes.txt": "mine" })
  const { run } = warmCliIn(target)
  const before = readTree(target)
  const refused = await run("import", bundle)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("already exists; nothing was imported")])
  expect(readTree(target)).toEqual(before)
  const { code, stdout } = await run("import", bundle, "--force", "--json")
  expect(code).toBe(0)
  const moved = join(target, JSON.parse(stdout).movedTo)
  expect(readFileSync(join(moved, "notes.txt"), "utf8")).toBe("mine")
  expect(readFileSync(join(moved, "decisions.md"), "utf8")).toBe(decision("Ours"))
  expect(readFileSync(join(target, ".squad", "decisions.md"), "utf8")).toBe(team[".squad/decisions.md"])
  for (const args of [["undo", "--dry-run"], ["undo"]]) {
    const undo = await run(...args)
    expect(undo.stdout).toContain(`The team folder that "import" replaced is kept in ${basename(moved)}`)
    expect(undo.stdout).toContain("to restore it, copy its content to .squad.")
  }
  expect(existsSync(join(target, ".squad", "decisions.md"))).toBe(false)
  expect(readFileSync(join(moved, "decisions.md"), "utf8")).toBe(decision("Ours"))
})

test("a bundle without decisions or team never overwrites existing ones", async () => {
  const bundle = join(
    makeRepository({
      "b.json": JSON.stringify({ version: "1.0", agents: { ash: { charter: "# Ash\n" } }, decisions_md: "" }),
    }),
    "b.json",
  )
  for (const flag of ["--merge", "--force"]) {
    const target = makeRepository({ ".squad/decisions.md": decision("Ours"), ".squad/team.md": "# Ours\n" })
    expect(await runWarm(["import", bundle, flag], { cwd: target })).toMatchObject({ code: 0 })
    expect(readFileSync(join(target, ".squad", "decisions.md"), "utf8")).toBe(decision("Ours"))
    expect(readFileSync(join(target, ".squad", "team.md"), "utf8")).toBe("# Ours\n")
    expect(readFileSync(join(target, ".squad", "agents", "ash", "charter.md"), "utf8")).toBe("# Ash\n")
  }
})

test("--merge imports what is new by id, keeps what is here, and the second time imports nothing", async () => {
  const bundle = await exportOf(team)
  const own = decision("Use one index", "Ours says otherwise.")
  const target = makeRepository({
    ".squad/decisions.md": `# Ours\n\n${own}`,
    ".squad/decisions-archive.md": decision("Use tabs"),
    ".squad/agents/kane/history.md": "# Kane\n\n## Learnings\n\n- Ports are fixed.\n",
    ".squad/memory/config.json": '{ "version": 1, "ours": true }\n',
  })
  const { stdout } = await runWarm(["import", bundle, "--merge", "--json"], { cwd: target })
  const result = JSON.parse(stdout)
  expect(result.different).toHaveLength(1)
  expect(result.added.length).toBeGreaterThanOrEqual(7)
  const decisions = readFileSync(join(target, ".squad", "decisions.md"), "utf8")
  expect(decisions.startsWith(`# Ours\n\n${own}`)).toBe(true)
  expect(decisions).toContain(`\n\n${decision("Use pnpm", "With a lock file.\n\n```sh\npnpm i\n```")}`)
  expect(decisions).toContain("\n\n### 2026-02-20: Legacy style\n**By:** Kane\n**What:** Still read.\n")
  expect(decisions).not.toContain("Use tabs") // it is in the archive here
  expect(readJson(join(target, ".squad/memory/config.json"))).toEqual({ version: 1, ours: true })
  const history = readFileSync(join(target, ".squad/agents/kane/history.md"), "utf8")
  expect(history.match(/Ports are fixed/g)).toHaveLength(1)
  expect(history).toContain("Imported from drey-export on ")
  const before = readTree(join(target, ".squad"))
  const again = await runWarm(["import", bundle, "--merge", "--json"], { cwd: target })
  expect(JSON.parse(again.stdout)).toMatchObject({ files: [], added: [] })
  expect(readTree(join(target, ".squad"))).toEqual(before)
})

test("an imported history names its origin, and is separate from the project's own", async () => {
  const bundle = await exportOf(team)
  const target = makeRepository({})
  await runWarm(["import", bundle], { cwd: target })
  const history = readFileSync(join(target, ".squad/agents/kane/history.md"), "utf8")
  expect(history).toMatch(/^> Imported from drey-export on \d{4}-\d\d-\d\dT[\d:.]+Z\. /)
  const [portable = "", project = ""] = history.split("## Project Learnings (from import — drey-export)")
  expect(portable).toContain("Ports are fixed.")
  expect(portable).toContain("We moved to pnpm.")
  expect(project).toContain("src/server.ts")
})

test("forbidden content is refused entry by entry, reported without its value, and the rest comes in", async () => {
  const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`
  const bundle = join(makeRepository({}), "bad.json")
  const document = {
    version: "1.0",
    decisions_md: `# Decisions\n\n${decision("Good")}\n${decision("Bad", `The token is ${token}.`)}\n${decision("Good too")}`,
    agents: { kane: { charter: `# Kane\n\nUse ${token}\n`, history: "# Kane\n\n- Learnt\n" } },
    skills: [skill("1.0", `Log in with ${token}`)],
  }
  writeFileSync(bundle, JSON.stringify(document))
  const target = makeRepository({})
  const { code, stderr } = await runWarm(["import", bundle], { cwd: target })
  expect(code).toBe(1)
  expect(stderr).toMatch(/refused decisions\.md:\d+: access token/)
  expect(stderr).toContain("refused agents/kane/charter.md:3: access token")
  expect(stderr).toContain("refused skills/reviews/SKILL.md")
  expect(stderr).not.toContain(token)
  expect(JSON.stringify(readTree(target))).not.toContain(token)
  expect((await entriesOf(target)).map(({ title }) => title)).toEqual(expect.arrayContaining(["Good", "Good too"]))
})

test("skills can be imported alone, and of two versions the newer stays", async () => {
  const bundle = await exportOf(
    { ".squad/skills/reviews/SKILL.md": skill("1.10"), ".squad/skills/tests/SKILL.md": skill("1.0") },
    "--skills",
  )
  for (const [here, expected] of [
    ["1.9", "updated"],
    ["1.10", "kept"],
    ["2.0", "kept"],
  ] as const) {
    const target = makeRepository({
      ".squad/decisions.md": decision("Ours"),
      ".squad/skills/reviews/SKILL.md": skill(here, "Here."),
    })
    const { code, stdout } = await runWarm(["import", "--from", bundle, "--skills-only", "--json"], { cwd: target })
    expect(code).toBe(0)
    expect(JSON.parse(stdout).skills).toEqual([
      { name: "reviews", change: expected },
      { name: "tests", change: "added" },
    ])
    const text = readFileSync(join(target, ".squad/skills/reviews/SKILL.md"), "utf8")
    expect(text).toBe(expected === "updated" ? skill("1.10") : skill(here, "Here."))
    expect(readFileSync(join(target, ".squad/decisions.md"), "utf8")).toBe(decision("Ours"))
  }
})

test("a dry run of an import names the files and writes none", async () => {
  const bundle = await exportOf(team)
  for (const flags of [[], ["--merge"], ["--force"], ["--skills-only"]]) {
    const target = makeRepository(flags.length === 0 ? {} : { ".squad/decisions.md": decision("Ours") })
    const before = readTree(target)
    const { code, stdout } = await runWarm(["import", bundle, "--dry-run", ...flags], { cwd: target })
    expect([flags, code]).toEqual([flags, 0])
    expect(stdout).toContain("Would write")
    expect(readTree(target)).toEqual(before)
  }
})

test("an import can be undone", async () => {
  const bundle = await exportOf(team)
  const target = makeRepository({ ".squad/decisions.md": decision("Ours") })
  const { run } = warmCliIn(target)
  await run("import", bundle, "--merge")
  expect(await entriesOf(target)).not.toHaveLength(1)
  expect(await run("undo")).toMatchObject({ code: 0 })
  expect((await entriesOf(target)).map(({ title }) => title)).toEqual(["Ours"])
  expect(readFileSync(join(target, ".squad", "decisions.md"), "utf8")).toBe(decision("Ours"))
})

async function exportOf(files: Record<string, string>, ...flags: string[]): Promise<string> {
  const source = makeRepository({})
  writeFiles(source, files)
  expect(await runWarm(["export", "--out", "drey-export.json", ...flags], { cwd: source })).toMatchObject({ code: 0 })
  return join(source, "drey-export.json")
}

async function entriesOf(root: string): Promise<{ id: string; title: string; details?: string; path: string }[]> {
  const { stdout } = await runWarm(["memory", "--all", "--json"], { cwd: root })
  const entries: { id: string; title: string; details?: string; path: string }[] = JSON.parse(stdout)
  return entries
    .map(({ id, title, details, path }) => ({ id, title, path, ...(details === undefined ? {} : { details }) }))
    .sort((one, other) => (one.id + one.path < other.id + other.path ? -1 : 1))
}

// biome-ignore lint/suspicious/noExplicitAny: the test looks into a document of many shapes
function readJson(path: string): any {
  return JSON.parse(readFileSync(path, "utf8"))
}
