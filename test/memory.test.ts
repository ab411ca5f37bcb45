import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { legacyEntry, semEntry } from "./legacy-fixtures.ts"
import { makeRepository, readTree } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

/** Entries of both formats in every place where a store keeps them. */
const store = {
  ".squad/team.md": "# Team\n\n| Name | Role |\n|---|---|\n| Rook | Lead |\n| Wren | Backend |\n",
  ".squad/decisions.md": `# Squad Decisions

${semEntry("2026-02-10T09:00:00+0100", "decision", "Use one index", { fields: ["**scope:** team", "**tags:** search, v0.3.0"] })}
${legacyEntry("2026-02-05", "Use tabs", { by: "Rook, Wren" })}
${semEntry("2026-02-12T12:00:00Z", "directive", "Never push on Friday", { author: "Ines Falk", fields: ["**scope:** project", "**tags:** v0.3.0"] })}`,
  ".squad/decisions/inbox/wren-queues.md": legacyEntry("2026-02-14", "Use two queues", { by: "Wren" }),
  ".squad/decisions-archive.md": legacyEntry("2025-11-03", "Keep the ledger", { why: "The café ledger is old." }),
  ".squad/agents/rook/history.md": `# History

## Learnings

- 2026-01-20: Indexes rot.
- Always count twice.

${semEntry("2026-01-25T08:00:00+0000", "memory", "Queues block", { author: "rook", fields: ["**scope:** agent:rook"] })}`,
}

test("every entry of the store is listed, newest first, with its file and line", async () => {
  const cwd = makeRepository(store)
  const before = readTree(cwd)
  const { code, stdout } = await runWarm(["memory"], { cwd })
  const lines = stdout.trimEnd().split("\n")
  expect(lines.map((line) => line.replace(/^\S+ +/, ""))).toEqual([
    "2026-02-14  decision  Use two queues — Wren  .squad/decisions/inbox/wren-queues.md:1",
    "2026-02-12  rule      Never push on Friday — Ines Falk  .squad/decisions.md:26",
    "2026-02-10  decision  Use one index — Wren  .squad/decisions.md:3",
    "2026-02-05  decision  Use tabs — Rook  .squad/decisions.md:21",
    "2026-01-25  memory    Queues block — rook  .squad/agents/rook/history.md:8",
    "2026-01-20  memory    Indexes rot. — Rook  .squad/agents/rook/history.md:5",
    "2025-11-03  decision  Keep the ledger — Rook  .squad/decisions-archive.md:1",
    expect.stringMatching(/^undated .*Always count twice\. — Rook {2}\.squad\/agents\/rook\/history\.md:6$/),
  ])
  const ids = lines.map((line) => line.split(" ")[0] ?? "")
  expect(new Set(ids).size).toBe(8)
  for (const id of ids) expect((await runWarm(["show", id], { cwd })).code).toBe(0)
  expect(code).toBe(0)
  expect(readTree(cwd)).toEqual(before)
})

test.each([
  [["--type", "directive"], ["Never push on Friday"]],
  [
    ["--type", "memory"],
    ["Queues block", "Indexes rot.", "Always count twice."],
  ],
  [
    ["--author", "wren"],
    ["Use two queues", "Use one index", "Use tabs"],
  ],
  [["--author", "Ines Falk"], ["Never push on Friday"]],
  [
    ["--after", "2026-02-12"],
    ["Use two queues", "Never push on Friday"],
  ],
  [["--after", "2026-02-10T08:00:00Z", "--before", "2026-02-12"], ["Use one index"]],
  [["--before", "2026-02-10T08:00:00Z", "--after", "2026-02-01"], ["Use tabs"]],
  [
    ["--tags", "v0.3.0"],
    ["Never push on Friday", "Use one index"],
  ],
  [["--tags", "V0.3.0, search"], ["Use one index"]],
  [
    ["--scope", "agent:Rook"],
    ["Queues block", "Indexes rot.", "Always count twice."],
  ],
  [["--scope", "project"], ["Never push on Friday"]],
  [["--source", "inbox"], ["Use two queues"]],
  [["--source", "archive"], ["Keep the ledger"]],
  [["--source", "decisions", "--type", "decision", "--author", "Wren", "--tags", "search"], ["Use one index"]],
  [["--type", "note"], []],
  [
    ["type:decision", "after:2026-02-06"],
    ["Use two queues", "Use one index"],
  ],
  [['type:decision author:Rook source:archive "old"'], ["Keep the ledger"]],
  [["cafe"], ["Keep the ledger"]],
  [['"use two"'], ["Use two queues"]],
  [["use", "-tag:search", "-queues", "source:decisions"], ["Use tabs"]],
  [["type:memory", "--author", "rook", "queues"], ["Queues block"]],
])("the filters %j find what they describe", async (args, titles) => {
  const cwd = makeRepository(store)
  // Words that begin with a dash are separated from options as on any command line.
  const negated = args.filter((arg) => /^-\w/.test(arg))
  const rest = args.filter((arg) => !negated.includes(arg))
  const { code, stdout } = await runWarm(["memory", "--json", ...rest, "--", ...negated], { cwd })
  expect(JSON.parse(stdout).map(({ title }: { title: string }) => title)).toEqual(titles)
  expect(code).toBe(0)
})

