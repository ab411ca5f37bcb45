import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { openDatabase } from "../src/disk/sqlite.ts"
import { sqliteIndex } from "../src/index/sqlite-index.ts"
import { legacyEntry, semEntry } from "./legacy-fixtures.ts"
import { makeRepository, runCli, writeFiles } from "./run-cli.ts"
import { openTeam, teamFiles } from "./team-store.ts"
import { runWarm, warmCliIn } from "./warm-cli.ts"

const indexIn = (home: string) => {
  const [name = ""] = readdirSync(join(home, "index")).filter((each) => each.endsWith(".db"))
  return join(home, "index", name)
}

/** Everything the index holds but when its files were looked at. */
async function dump(home: string): Promise<string[]> {
  const index = await sqliteIndex(indexIn(home))
  const rows = await index.dump()
  await index.close()
  return rows.filter((row) => JSON.parse(row).kind !== "origin")
}

test("reindex reports how much it indexed", async () => {
  const { run } = warmCliIn(makeRepository(teamFiles))
  const { code, stdout } = await run("reindex")
  expect(code).toBe(0)
  expect(stdout).toMatch(/^10 items indexed in [\d.]+ s: .*4 in decisions.*\n/)
  const { stats, seconds, unreadable } = JSON.parse((await run("reindex", "--json")).stdout)
  expect(stats.sources).toEqual({ archive: 1, decisions: 4, history: 3, inbox: 1, skills: 1 })
  expect([typeof seconds, unreadable]).toEqual(["number", []])
})

