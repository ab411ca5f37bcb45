import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { openDatabase } from "../src/disk/sqlite.ts"
import type { ImportedProposal } from "../src/team/import/foreign-import.ts"
import type { FoundSource } from "../src/team/import/foreign-sources.ts"
import { makeRepository, readTree } from "./run-cli.ts"
import { runWarm, warmCliIn } from "./warm-cli.ts"

const store = { ".squad/decisions.md": "# Squad Decisions\n" }

const adr = {
  "docs/adr/0001-use-mysql.md":
    "# 1. Use MySQL\n\nDate: 2016-01-02\n\n## Status\n\nSuperseded by [2](0002-use-postgresql.md)\n\n## Decision\n\nMySQL.\n",
  "docs/adr/0002-use-postgresql.md":
    "# 2. Use PostgreSQL\n\nDate: 2016-02-12\n\n## Status\n\nAccepted\n\n## Context\n\nGrowth.\n\n## Decision\n\nPostgreSQL.\n",
}

test("decision records become proposals in the inbox, with their origin and links", async () => {
  const root = makeRepository({ ...store, ...adr })
  const { code, stdout } = await runWarm(["import", "docs/adr", "--json"], { cwd: root })
  expect(code).toBe(0)
  const result = JSON.parse(stdout)
  expect(result).toMatchObject({ kind: "proposals", format: "adr", known: [], refused: [] })
  const [older, newer] = result.proposed
  const text = readFileSync(join(root, newer.path), "utf8")
  expect(text).toContain("**origin:** adr")
  expect(text).toContain("**originFile:** docs/adr/0002-use-postgresql.md:1")
  expect(text).toContain(`**supersedes:** ${older.id}`)
  expect(text).toContain("**precision:** day")
  expect(text).not.toContain(root)
  const active = JSON.parse((await runWarm(["memory", "--json"], { cwd: root })).stdout)
  expect(active.map(({ title }: { title: string }) => title)).toEqual(["Use PostgreSQL"]) // the other is superseded
  expect((await runWarm(["validate"], { cwd: root })).code).toBe(0)
})

test("importing again brings in only what is new", async () => {
  const root = makeRepository({ ...store, ...adr })
  await runWarm(["import", "docs/adr"], { cwd: root })
  const before = readTree(join(root, ".squad", "decisions"))
  const { stdout } = await runWarm(["import", "docs/adr", "--json"], { cwd: root })
  expect(JSON.parse(stdout)).toMatchObject({ proposed: [], known: [expect.any(String), expect.any(String)] })
  expect(readTree(join(root, ".squad", "decisions"))).toEqual(before)
})

test("rules, a memory server's lines and a memory bank are detected automatically", async () => {
  const root = makeRepository({
    ...store,
    "CLAUDE.md": "# Rules\n\n- Use tabs for indentation\n",
    "memory.json": `${JSON.stringify({ type: "entity", name: "Kane", entityType: "person", observations: ["Prefers tabs"] })}\n`,
    "memory-bank/projectbrief.md": "# Brief\n\nA shop.\n",
    "memory-bank/techContext.md": "## Stack\n\nNode.\n",
    "notes.md": "Hello.\n",
    ...adr,
  })
  for (const [path, format, number] of [
    ["CLAUDE.md", "rules", 1],
    ["memory.json", "server-memory", 1],
    ["memory-bank", "cline", 2],
    ["docs/adr", "adr", 2],
  ] as const) {
    const { code, stdout } = await runWarm(["import", path, "--json"], { cwd: root })
    expect([path, code]).toEqual([path, 0])
    const result = JSON.parse(stdout)
    expect([result.format, result.proposed.length]).toEqual([format, number])
  }
  expect(readdirSync(join(root, ".squad/decisions/inbox"))).toHaveLength(6)
  const unknown = await runWarm(["import", "notes.md"], { cwd: root })
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("Could not detect the format of ")])
  expect((await runWarm(["import", "notes.md", "--format", "toml"], { cwd: root })).code).toBe(2)
  expect((await runWarm(["import", "nowhere"], { cwd: root })).code).toBe(2)
  const found = await runWarm(["import", "--json"], { cwd: root })
  expect(JSON.parse(found.stdout).map(({ path, format, entries }: FoundSource) => [path, format, entries])).toEqual([
    ["CLAUDE.md", "rules", 1],
    [join("docs", "adr"), "adr", 2],
    ["memory-bank", "cline", 2],
    ["memory.json", "server-memory", 1],
  ])
})

