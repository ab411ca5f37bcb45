import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Ajv } from "ajv"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { legacyEntry, reportEntry, semEntry } from "./legacy-fixtures.ts"
import { makeRepository, readTree } from "./run-cli.ts"
import { readPanels } from "./squadui-reader.ts"
import { runWarm } from "./warm-cli.ts"

const store = {
  ".squad/decisions.md": `# Squad Decisions

## Active Decisions

${semEntry("2026-02-10T23:30:00-0800", "decision", "Use one index", {
  fields: [
    "**contributors:** Rook",
    "**scope:** agent:fact-checker",
    "**tags:** search",
    "**expires:** 2026-09-01T00:00:00Z",
    "**mood:** calm",
  ],
}).replace("\n---\n", "\n**related:**\n- issue: #18\n- rfc: 7\n\n---\n")}
${legacyEntry("2026-02-05", "Use tabs", { by: "Rook (Lead)" })}
${reportEntry("2026-02-06")}
### Name the queues

**By:** Wren

By their readers.

${semEntry("2026-02-11T12:00:00Z", "directive", "Ask before a release", { author: "Ines Falk" })}
${semEntry("2026-02-12T12:00:00Z", "decision", "Use tabs of eight")}
${semEntry("2026-02-13T12:00:00Z", "decision", "Use spaces", { fields: ["**supersedes:** sem-000000000000, 2026-02-12T12:00:00Z"] })}`,
  ".squad/decisions/inbox/wren-queues.md": legacyEntry("2026-02-14", "Use two queues", { by: "Wren" }),
  ".squad/decisions/archive/2025.md": legacyEntry("2025-11-03", "Keep the ledger"),
  ".squad/agents/rook/history.md":
    "# History\n\n## Learnings\n\n- 2026-01-20: Indexes rot.\n- Count twice.\n\n📌 Team update (2026-01-21): Tabs — decided by Wren\n",
}

