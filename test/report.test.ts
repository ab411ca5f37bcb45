import { chmodSync, cpSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, readTree, runGit, writeFiles } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const stores = join(import.meta.dirname, "fixtures", "stores")

/** A repository of which one file has gone, with the sample stores in it. */
function makePlace(): string {
  const cwd = makeRepository({
    "package.json": '{ "scripts": { "mirror": "node mirror.js" } }\n',
    "src/turn.ts": "export const turn = 1\n",
    "src/lens.ts": "export const lens = 1\n",
    "test/turn.test.ts": "",
  })
  runGit(cwd, "init", "-q")
  runGit(cwd, "add", "--all")
  runGit(cwd, "commit", "-qm", "lamp and lens")
  runGit(cwd, "rm", "-q", "src/lens.ts")
  runGit(cwd, "commit", "-qm", "no lens")
  cpSync(stores, join(cwd, "stores"), { recursive: true })
  return cwd
}

test("a mem0 export is split into good, junk, duplicates and stale, by line", async () => {
  const cwd = makePlace()
  const { code, stdout } = await runWarm(["report", "--from", "stores/mem0-export.json", "--json"], { cwd })
  const [store] = JSON.parse(stdout).stores
  expect(code).toBe(0)
  expect(store).toMatchObject({
    format: "mem0",
    memories: 15,
    clean: 4,
    counts: { secrets: 0, junk: 7, duplicates: 2, stale: 2 },
  })
  const byLine = (list: { line: number; kind: string }[]) => list.map(({ line, kind }) => `${line} ${kind}`)
  expect(byLine(store.junk)).toEqual([
    "9 greeting",
    "10 prompt",
    "11 passing",
    "12 passing",
    "13 truncated",
    "14 empty",
    "15 code",
  ])
  expect(byLine(store.duplicates)).toEqual(["7 near", "8 exact"])
  expect(byLine(store.stale)).toEqual(["16 past", "17 old"])
})

test("notes that name a deleted file are stale, and one that never existed is reported beside them", async () => {
  const cwd = makePlace()
  writeFiles(cwd, { "stores/MEMORY.md": "- The lens is in `src/lens.ts`\n- The horn is in `src/horn.ts`\n" })
  const { stdout } = await runWarm(["report", "--from", "stores/MEMORY.md"], { cwd })
  expect(stdout).toMatch(
    /name something that no longer exists: 1\n +line 1 {2}src\/lens\.ts is gone since \d{4}-\d{2}-\d{2}/,
  )
  expect(stdout).toContain("Never in this repository: src/horn.ts.")
  expect(stdout).toMatch(/Sound +1 +50 %/)
})

test("a secret is reported by its rule and line, and never shown", async () => {
  const token = `ghp_${"aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA2cD4"}`
  const cwd = makeRepository({ "MEMORY.md": `# Memory\n\n- Thanks, the token is ${token}\n- The token is ${token}\n` })
  for (const flags of [[], ["--json"]]) {
    const { stdout, stderr } = await runWarm(["report", "--from", "MEMORY.md", ...flags], { cwd })
    expect(stdout + stderr).not.toContain(token.slice(4, 20))
    expect(stdout).toContain("github-token")
  }
  expect((await runWarm(["report", "--from", "MEMORY.md"], { cwd })).stdout).toContain(
    "github-token: 2  line 3, line 4",
  )
})

test("each store of a folder is reported, its notes as one, and nothing is written", async () => {
  const cwd = makePlace()
  writeFiles(cwd, {
    "stores/CLAUDE.md": "- Never push to main on a Friday\n",
    "stores/other.json": '{"a":1}',
    "stores/README.md": "- x\n",
  })
  const before = readTree(cwd)
  const { code, stdout } = await runWarm(["report", "--from", "stores", "--json"], { cwd })
  expect(code).toBe(0)
  const found = JSON.parse(stdout).stores as { format: string; parts: string[]; broken: object[] }[]
  expect(found.map(({ format }) => format).sort()).toEqual(["markdown", "mem0", "server-memory"])
  expect(found.find(({ format }) => format === "markdown")?.parts).toEqual(["2 files"])
  expect(found.find(({ format }) => format === "server-memory")?.broken).toHaveLength(1)
  expect(readTree(cwd)).toEqual(before)
})

test("an unreadable file is skipped with a reason, and the others are reported", async () => {
  const deep = "[".repeat(50_000)
  const cwd = makeRepository({
    "stores/deep.json": deep,
    "stores/CLAUDE.md": "- Never push on a Friday\n",
    "deep/a.json": deep,
  })
  const { code, stdout } = await runWarm(["report", "--from", "stores"], { cwd })
  expect(code).toBe(0)
  expect(stdout).toContain("CLAUDE.md: 1 memory")
  expect(stdout).toContain("Skipped deep.json: deep.json:1 is nested too deep")
  for (const path of ["stores/deep.json", "deep"]) {
    const alone = await runWarm(["report", "--from", path], { cwd })
    expect(alone.code).toBe(2)
    expect(alone.stderr).toContain(":1 is nested too deep")
  }
})