test("an imported rule is not binding before a person has accepted it", async () => {
  const root = makeRepository({ ...store, "CLAUDE.md": "# Rules\n\n- Use tabs for indentation\n" })
  await runWarm(["import", "CLAUDE.md"], { cwd: root })
  const waiting = await runWarm(["merge"], { cwd: root })
  expect([waiting.code, waiting.stderr]).toEqual([
    1,
    expect.stringContaining("needs review: imported rule: confirm that it applies"),
  ])
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toBe(store[".squad/decisions.md"])
  const accepted = await runWarm(["merge", "--accept-review"], { cwd: root })
  expect([accepted.code, accepted.stderr]).toEqual([0, "Trusted this repository. Undo: drey trust --remove\n"])
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toContain("Use tabs for indentation")
})

test("a dry run shows the proposals and writes none", async () => {
  const root = makeRepository({ ...store, ...adr })
  const before = readTree(root)
  const { code, stdout } = await runWarm(["import", "docs/adr", "--dry-run"], { cwd: root })
  expect(code).toBe(0)
  expect(stdout).toContain("Would propose 2 decisions.")
  expect(readTree(root)).toEqual(before)
})

test("an entry with a secret or a passing status is refused, reported without its value, and the rest comes in", async () => {
  const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`
  const root = makeRepository({
    ...store,
    "AGENTS.md": `- Use tabs for indentation\n- Always log in with the token ${token}\n- Always ask ines.falk@corp-mail.com first\n`,
    "memory-bank/activeContext.md": "## Now\n\nCI failed on main\n\n## Focus\n\nThe parser.\n",
  })
  const rules = await runWarm(["import", "AGENTS.md"], { cwd: root })
  expect(rules.code).toBe(1)
  expect(rules.stderr).toContain("refused AGENTS.md:2: access token")
  const bank = await runWarm(["import", "memory-bank", "--format", "cline"], { cwd: root })
  expect(bank.stderr).toContain("refused memory-bank/activeContext.md:1: transient CI/PR status")
  const tree = JSON.stringify(readTree(join(root, ".squad")))
  expect(tree).not.toContain(token)
  expect(tree).not.toContain("ines.falk")
  expect(readdirSync(join(root, ".squad/decisions/inbox"))).toHaveLength(3)
})

test("without a team folder there is no inbox to propose to", async () => {
  const root = makeRepository(adr)
  expect(await runWarm(["import", "docs/adr"], { cwd: root })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("has no .squad folder"),
  })
})

test("agents' own memories are recognised by content; notes about the user and other projects are left out", async () => {
  const root = makeRepository({
    ...store,
    "claude/MEMORY.md": "# Memory\n\n- [No mocks](feedback_db.md): a real database\n",
    "claude/feedback_db.md":
      "---\nname: no-mocks\ndescription: d\nmetadata:\n  type: feedback\n---\nTests use a real database.\n**Why:** mocks hid a bug\n",
    "claude/user_role.md": "---\nname: role\ndescription: d\ntype: user\n---\nThe user is a plumber.\n",
    "codex/MEMORY.md": [
      "# Task Group: shop / prices",
      "scope: prices",
      "applies_to: cwd=/elsewhere/shop; reuse_rule=here",
      "## Reusable knowledge",
      "- Prices are in /elsewhere [Task 1]",
      "# Task Group: anywhere",
      "applies_to: cwd=any checkout",
      "## User preferences",
      '- when reviewing, the user asked: "short answers" -> answer briefly [Task 1][Task 2]',
      "## Task 1: a task",
    ].join("\n"),
    "mem0.json": JSON.stringify({
      results: [{ id: "1", memory: "Prefers dark mode", created_at: "2026-01-02T00:00:00Z" }],
    }),
    "notes/auth.md":
      "---\ntitle: Auth\npermalink: auth\ntags: [security]\n---\n# Auth\n\n## Observations\n- [decision] Tokens live 15 minutes #security\n- [status] Deployed\n\n## Relations\n- part_of [[Login]]\n",
  })
  const read = async (path: string) =>
    JSON.parse((await runWarm(["import", path, "--dry-run", "--json"], { cwd: root })).stdout)
  expect(await read("claude")).toMatchObject({
    format: "claude-memory",
    proposed: [{ type: "directive", title: "Tests use a real database." }],
    skipped: [{ reason: "private notes about the user", count: 1 }],
  })
  expect(await read("codex")).toMatchObject({
    format: "codex-memory",
    proposed: [{ type: "memory", title: 'when reviewing, the user asked: "short answers" -> answer briefly', line: 9 }],
    skipped: [{ reason: "of other projects", count: 1 }],
  })
  expect(await read("mem0.json")).toMatchObject({
    format: "mem0",
    proposed: [{ type: "memory", title: "Prefers dark mode" }],
  })
  expect(await read("notes")).toMatchObject({
    format: "basic-memory",
    proposed: [
      { type: "memory", title: "Auth" },
      { type: "decision", title: "Tokens live 15 minutes", line: 9 },
    ],
  })
})

test("claude-mem's database gives this project's decisions, findings and fixes", async () => {
  const root = makeRepository(store)
  const path = join(root, "claude-mem.db")
  const database = openDatabase(path)
  database.exec(`CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT,
    title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, created_at TEXT, created_at_epoch INTEGER)`)
  const insert = database.prepare(
    "INSERT INTO observations (project, type, title, narrative, facts, concepts, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
  )
  const at = "2026-02-03T10:00:00.000Z"
  insert.run(basename(root), "decision", "Use WAL mode", "Readers do not block.", '["one writer"]', '["sqlite"]', at)
  insert.run(basename(root), "feature", "Added a button", "Blue.", "[]", "[]", at)
  insert.run("elsewhere", "decision", "Use XML", "", "[]", "[]", at)
  database.close()
  const { stdout } = await runWarm(["import", path, "--json"], { cwd: root })
  const result = JSON.parse(stdout)
  expect(result).toMatchObject({
    format: "claude-mem",
    proposed: [{ type: "decision", title: "Use WAL mode" }],
    skipped: [
      { reason: "of other projects", count: 1 },
      { reason: "log entries of features, refactorings and changes", count: 1 },
    ],
  })
  const text = readFileSync(join(root, result.proposed[0].path), "utf8")
  expect(text).toContain("Readers do not block.\n\n- one writer")
  expect(text).toContain("2026-02-03")
  const elsewhere = makeRepository(store)
  expect((await runWarm(["import", path], { cwd: elsewhere })).stderr).toContain("It has: ")
})

test("a file that only points to another one, or imports it, is followed inside the repository", async () => {
  const root = makeRepository({
    ...store,
    "CLAUDE.md": "@AGENTS.md\n@../outside.md\n",
    "AGENTS.md": "# Rules\n\nRead @docs/style.md too.\n\n- Never push to main\n",
    "docs/style.md": "- Always use tabs\n",
  })
  writeFileSync(join(root, "..", "outside.md"), "- Never look here\n")
  onTestFinished(() => rmSync(join(root, "..", "outside.md"), { force: true }))
  const { stdout } = await runWarm(["import", "CLAUDE.md", "--json"], { cwd: root })
  const places = JSON.parse(stdout).proposed.map(({ from, line, title }: ImportedProposal) => [from, line, title])
  expect(places).toEqual([
    ["AGENTS.md", 5, "Never push to main"],
    ["docs/style.md", 1, "Always use tabs"],
  ])
})

test("an indexed file is found by searches with its line, is in no context, and undo forgets it", async () => {
  const root = makeRepository({
    ...store,
    ".squad/config.json": '{ "memory": { "logLevel": "info" } }',
    "AGENTS.md": "# Agents\n\n## Changelog\n\nNever edit the changelog by hand.\n",
  })
  const { run } = warmCliIn(root)
  const search = async () => JSON.parse((await run("search", "changelog", "--json")).stdout || "[]")
  const indexed = await run("import", "AGENTS.md", "--index")
  expect([indexed.code, indexed.stdout]).toEqual([0, expect.stringContaining("Searches find AGENTS.md now")])
  expect(await search()).toMatchObject([{ title: "Changelog", source: "docs", path: "AGENTS.md", line: 3 }])
  const context = await run("context", "edit the changelog", "--json")
  expect(JSON.parse(context.stdout).text).not.toContain("by hand")
  expect(JSON.parse(readFileSync(join(root, ".squad/config.json"), "utf8"))).toEqual({
    memory: { logLevel: "info" },
    drey: { sources: ["AGENTS.md"] },
  })
  expect((await run("import", "AGENTS.md", "--index")).stdout).toContain("already")
  await run("undo")
  expect(await search()).toEqual([])
  expect((await run("import", "package.json", "--index")).code).toBe(2)
})