test("a query that finds nothing says so beside the output, not in it", async () => {
  const cwd = makeRepository(store)
  const { stdout, stderr } = await runWarm(["memory", "unheard-of"], { cwd })
  expect(stdout).toBe("")
  expect(stderr).toContain("No entries match.")
})

test("--recent counts back from now", async () => {
  const daysAgo = (days: number) => `${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 19)}+0000`
  const cwd = makeRepository({
    ".squad/decisions.md": [
      semEntry(daysAgo(1), "decision", "Yesterday's choice"),
      semEntry(daysAgo(6), "decision", "Last week's choice"),
      semEntry(daysAgo(20), "decision", "Last month's choice"),
    ].join("\n"),
  })
  const titles = async (span: string) => (await listed(cwd, "--recent", span)).map(({ title }) => title)
  expect(await titles("48h")).toEqual(["Yesterday's choice"])
  expect(await titles("7d")).toEqual(["Yesterday's choice", "Last week's choice"])
  expect(await titles("3w")).toEqual(["Yesterday's choice", "Last week's choice", "Last month's choice"])
})

const lineage = `${semEntry("2026-01-10T09:00:00+0000", "decision", "Use tabs")}
${semEntry("2026-02-10T09:00:00+0000", "decision", "Use spaces", { fields: ["**supersedes:** 2026-01-10T09:00:00Z"] })}
${semEntry("2026-03-10T09:00:00+0000", "decision", "Use two spaces", { fields: ["**supersedes:** 2026-02-10T10:00:00+01:00"] })}`

test("a superseded entry is hidden, unless all are asked for", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": lineage })
  expect((await listed(cwd)).map(({ title }) => title)).toEqual(["Use two spaces"])
  const all = await listed(cwd, "--all")
  expect(all.map(({ title }) => title)).toEqual(["Use two spaces", "Use spaces", "Use tabs"])
  expect(all.map(({ supersededBy }) => supersededBy)).toEqual([undefined, [all[0]?.id], [all[1]?.id]])
  expect((await listed(cwd, "status:superseded")).map(({ title }) => title)).toEqual(["Use spaces", "Use tabs"])
})

test("--as-of shows the store as it was then: what came later superseded nothing yet", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": lineage })
  expect(await listed(cwd, "--as-of", "2026-01-09")).toEqual([])
  const february = await listed(cwd, "--as-of", "2026-02-10")
  expect(february.map(({ title }) => title)).toEqual(["Use spaces"])
  expect(february[0]?.supersededBy).toBeUndefined()
  expect((await listed(cwd, "--as-of", "2026-02-10T08:59:59Z")).map(({ title }) => title)).toEqual(["Use tabs"])
  expect((await listed(cwd, "--as-of", "2026-02-10", "--all")).map(({ title }) => title)).toEqual([
    "Use spaces",
    "Use tabs",
  ])
})

test("the JSON form of a SEM entry holds all its fields and its place", async () => {
  const cwd = makeRepository({
    ".squad/decisions.md": semEntry("2026-02-10T09:00:00-0800", "decision", "Use one index", {
      author: "Wren",
      fields: [
        "**contributors:** Rook, Ines",
        "**scope:** skill:search-index",
        "**tags:** search, v0.3.0, Search",
        "**expires:** 2026-08-01T00:00:00Z",
        "**mood:** calm",
      ],
    }).replace("\n---\n", "\n**related:**\n- issue: #18\n- pr: #20\n\n---\n"),
  })
  const [entry] = await listed(cwd)
  expect(entry).toEqual({
    id: expect.stringMatching(/^sem-[0-9a-f]{12}$/),
    type: "decision",
    timestamp: "2026-02-10T09:00:00-08:00",
    author: "Wren",
    contributors: ["Rook", "Ines"],
    title: "Use one index",
    summary: "Use one index in short.",
    scope: "skill:search-index",
    tags: ["search", "v0.3.0"],
    details: "Use one index at length.",
    rationale: "It was measured.",
    related: [
      { type: "issue", identifier: "#18" },
      { type: "pr", identifier: "#20" },
    ],
    expires: "2026-08-01T00:00:00+00:00",
    extensions: { mood: "calm" },
    path: ".squad/decisions.md",
    line: 1,
    endLine: expect.any(Number),
    source: "decisions",
    format: "sem",
  })
})