test("the view for SquadUI has one heading per current decision, with author and reason", async () => {
  const cwd = makeRepository(store)
  const { code, stdout } = await runWarm(["view", "squadui"], { cwd })
  const headings = stdout.split("\n").filter((line) => /^#{1,3} /.test(line))
  expect(headings[0]).toBe("# Squad Decisions")
  expect(headings.slice(1)).toEqual([
    "### 2026-02-10: Use one index",
    "### 2026-02-05: Use tabs",
    "### 2026-02-06: Retrospective of sprint 3",
    "### 2026-02-11: User directive — Ask before a release",
    "### 2026-02-13: Use spaces",
    "### 2026-02-14: Use two queues",
    "## Name the queues", // it has no date
  ])
  expect(stdout).toMatch(/### 2026-02-05: Use tabs\n+\*\*By:\*\* Rook *\n/)
  expect(stdout).toContain("**What:** ")
  expect(stdout).toContain("**Why:** It was measured.")
  expect(stdout).toMatch(/generated/i)
  expect(code).toBe(0)
})

test("the view is written into a folder that SquadUI can open, and the store is not changed", async () => {
  const cwd = makeRepository(store)
  const before = readTree(cwd)
  const printed = await runWarm(["view", "squadui"], { cwd })
  expect(readTree(cwd)).toEqual(before)
  const { code, stdout } = await runWarm(["view", "squadui", "--out", "view"], { cwd })
  expect(stdout).toBe(`Wrote ${join(cwd, "view/.squad/decisions.md")} and 1 other file.\n`)
  expect(code).toBe(0)
  expect(readTree(cwd)).toEqual({
    ...before,
    view: "a folder",
    "view/.squad": "a folder",
    "view/.squad/decisions.md": Buffer.from(printed.stdout).toString("latin1"),
    "view/.squad/team.md": expect.stringContaining("## Members"),
  })
})

test("files that are not text are left out of the view, each with a warning", async () => {
  const broken = {
    ".squad/decisions/old.md": "### 2026-01-01: Torn\n\0\n",
    ".squad/log/2026-02-10.md": "a\0",
    ".github/skills/x/SKILL.md": "\0",
  }
  const cwd = makeRepository({ ...store, ...broken })
  const { code, stdout, stderr } = await runWarm(["view", "squadui", "--out", "view"], { cwd })
  expect(stdout).toContain("and 1 other file.")
  expect(code).toBe(0)
  const without = (place: string) =>
    `drey: ${place} contains a NUL byte, so the file cannot be read as text. The view was written without this file.\n`
  expect(stderr).toBe(
    [".squad/decisions/old.md:2", ".squad/log/2026-02-10.md:1", ".github/skills/x/SKILL.md:1"].map(without).join(""),
  )
  expect(readFileSync(join(cwd, "view/.squad/decisions.md"), "utf8")).toContain("### 2026-02-05: Use tabs")
})

const team = {
  ".squad/team.md":
    "# Team\n\n## Coordinator\n\n| Name | Role |\n|---|---|\n| Squad | Coordinator |\n\n## Members\n\n| Name | Role | Charter | Status |\n|---|---|---|---|\n| Rook | Lead | `x` | ✅ Active |\n",
  ".squad/routing.md": "# Routing\n",
  ".squad/agents/rook/charter.md": "# Rook\n\n- **Role:** Lead\n",
  ".squad/agents/r2-d2/charter.md": "# R2-D2\n",
  ".squad/orchestration-log/2026-02-10-rook.md": "# Work\n",
  ".squad/skills/queues/SKILL.md": "---\nname: queues\ndescription: How to name a queue\n---\n\n# Queues\n",
}

test("SquadUI shows all of its panels of a view: the team, its charters, skills and decisions", async () => {
  const cwd = makeRepository({ ...store, ...team })
  const { stdout } = await runWarm(["view", "squadui", "--out", "view", "--json"], { cwd })
  const names = [
    "decisions.md",
    "agents/r2-d2/charter.md",
    "agents/rook/charter.md",
    "orchestration-log/2026-02-10-rook.md",
  ]
  const files = [...names, "routing.md", "team.md", "skills/queues/SKILL.md"].map((name) =>
    join(cwd, "view/.squad", name),
  )
  expect(JSON.parse(stdout)).toMatchObject({ path: files[0], files })
  const panels = readPanels(join(cwd, "view"))
  expect(panels).toMatchObject({
    team: [{ name: "Rook", role: "Lead" }],
    charters: ["rook"],
    skills: [{ name: "queues", description: "How to name a queue" }],
  })
  expect(panels?.decisions.map(({ title, date, author }) => [title, date, author])).toEqual([
    ["Use one index", "2026-02-10", "Wren"],
    ["Use tabs", "2026-02-05", "Rook"],
    ["Retrospective of sprint 3", "2026-02-06", expect.any(String)],
    ["Ask before a release", "2026-02-11", "Ines Falk"],
    ["Use spaces", "2026-02-13", "Wren"],
    ["Use two queues", "2026-02-14", "Wren"],
    ["Name the queues", undefined, "Wren"],
  ])
})

test.each([
  [
    "its agents",
    { ...team, ".squad/team.md": undefined },
    [
      ["R2-d2", "Squad Member"],
      ["Rook", "Lead"],
    ],
  ],
  [
    "its agents, where the roster has no table",
    { ...team, ".squad/team.md": "# Team\n\n## Members\n\nRook.\n" },
    [
      ["R2-d2", "Squad Member"],
      ["Rook", "Lead"],
    ],
  ],
  [
    "the authors of its decisions, where it has no agents",
    {},
    [
      ["Ines Falk", "Contributor"],
      ["Rook", "Contributor"],
      ["Wren", "Contributor"],
    ],
  ],
])("a team without a roster is shown by %s", async (_, files, members) => {
  const present = Object.entries({ ...store, ...files }).filter(
    (file): file is [string, string] => file[1] !== undefined,
  )
  const cwd = makeRepository(Object.fromEntries(present))
  await runWarm(["view", "squadui", "--out", "view"], { cwd })
  const shown = readPanels(join(cwd, "view"))?.team.map(({ name, role }) => [name, role])
  expect(shown?.sort()).toEqual(members)
})

test("a view is never written over the team folder itself", async () => {
  const cwd = makeRepository(store)
  const before = readTree(cwd)
  const { code, stderr } = await runWarm(["view", "squadui", "--out", "."], { cwd })
  expect([code, stderr]).toEqual([2, expect.stringContaining("is the team folder itself")])
  expect(readTree(cwd)).toEqual(before)
})

test("with compat.squadui SquadUI reads a converted file directly: titles, dates and authors", async () => {
  const config = '{ "drey": { "compat": { "squadui": true } } }'
  const legacy = [
    legacyEntry("2026-02-05", "Use tabs", { by: "Rook (Lead)" }),
    "### 2026-02-07: User directive — Ask first\n**By:** Ines Falk (via Copilot)\n**What:** Ask first.\n**Why:** User request\n",
    "## 2026-02-08: Name the queues\n\n**By:** Wren\n\n### Context\n\nBy their readers.\n",
  ]
  const cwd = makeRepository({
    ".squad/config.json": config,
    ".squad/team.md": "# Team\n",
    ".squad/decisions.md": `# Decisions\n\n${legacy.join("\n")}`,
  })
  await runWarm(["convert-memory"], { cwd })
  expect(readFileSync(join(cwd, ".squad/decisions.md"), "utf8").match(/^\*\*type:\*\*/gm)).toHaveLength(3)
  const records = readPanels(cwd)?.decisions.map(({ title, date, author }) => [title, date, author])
  expect(records).toEqual([
    ["Use tabs", "2026-02-05", "Rook"],
    ["Ask first", "2026-02-07", "Ines Falk"],
    ["Name the queues", "2026-02-08", "Wren"],
  ])
  const listed = JSON.parse((await runWarm(["memory", "--json"], { cwd })).stdout)
  expect(listed.map(({ title }: { title: string }) => title).sort()).toEqual([
    "Ask first",
    "Name the queues",
    "Use tabs",
  ])
  const { totals } = JSON.parse((await runWarm(["validate", "--json"], { cwd })).stdout)
  expect(totals.errors).toBe(0)
})

test("the view takes the options that all commands have", async () => {
  const cwd = makeRepository(store)
  const elsewhere = makeRepository({})
  const expected = (await runWarm(["view", "squadui"], { cwd })).stdout
  expect((await runWarm(["view", "squadui", "--root", cwd], { cwd: elsewhere })).stdout).toBe(expected)
  expect(JSON.parse((await runWarm(["view", "squadui", "--json"], { cwd })).stdout)).toEqual({ text: expected })
})

test("the schema accepts every entry that memory prints", async () => {
  const cwd = makeRepository(store)
  const accepts = await compileSchema(cwd)
  const { stdout } = await runWarm(["memory", "--json", "--all"], { cwd })
  const entries: { title: string }[] = JSON.parse(stdout)
  expect(entries.length).toBeGreaterThanOrEqual(10)
  for (const entry of entries) expect([entry.title, accepts(entry), accepts.errors]).toEqual([entry.title, true, null])
})

/** The JSON Schema of SEM's proposal: a fact of the format, word for word but for its descriptions. */
const proposalSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Squad Entry Markdown (SEM)",
  type: "object",
  required: ["type", "timestamp", "author", "summary"],
  properties: {
    type: { type: "string", enum: ["decision", "memory", "note", "directive"] },
    timestamp: { type: "string", format: "date-time" },
    author: { type: "string", minLength: 1 },
    summary: { type: "string", maxLength: 120 },
    scope: { type: "string", pattern: "^(team|project|agent:\\w+|skill:\\w+)$" },
    tags: { type: "string" },
    details: { type: "string" },
    rationale: { type: "string" },
    related: {
      type: "array",
      items: {
        type: "object",
        required: ["type", "identifier"],
        properties: {
          type: { type: "string", enum: ["proposal", "issue", "decision", "memory", "pr"] },
          identifier: { type: "string" },
        },
      },
    },
    supersedes: { type: "string", format: "date-time" },
    expires: { type: "string", format: "date-time" },
  },
}

test("with --seed-schema every entry validates against the schema of SEM's proposal", async () => {
  const ajv = new Ajv({ strict: false })
  addFormats.default(ajv)
  const accepts = ajv.compile(proposalSchema)
  const cwd = makeRepository({
    ...store,
    ".squad/decisions/inbox/long.md": semEntry("2026-02-15T12:00:00Z", "decision", "Long ".repeat(40).trim()),
  })
  const { stdout, code } = await runWarm(["memory", "--all", "--seed-schema"], { cwd })
  const entries: { scope: string; tags?: string; supersedes?: string }[] = JSON.parse(stdout)
  expect([code, entries.length]).toEqual([0, 13])
  for (const each of entries) expect([each, accepts(each), accepts.errors]).toEqual([each, true, null])
  expect(entries).toContainEqual(expect.objectContaining({ scope: "agent:fact_checker", tags: "search" }))
  expect(entries).toContainEqual(expect.objectContaining({ supersedes: "2026-02-12T12:00:00+00:00" }))
})

test.each([
  ["session-context", { state: "idle", task: "Feed", startedAt: "2026-02-10T09:00:00Z" }, { state: "asleep" }],
  [
    "session-conversation",
    { messages: [{ id: "m-1", timestamp: "2026-02-10T09:00:00Z", role: "user", content: "Go" }] },
    { messages: [{}] },
  ],
  ["session-plan", { plans: [] }, { plans: [{ id: "plan-1" }] }],
  [
    "session-metadata",
    {
      task: "Feed",
      status: "active",
      createdAt: "2026-02-10T09:00:00Z",
      counts: { discoveries: 0, attempts: 0, decisions: 0, failures: 0 },
      tokens: { input: 0, output: 0 },
      sizeBytes: 0,
      archived: false,
      agents: [],
      filesModified: [],
    },
    { status: "lost" },
  ],
])("the schema of %s is printed, accepts a right file and no wrong one", async (name, right, wrong) => {
  const { stdout } = await runWarm(["schema", name], { cwd: makeRepository({}) })
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  const accepts = ajv.compile(JSON.parse(stdout))
  const head = { version: "1", schema: name, sessionId: "2026-02-10-feed" }
  expect([accepts({ ...head, ...right }), accepts.errors]).toEqual([true, null])
  expect(accepts({ ...head, ...right, ...wrong })).toBe(false)
})

const entry = {
  type: "decision",
  timestamp: "2026-02-10T09:00:00-08:00",
  author: "Wren",
  title: "Use one index",
  summary: "One index for all.",
}

test.each([
  ["nothing but what is required", { title: undefined }],
  ["lists as text, as the proposal wrote them", { tags: "search, index", supersedes: "sem-0123456789ab" }],
  ["lists", { tags: ["search"], contributors: ["Rook"], supersededBy: ["sem-0123456789ab"] }],
  ["a hyphen in a scope", { scope: "agent:fact-checker" }],
  ["related things", { related: [{ type: "issue", identifier: "#18" }] }],
])("the schema accepts an entry with %s", async (_, change) => {
  const accepts = await compileSchema(makeRepository({}))
  expect([accepts(JSON.parse(JSON.stringify({ ...entry, ...change }))), accepts.errors]).toEqual([true, null])
})

test.each([
  ["no author", { author: undefined }],
  ["an empty author", { author: "" }],
  ["no summary", { summary: undefined }],
  ["no timestamp", { timestamp: undefined }],
  ["a timestamp without a zone", { timestamp: "2026-02-10T09:00:00" }],
  ["an impossible timestamp", { timestamp: "2026-02-30T09:00:00Z" }],
  ["an unknown type", { type: "verdict" }],
  ["an unknown precision", { precision: "month" }],
  ["a scope that is none", { scope: "everyone" }],
  ["a title that is too long", { title: "x".repeat(121) }],
  ["a summary that is too long", { summary: "x".repeat(121) }],
  ["tags that are numbers", { tags: [1, 2] }],
  ["a relation without its target", { related: [{ type: "issue" }] }],
  ["an expiry that is no time", { expires: "soon" }],
  ["an extension that is no text", { extensions: { mood: 7 } }],
])("the schema rejects an entry with %s", async (_, change) => {
  const accepts = await compileSchema(makeRepository({}))
  expect(accepts(JSON.parse(JSON.stringify({ ...entry, ...change })))).toBe(false)
})

test("the schema in the docs is the one the command prints", async () => {
  const path = fileURLToPath(new URL("../docs/sem.schema.json", import.meta.url))
  const { stdout } = await runWarm(["schema"], { cwd: makeRepository({}) })
  expect(readFileSync(path, "utf8")).toBe(stdout)
})

test("the schema of an agent's memory is printed, and is the one that is shipped", async () => {
  const path = fileURLToPath(new URL("../templates/agent-memory.schema.yaml", import.meta.url))
  const { code, stdout } = await runWarm(["schema", "agent-memory"], { cwd: makeRepository({}) })
  expect(code).toBe(0)
  expect(parse(readFileSync(path, "utf8"))).toEqual(JSON.parse(stdout))
})

test("a schema that there is none of is refused with those that there are", async () => {
  const { code, stderr } = await runWarm(["schema", "memory"], { cwd: makeRepository({}) })
  expect(code).toBe(2)
  expect(stderr).toContain("entry, agent-memory")
})

async function compileSchema(cwd: string): Promise<ValidateFunction> {
  const { code, stdout } = await runWarm(["schema"], { cwd })
  expect(code).toBe(0)
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true })
  addFormats.default(ajv)
  return ajv.compile(JSON.parse(stdout))
}
