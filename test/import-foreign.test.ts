import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, readTree } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

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
  expect((await runWarm(["import"], { cwd: root })).code).toBe(2)
})

test("an imported rule is not binding before a person has accepted it", async () => {
  const root = makeRepository({ ...store, "CLAUDE.md": "# Rules\n\n- Use tabs for indentation\n" })
  await runWarm(["import", "CLAUDE.md"], { cwd: root })
  const waiting = await runWarm(["merge"], { cwd: root })
  expect([waiting.code, waiting.stderr]).toEqual([
    1,
    expect.stringContaining("needs review: imported rule, not confirmed by a person"),
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
  expect(stdout).toContain("Would propose 2 entries (adr).")
  expect(readTree(root)).toEqual(before)
})

test("an entry with a secret or a passing status is refused, reported without its value, and the rest comes in", async () => {
  const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`
  const root = makeRepository({
    ...store,
    "AGENTS.md": `- Use tabs for indentation\n- Log in with the token ${token}\n- Ask ines.falk@corp-mail.com first\n`,
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
