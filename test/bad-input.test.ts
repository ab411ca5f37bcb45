import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { expectNoBug, expectRefusal } from "./expect-refusal.ts"
import { fakeSecret, legacyEntry } from "./legacy-fixtures.ts"
import { makeRepository, readTree, runGit } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const decisions = ".squad/decisions.md"
const good = ".squad/decisions/inbox/wren-queues.md"
const goodEntry = legacyEntry("2026-02-05", "Use two queues", { by: "Wren" })
const entry = legacyEntry("2026-02-03", "Use one index")
const conflict = `${entry}\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n`

/** What can be wrong with a file of the store, and what must be said of it. */
const badFiles: [name: string, make: (path: string) => void, sentence: RegExp][] = [
  [
    "not UTF-8",
    (path) => writeFileSync(path, Buffer.from(`${entry}\nCaf\xe9\n`, "latin1")),
    /decisions\.md:6\b.*UTF-8/,
  ],
  ["UTF-16", (path) => writeFileSync(path, Buffer.from(`\uFEFF${entry}`, "utf16le")), /decisions\.md.*UTF-16/],
  ["a folder", (path) => mkdirSync(path), /decisions\.md.*folder/],
  ["of 100 MB", (path) => makeSparse(path, 100 * 1024 * 1024), /decisions\.md.*too large/],
  ["one with NUL bytes", (path) => writeFileSync(path, `${entry}\n\0\n`), /decisions\.md:6\b.*NUL/],
  ["one with a merge conflict", (path) => writeFileSync(path, conflict), /decisions\.md:6\b.*merge conflict/],
  ["a link to nothing", (path) => symlinkSync("elsewhere.md", path), /decisions\.md/],
  ["a link to itself", (path) => symlinkSync("decisions.md", path), /decisions\.md/],
]

test.each(badFiles)("validate reports that a file is %s, and checks the others", async (_, make, sentence) => {
  const cwd = storeWith(make)
  const before = readTree(cwd)
  const result = await runWarm(["validate"], { cwd })
  expectRefusal(result, sentence)
  expect(result.stdout).toContain(`${good}:1`)
  expect(readTree(cwd)).toEqual(before)
})

test.each(badFiles)("validate reports that a given file is %s", async (_, make, sentence) => {
  const cwd = storeWith(make)
  const before = readTree(cwd)
  const result = await runWarm(["validate", decisions, good], { cwd })
  expectRefusal(result, sentence)
  expect(result.stdout).toContain(`${good}:1`)
  expect(readTree(cwd)).toEqual(before)
})

test.each(badFiles)(
  "memory reports that a file is %s, and lists the entries of the others",
  async (_, make, sentence) => {
    const cwd = storeWith(make)
    const before = readTree(cwd)
    const result = await runWarm(["memory"], { cwd })
    expectRefusal(result, sentence)
    expect(result.stdout).toContain("Use two queues")
    expect(readTree(cwd)).toEqual(before)
  },
)

test.each(badFiles)(
  "convert-memory reports that a file is %s, skips it and converts the others",
  async (_, make, sentence) => {
    const cwd = storeWith(make)
    const { [decisions]: before } = readTree(cwd)
    const result = await runWarm(["convert-memory"], { cwd })
    expectRefusal(result, sentence)
    expect(readTree(cwd)[decisions]).toBe(before)
    expect(readFileSync(join(cwd, good), "utf8")).toContain("**type:** decision")
  },
)

const commands = ["validate", "memory", "convert-memory"]

test.each(commands)("%s reports the unreadable file and continues with the others", async (command) => {
  const cwd = makeRepository({ [decisions]: entry, [good]: goodEntry })
  const other = giveAway(cwd)
  chmodSync(join(cwd, decisions), 0)
  const result = await runWarm([command], { cwd, env: { DREY_HOME: join(cwd, "home") }, ...other })
  expectRefusal(result, /decisions\.md/)
  expect(result.stdout).toContain(command === "memory" ? "Use two queues" : good)
})

test.each(commands)("%s reports a folder that cannot be opened, and reads the others", async (command) => {
  const cwd = makeRepository({ [decisions]: entry, [good]: goodEntry })
  const other = giveAway(cwd)
  chmodSync(join(cwd, dirname(good)), 0)
  const result = await runWarm([command], { cwd, env: { DREY_HOME: join(cwd, "home") }, ...other })
  chmodSync(join(cwd, dirname(good)), 0o755)
  expectRefusal(result, /decisions\/inbox/)
})