test.skipIf(process.platform === "win32")("a folder that may not be looked into is skipped, too", async () => {
  const cwd = makeRepository({ "CLAUDE.md": "- Never push on a Friday\n", "closed/CLAUDE.md": "- Push on Monday\n" })
  chmodSync(cwd, 0o755)
  chmodSync(join(cwd, "closed"), 0o600)
  const uid = process.getuid?.() === 0 ? { uid: 65534 } : {} // root may look into everything
  const { code, stdout } = await runWarm(["report", "--from", "."], { cwd, ...uid })
  chmodSync(join(cwd, "closed"), 0o700)
  expect(code).toBe(0)
  expect(stdout).toContain("CLAUDE.md: 1 memory")
  expect(stdout).toContain("Skipped closed/")
  expect(stdout).toContain("no permission")
})

test("unreadable parts of an export are reported with their line", async () => {
  const cwd = makeRepository({ "export.json": '[\n{"id":"1","memory":"The lamp is lit at dusk"},\n{"id":"2","mem' })
  const { code, stdout } = await runWarm(["report", "--from", "export.json"], { cwd })
  expect(code).toBe(0)
  expect(stdout).toContain("Could not be read: 1 place, not counted above.")
  expect(stdout).toContain("line 3  not JSON; nothing was read from here on")
})

test("where kinds add up to more than their rows, the report explains why", async () => {
  const record = (id: string, memory: string) => ({ id, memory, created_at: "2020-01-02T03:04:05Z" })
  const of = (...records: object[]) => ({ "export.json": JSON.stringify(records) })
  const twice = makeRepository(of(record("1", "hello"), record("2", "The lamp is lit at dusk")))
  const { stdout } = await runWarm(["report", "--from", "export.json"], { cwd: twice })
  expect(stdout).toMatch(/Stale +1 +50 %\n +old: 2\n/)
  expect(stdout).toContain("Each memory counts once, in the first matching row")
  const once = makeRepository(of(record("2", "The lamp is lit at dusk")))
  expect((await runWarm(["report", "--from", "export.json"], { cwd: once })).stdout).not.toContain(
    "Each memory counts once",
  )
})

test("more memories than can be compared by meaning are reported as not compared", async () => {
  const records = Array.from({ length: 20_001 }, (_, at) => ({ id: `${at}`, memory: `Lamp ${at} is lit` }))
  const cwd = makeRepository({ "more.json": JSON.stringify(records), "few.json": JSON.stringify(records.slice(0, 2)) })
  const sentence = "Too many memories to compare by meaning: only exact copies were checked"
  expect((await runWarm(["report", "--from", "more.json"], { cwd })).stdout).toContain(sentence)
  expect((await runWarm(["report", "--from", "few.json"], { cwd })).stdout).not.toContain(sentence)
})

test("an export without a memory is nothing on record", async () => {
  const cwd = makeRepository({
    "export.json": '{"results": []}',
    "folder/export.json": "[]",
    "MEMORY.md": "# Memory\n",
  })
  for (const path of ["export.json", "folder", "MEMORY.md"]) {
    const { code, stdout } = await runWarm(["report", "--from", path], { cwd })
    expect(code).toBe(1)
    expect(stdout).toContain("0 memories")
  }
})

test("without a repository, files and commands are not looked for, and the report says so", async () => {
  const cwd = makeRepository({ "MEMORY.md": readFileSync(join(stores, "MEMORY.md")) })
  const { code, stdout } = await runWarm(["report", "--from", "MEMORY.md"], { cwd })
  expect(code).toBe(0)
  expect(stdout).toContain("No repository found, so files and commands were not checked.")
})

test("a file that is not a store is refused with the supported formats", async () => {
  const cwd = makeRepository({ "package.json": "{}" })
  for (const path of ["package.json", "."]) {
    const { code, stderr } = await runWarm(["report", "--from", path], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain("mem0")
  }
  expect((await runWarm(["report", "--from", "none.json"], { cwd })).stderr).toContain("none.json does not exist")
})

test("without --from it is about this project's own memory", async () => {
  const entry = (title: string, second: number) => `### 2026-02-15T14:32:${second}+0000: decision: ${title}

**type:** decision
**timestamp:** 2026-02-15T14:32:${second}+0000
**author:** Kane

**summary:** ${title}.

---
`
  const cwd = makeRepository({
    ".squad/decisions.md": `${entry("Use lanterns in halls", 10)}\n${entry("Use lanterns in halls", 11)}`,
  })
  const { code, stdout } = await runWarm(["report", "--json", "--old-after", "90000"], { cwd })
  expect(code).toBe(0)
  expect(JSON.parse(stdout).stores[0]).toMatchObject({ format: "entries", memories: 2, counts: { duplicates: 1 } })
})