test("after any series of edits the index equals a rebuilt one", async () => {
  const { root, home, drey } = openTeam()
  const look = async () =>
    void (await drey.search.items({ query: { filters: [], terms: [{ text: "lanterns", negated: false }] } }))
  const decisions = join(root, ".squad/decisions.md")
  const edit = (change: (text: string) => string) => writeFileSync(decisions, change(readFileSync(decisions, "utf8")))
  const memory = drey.governed
  let written = ""
  const edits: (() => unknown)[] = [
    () => edit((text) => text.replace("lanterns in every hall", "candles in every hall")),
    () => edit((text) => `${text}\n${semEntry("2026-02-15T09:00:00Z", "decision", "Ship on Monday")}`),
    () => edit((text) => text.replace("fifteen minutes", "twenty minutes")),
    () =>
      edit((text) => text.replace("# Decisions\n", `# Decisions\n\n${legacyEntry("2026-02-15", "Put this first")}`)),
    () => rmSync(join(root, ".squad/decisions/inbox/rook-elevator.md")),
    () => drey.governed.saveForAgent("kane", "The gateway needs a restart"),
    async () => {
      const result = await memory.write({ content: "Walruses guard the cluster.", class: "LOCAL", author: "kane" })
      written = result.stored ? result.id : ""
    },
    () => memory.promote(written, "DECISION", "kane"),
    () => drey.team.merge(),
    () => drey.team.changes.undo(),
    () => edit((text) => text.replace(/### 2026-02-12[\s\S]*?\n---\n/, "")),
    () => writeFiles(root, { ".squad/agents/newcomer/history.md": "# Newcomer\n\n- 2026-02-15: Hello\n" }),
    () => rmSync(join(root, ".squad/skills"), { recursive: true }),
    () =>
      edit((text) =>
        text.replace(
          /$/,
          semEntry("2026-02-16T09:00:00Z", "decision", "Use one lamp", {
            fields: ["**supersedes:** 2026-02-10T09:00:00Z"],
          }),
        ),
      ),
  ]
  await look()
  for (const change of edits) {
    await change()
    await look()
  }
  const grown = await dump(home)
  await drey.search.reindex()
  expect(await dump(home)).toEqual(grown)
  expect(grown.join("\n")).toContain("Use one lamp")
  expect(grown.join("\n")).not.toContain("rook-elevator")
})

test.each([
  ["not a database", (path: string) => writeFileSync(path, "This is a shopping list.\n".repeat(500))],
  ["cut off", (path: string) => truncateSync(path, 20_000)],
  ["of an older version", (path: string) => change(path, "PRAGMA user_version = 0")],
  ["another program's", (path: string) => change(path, "PRAGMA application_id = 42")],
  ["damaged within", (path: string) => damage(path)],
  ["without a table", (path: string) => change(path, "DROP TABLE contents")],
  ["without a column", (path: string) => change(path, "ALTER TABLE items DROP COLUMN scope")],
  ["without its words", (path: string) => change(path, "DROP TABLE words")],
  ["no longer JSON", (path: string) => change(path, "UPDATE items SET tags = 'x', supersedes = 'x'")],
])("an index file that is %s is set aside with a sentence, and the answer is right", async (_, spoil) => {
  const { run, home } = warmCliIn(makeRepository(teamFiles))
  const first = await run("search", "lanterns", "--json")
  expect(first.code).toBe(0)
  const path = indexIn(home)
  change(path, "PRAGMA wal_checkpoint(TRUNCATE)")
  spoil(path)
  const again = await run("search", "lanterns", "--json")
  expect(again.stdout).toBe(first.stdout)
  expect(again.code).toBe(0)
  expect(again.stderr.match(/^drey: the search index .* set aside as .* rebuilt$/gm)).toHaveLength(1)
  expect(readdirSync(join(home, "index")).filter((name) => name.includes("aside"))).not.toEqual([])
  const third = await run("search", "lanterns", "--json")
  expect([third.stdout, third.stderr]).toEqual([first.stdout, first.stderr])
})

test.each([
  "DROP TABLE origins",
  "DROP TABLE term_lists",
  "ALTER TABLE items DROP COLUMN rest_hash",
  "UPDATE origins SET stamp = 'x'",
])("reindex repairs a damaged index: %s", async (sql) => {
  const { run, home } = warmCliIn(makeRepository(teamFiles))
  const first = await run("search", "lanterns", "--json")
  change(indexIn(home), sql)
  expect(await run("reindex")).toMatchObject({ code: 0, stdout: expect.stringContaining("10 items indexed") })
  expect(await run("search", "lanterns", "--json")).toEqual(first)
})

test("doctor finds damage that shows only in use", async () => {
  const { run, home } = warmCliIn(makeRepository(teamFiles))
  await run("search", "lanterns")
  change(indexIn(home), "DROP TABLE terms")
  expect((await run("doctor")).stdout).toMatch(/search index.*was damaged; it was set aside/)
})

test("a deleted index is rebuilt silently", async () => {
  const { run, home } = warmCliIn(makeRepository(teamFiles))
  const first = await run("search", "lanterns", "--json")
  rmSync(join(home, "index"), { recursive: true })
  expect(await run("search", "lanterns", "--json")).toEqual(first)
})

test("other users cannot read the index or the log of contexts", async () => {
  const { run, home } = warmCliIn(makeRepository(teamFiles))
  await run("context", "--task", "lanterns")
  expect(modeOf(indexIn(home)) & 0o077).toBe(0)
  const [log = ""] = readdirSync(join(home, "contexts"))
  expect(modeOf(join(home, "contexts", log)) & 0o077).toBe(0)
})

test("two checkouts of one repository have an index each", async () => {
  const { run, home } = warmCliIn(makeRepository(teamFiles))
  const other = makeRepository({ ".squad/decisions.md": legacyEntry("2026-02-05", "Only here: gargoyles") })
  await run("search", "lanterns")
  const { stdout } = await runWarm(["search", "gargoyles"], { cwd: other, env: { DREY_HOME: home } })
  expect(stdout).toContain("Only here: gargoyles")
  expect((await run("search", "gargoyles")).stdout).not.toContain("Only here")
  expect(readdirSync(join(home, "index")).filter((name) => /^[^.]+\.db$/.test(name))).toHaveLength(2)
})

test("without the files of the embedding everything works by words, and says so once", async () => {
  const cli = makePackageWithout("assets")
  const cwd = makeRepository(teamFiles)
  const home = makeRepository({})
  for (const args of [["search", "lanterns"], ["context", "--task", "Use lanterns in every hall"], ["recent"]]) {
    const { code, stdout, stderr } = await runWarm(args, { cwd, cli, env: { DREY_HOME: home } })
    expect(code).toBe(0)
    expect(stdout).toMatch(/lanterns|elevator/)
    expect(stderr.match(/^drey: searching by words alone: .+$/gm) ?? []).toHaveLength(1)
  }
  const { stdout } = await runWarm(["context", "--task", "Use lanterns in every hall", "--budget", "3000", "--json"], {
    cwd,
    cli,
    env: { DREY_HOME: home },
  })
  const { tokens, text } = JSON.parse(stdout)
  expect(tokens).toBeGreaterThanOrEqual(text.length / 6)
})

test("an index folder that cannot be created is reported with its path, and the answer is given anyway", async () => {
  const cwd = makeRepository({ ...teamFiles, "a-file": "not a folder\n" })
  const { code, stderr } = await runCli(["search", "lanterns"], { cwd, env: { DREY_HOME: join(cwd, "a-file") } })
  expect(code).toBe(0)
  expect(stderr).toMatch(/^drey: the search index cannot be saved: .+a-file/m)
})

function change(path: string, sql: string): void {
  const database = openDatabase(path)
  database.exec(sql)
  database.close()
}

/** The head stays as it is; pages in the middle become noise. */
function damage(path: string): void {
  const bytes = readFileSync(path)
  bytes.fill(0xa5, 8192 * 2)
  writeFileSync(path, bytes)
}

function modeOf(path: string): number {
  return statSync(path).mode
}

/** The built package in another place, less one of its folders. */
function makePackageWithout(folder: string): string {
  const root = resolve(import.meta.dirname, "..")
  const copy = makeRepository({ "package.json": readFileSync(join(root, "package.json"), "utf8") })
  cpSync(join(root, "dist"), join(copy, "dist"), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  expect(existsSync(join(copy, folder))).toBe(false)
  return join(copy, "dist", "cli.cjs")
}