test("a folder that cannot be opened is a warning of search and doctor, which answer from the other files", async () => {
  const cwd = makeRepository({
    [decisions]: entry,
    ".squad/agents/kane/history.md": "x",
    ".squad/skills/closed/SKILL.md": "x",
    ".squad/skills/.gitkeep": "",
    ".squad/templates/one/a.md": "x",
  })
  const other = giveAway(cwd)
  const closed = [".squad/agents/kane", ".squad/skills/closed", ".squad/templates/one"].map((path) => join(cwd, path))
  for (const path of closed) chmodSync(path, 0)
  const run = (...args: string[]) => runWarm(args, { cwd, env: { DREY_HOME: join(cwd, "home") }, ...other })
  const found = await run("search", "index", "--json")
  const doctor = await run("doctor", "--json")
  for (const path of closed) chmodSync(path, 0o755)
  expect(found.code).toBe(1) // answered, and may be incomplete
  expect(JSON.parse(found.stdout)).toHaveLength(1)
  expect(found.stderr).toContain(".squad/agents/kane/history.md")
  expect(found.stderr).toContain(".squad/skills/closed/SKILL.md")
  const readable = JSON.parse(doctor.stdout).checks.find(({ name }: { name: string }) => name === "readable files")
  expect(readable.message).toContain(".squad/templates/one/*.md")
})

test("convert-memory reports that it may not write, and has changed nothing", async () => {
  const cwd = makeRepository({ [decisions]: entry })
  const other = giveAway(cwd)
  chmodSync(join(cwd, ".squad"), 0o555)
  const before = readTree(cwd)
  const result = await runWarm(["convert-memory"], { cwd, ...other })
  chmodSync(join(cwd, ".squad"), 0o755)
  expectRefusal(result, /\.squad/)
  expect(result.stdout).not.toContain("Backup written")
  expect(readTree(cwd)).toEqual(before)
})

test.each([
  ["agents is a file", { ".squad/agents": "no folder\n" }],
  ["team.md is a folder", { ".squad/team.md/readme.txt": "no file\n" }],
  ["team.md is not UTF-8", { ".squad/team.md": Buffer.from("| Ren\xe9 |\n", "latin1") }],
  ["config.json is not JSON", { ".squad/config.json": "drey: yes\n" }],
  ["backups is a file", { ".squad/backups": "no folder\n" }],
  ["the lock file is no lock", { ".squad/.drey/lock": "not a database at all, but long enough to be read as one\n" }],
])("no command fails for a reason of its own when %s", async (_, files) => {
  const cwd = makeRepository({ [decisions]: entry, ...files })
  for (const command of commands) expectNoBug(await runWarm([command], { cwd }))
  const text = readFileSync(join(cwd, decisions), "utf8")
  expect([entry, expect.stringContaining("**type:** decision")]).toContainEqual(text)
})

test.each(commands)("%s reports that there is no store", async (command) => {
  const cwd = makeRepository({ "readme.md": "# Nothing here\n" })
  const before = readTree(cwd)
  const result = await runWarm([command], { cwd })
  expectRefusal(result, /has no \.squad folder/)
  expect(result.stderr).toContain(cwd)
  expect(result.code).toBe(2)
  expect(readTree(cwd)).toEqual(before)
})

test.each(commands)("%s reports that the given root does not exist", async (command) => {
  const cwd = makeRepository({ [decisions]: entry })
  expectRefusal(await runWarm([command, "--root", "nowhere"], { cwd }), /nowhere does not exist/)
})

const noEntries = "# Squad Decisions\n\n## Active Decisions\n\nNo decisions recorded yet.\n"

test.each([
  ["only headings", noEntries],
  ["nothing", ""],
])("a file with %s in it is not a valid file of entries", async (_, content) => {
  const cwd = makeRepository({ [decisions]: content })
  const before = readTree(cwd)
  expectRefusal(await runWarm(["validate", decisions], { cwd }), /decisions\.md:1\b.*no entries/)
  expect(readTree(cwd)).toEqual(before)
})

test.each(commands)("%s reports that a store has no entries", async (command) => {
  const cwd = makeRepository({ [decisions]: noEntries })
  const before = readTree(cwd)
  const result = await runWarm([command], { cwd })
  expectNoBug(result)
  expect(result.stdout + result.stderr).toMatch(/\b(no|0) (legacy )?entr(y|ies)\b/i)
  expect(readTree(cwd)).toEqual(before)
})