test("the JSON form of a legacy entry is the same, with how sure the reading is", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": `# Squad Decisions\n\n${legacyEntry("2026-02-05", "Use tabs")}` })
  expect(await listed(cwd)).toEqual([
    expect.objectContaining({
      type: "decision",
      timestamp: "2026-02-05T00:00:00+00:00",
      precision: "day",
      author: "Rook",
      title: "Use tabs",
      summary: "Use tabs everywhere.",
      rationale: "It is simpler.",
      scope: "team",
      path: ".squad/decisions.md",
      line: 3,
      endLine: 6,
      source: "decisions",
      format: "legacy",
      confidence: "high",
    }),
  ])
})

test("an explicit id is the entry's id", async () => {
  const cwd = makeRepository({
    ".squad/decisions.md": semEntry("2026-02-10T09:00:00Z", "note", "Kept", { fields: ["**id:** 7d0f4c1e"] }),
  })
  expect(await listed(cwd, "id:7d0f4c1e")).toMatchObject([{ id: "7d0f4c1e", title: "Kept" }])
})

test("a store is found from any folder below its repository, by --root and by the environment", async () => {
  const cwd = makeRepository({ ...store, "packages/api/readme.md": "# API\n" })
  const elsewhere = makeRepository({})
  const expected = (await runWarm(["memory", "--json"], { cwd })).stdout
  expect((await runWarm(["memory", "--json"], { cwd: join(cwd, "packages/api") })).stdout).toBe(expected)
  expect((await runWarm(["memory", "--json", "--root", cwd], { cwd: elsewhere })).stdout).toBe(expected)
  expect((await runWarm(["memory", "--json"], { cwd: elsewhere, env: { DREY_TEAM_ROOT: cwd } })).stdout).toBe(expected)
})

test("the older team folder is read too, and a copy in both counts once", async () => {
  const cwd = makeRepository({
    ".squad/decisions.md": legacyEntry("2026-02-05", "Use tabs"),
    ".ai-team/decisions.md": `${legacyEntry("2026-02-05", "Use tabs")}\n${legacyEntry("2026-01-05", "Use one index")}`,
  })
  expect(await listed(cwd)).toMatchObject([
    { title: "Use tabs", path: ".squad/decisions.md" },
    { title: "Use one index", path: ".ai-team/decisions.md" },
  ])
})

test("a decisions.md that is a link to a file is read", async () => {
  const cwd = makeRepository({
    "docs/decisions.md": legacyEntry("2026-02-05", "Use tabs"),
    ".squad/team.md": "# Team\n",
  })
  symlinkSync("../docs/decisions.md", join(cwd, ".squad/decisions.md"))
  expect(await listed(cwd)).toMatchObject([{ title: "Use tabs" }])
})

test("output that goes to no terminal has no colours, in CI neither", async () => {
  const cwd = makeRepository(store)
  for (const command of ["memory", "validate", "convert-memory"]) {
    const { stdout, stderr } = await runWarm([command], { cwd, env: { CI: "true", TERM: "xterm-256color" } })
    expect(stdout + stderr).not.toContain("\x1b[")
  }
})

test("a long list comes whole through a pipe", async () => {
  const entries = Array.from({ length: 3000 }, (_, index) => legacyEntry("2026-02-05", `Choice ${index}`)).join("\n")
  const cwd = makeRepository({ ".squad/decisions.md": entries })
  const { stdout } = await runWarm(["memory", "--json"], { cwd })
  expect(JSON.parse(stdout)).toHaveLength(3000)
})

type Listed = { id: string; title: string; supersededBy?: string[] }

async function listed(cwd: string, ...args: string[]): Promise<Listed[]> {
  const { code, stdout, stderr } = await runWarm(["memory", "--json", ...args], { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return JSON.parse(stdout)
}