test.each([
  [["valdate"], /unknown command 'valdate'[\s\S]*validate/],
  [["memory", "--typ", "decision"], /unknown option '--typ'[\s\S]*--type/],
  [["validate", "--format", "xml"], /xml.*[\s\S]*text, json, github, sarif/],
  [["memory", "--type", "decison"], /decison.*[\s\S]*decision, memory, note, directive/],
  [["memory", "--after", "2026-13-01"], /"2026-13-01" is not a date/],
  [["memory", "--before", "last week"], /"last week" is not a date/],
  [["memory", "--as-of", "2026-02-30"], /"2026-02-30" is not a date/],
  [["memory", "--recent", "fortnight"], /"fortnight" is not a duration.*7d/],
  [["memory", "--scope", "everyone"], /"everyone" is not a scope.*agent:/],
  [["memory", "autor:Rook"], /"autor:" is not a key. Did you mean "author:"\?/],
  [["memory", "type:decison"], /"decison" is not a type. Did you mean "decision"\?/],
  [["memory", "tag:"], /"tag:" needs a value/],
  [["memory", '"never closed'], /Missing closing quote/],
  [["convert-memory", "decisions.md"], /too many arguments/],
  [["convert-memory", "--review-in", "nothing.json"], /nothing\.json does not exist/],
  [["convert-memory", "--review-out", "."], /folder/],
  [["view", "squadui", "--out", decisions], /decisions\.md/],
])("the command line %j gets an error that says what is wrong", async (args, sentence) => {
  const cwd = makeRepository({ [decisions]: entry })
  const before = readTree(cwd)
  const result = await runWarm(args, { cwd })
  expectRefusal(result, sentence)
  expect(result.stdout).toBe("")
  expect(result.code).toBe(2)
  expect(readTree(cwd)).toEqual(before)
})

test("--staged outside of a git repository says so", async () => {
  const cwd = makeRepository({ [decisions]: entry })
  const result = await runWarm(["validate", "--staged"], { cwd })
  expectRefusal(result, /git repository/)
  expect(result.code).toBe(2)
})

test("--staged in the middle of a merge names the unresolved file", async () => {
  const cwd = makeRepository({ [decisions]: entry })
  runGit(cwd, "init", "--quiet", "--initial-branch=main")
  commitWith(cwd, entry)
  runGit(cwd, "switch", "--quiet", "-c", "other")
  commitWith(cwd, entry.replace("simpler", "faster"))
  runGit(cwd, "switch", "--quiet", "main")
  commitWith(cwd, entry.replace("simpler", "cheaper"))
  expect(() => runGit(cwd, "merge", "--quiet", "other")).toThrow()
  expectRefusal(await runWarm(["validate", "--staged"], { cwd }), /decisions\.md/)
})

test("a damaged manifest of a backup is reported, and nothing is restored", async () => {
  const cwd = makeRepository({ [decisions]: entry, ".squad/backups/convert-20260301T000000Z/manifest.json": "{" })
  const before = readTree(cwd)
  const result = await runWarm(["convert-memory", "--undo", "20260301T000000Z"], { cwd })
  expectRefusal(result, /manifest\.json/)
  expect(readTree(cwd)[decisions]).toBe(before[decisions])
})

test("a file that --undo would restore and that is gone is named", async () => {
  const cwd = makeRepository({ [decisions]: entry })
  const { stdout } = await runWarm(["convert-memory"], { cwd })
  rmSync(join(cwd, decisions))
  const time = /convert-(\w+)/.exec(stdout)?.[1] ?? ""
  expectRefusal(await runWarm(["convert-memory", "--undo", time], { cwd }), /decisions\.md/)
})

test("a line that never ends and ten thousand open fences are handled", async () => {
  const cwd = makeRepository({
    [decisions]: `${entry}\n${"a".repeat(5_000_000)}\n${"```\nopen\n\n".repeat(10_001)}`,
    [good]: goodEntry,
  })
  for (const command of commands) expectNoBug(await runWarm([command], { cwd }))
})

test("a secret in an unreadable file is in no message about it", async () => {
  const cwd = makeRepository({ [decisions]: `${entry}\n${fakeSecret()}\0\n` })
  for (const command of commands) {
    const { stdout, stderr } = await runWarm([command], { cwd })
    expect((stdout + stderr).includes(fakeSecret())).toBe(false)
  }
})

/** A store whose decisions.md is what `make` makes, beside a file that is in order. */
function storeWith(make: (path: string) => void): string {
  const cwd = makeRepository({ [good]: goodEntry })
  make(join(cwd, decisions))
  return cwd
}

function makeSparse(path: string, bytes: number): void {
  writeFileSync(path, "")
  truncateSync(path, bytes)
}

/** Root may read everything, so where the tests run as root the command runs as a user who owns the folder. */
function giveAway(folder: string): { uid?: number } {
  const nobody = 65534
  chmodSync(folder, 0o755)
  if (process.getuid?.() !== 0) return {}
  chownSync(folder, nobody, nobody)
  for (const path of Object.keys(readTree(folder))) chownSync(join(folder, path), nobody, nobody)
  return { uid: nobody }
}

function commitWith(cwd: string, text: string): void {
  writeFileSync(join(cwd, decisions), text)
  runGit(cwd, "add", "--all")
  runGit(cwd, "commit", "--quiet", "--allow-empty", "--message", "Change the decision")
}
