import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { expectNoBug, expectRefusal } from "./expect-refusal.ts"
import { makeRepository } from "./run-cli.ts"
import { folder, good, id, metadata, path, runSession, treeOf } from "./session-fixture.ts"

const aliasBomb = ["a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
for (const [at, name] of [..."bcdefghij"].entries())
  aliasBomb.push(`${name}: &${name} [${`*${"abcdefghi"[at]}, `.repeat(10)}]`)

/** What can be wrong with an agent's file, where and how it must be reported, and validate's exit code. */
const badFiles: [name: string, content: string | Uint8Array, told: RegExp, code: 1 | 2][] = [
  ["not YAML", good.replace("attempts: []", "attempts: [}"), /agent-memory\.yaml:11:\d+ /, 1],
  ["indented with tabs", good.replace("  - id", "\t- id"), /agent-memory\.yaml:7:1 .*[Tt]abs/, 1],
  ["one with a key twice", `${good}agent: tester\n`, /agent-memory\.yaml:13:1 .*"agent".*appears twice/, 1],
  ["one with a key twice in an entry", good.replace("    type:", "    id: x\n    type:"), /yaml:9:5 .*"id"/, 1],
  ["an alias bomb", `${good}${aliasBomb.join("\n")}\n`, /agent-memory\.yaml:\d+:\d+ .*alias/, 1],
  ["one with a tag of its own", `${good}x: !!js/function "f"\n`, /agent-memory\.yaml:13:4 .*tag/, 1],
  ["two documents", `${good}---\n${good}`, /agent-memory\.yaml:13:1 .*document/, 1],
  ["nested without end", `${good}x: ${"[".repeat(50_000)}\n`, /agent-memory\.yaml:13:\d+ /, 1],
  ["one with a number for a list", good.replace("attempts: []", "attempts: 5"), /yaml:11:11 attempts: .*list/, 1],
  ["one with a text for an entry", good.replace("attempts: []", "attempts: [x]"), /yaml:11:12 attempts\[0\]: /, 1],
  ["one with a number for a text", good.replace("Lanterns are rows", "5"), /yaml:10:14 discoveries\[0\]\.content: /, 1],
  ["one with a missing field", good.replace(/ {4}content: .*\n/, ""), /yaml:7:\d+ discoveries\[0\]\.content: /, 1],
  [
    "one with a result that is none",
    good.replace(
      "attempts: []",
      "attempts: [{id: a, timestamp: 2026-03-10T07:00:00Z, description: x, result: sucess}]",
    ),
    /yaml:11:\d+ attempts\[0\]\.result: .*success/,
    1,
  ],
  ["another kind of file", good.replace("agent-memory\n", "session-plan\n"), /yaml:2:9 schema: .*agent-memory/, 1],
  ["without an agent", good.replace("agent: developer", 'agent: ""'), /yaml:4:8 agent: /, 1],
  ["only a text", "hello\n", /agent-memory\.yaml:1:1 /, 1],
  ["empty", "", /agent-memory\.yaml:1:1 .*empty/, 1],
  [
    "one with a merge conflict",
    `${good}<<<<<<< HEAD\nx: 1\n=======\nx: 2\n>>>>>>> b\n`,
    /agent-memory\.yaml:13:\d+ /,
    1,
  ],
  ["of a version that never was", good.replace('"1"', '"0"'), /agent-memory\.yaml:1:10 version: .*"1"/, 2],
  ["one with NUL bytes", `${good}x: \0\n`, /agent-memory\.yaml:13\b.*NUL/, 2],
  ["not UTF-8", Buffer.from(`${good}x: Caf\xe9\n`, "latin1"), /agent-memory\.yaml:13\b.*UTF-8/, 2],
  ["UTF-16", Buffer.from(`\uFEFF${good}`, "utf16le"), /agent-memory\.yaml.*UTF-16/, 2],
]

test.each(badFiles)(
  "a file that is %s is reported with its path and a fix, and is not changed",
  async (_, content, told, code) => {
    const cwd = makeRepository({ [path]: content })
    const before = treeOf(cwd)
    const result = await runSession(cwd, "discover", "Moss", "--type", "code_pattern")
    expectRefusal(result, told)
    expect(result.stderr).toMatch(/: write "1"|\n {2}\S/) // what to do
    expect(result.code).toBe(2)
    const session = await openDrey({ root: cwd }).sessions.open(id)
    await expect(session.memories()).rejects.toThrow(told)
    const validation = await runSession(cwd, "validate", path)
    expect(validation.stdout.replace("  error  ", " ")).toMatch(told)
    expect(validation.code).toBe(code)
    expect(treeOf(cwd)).toEqual(before)
  },
)

test("all problems of a file are reported at once, with their place in the document", async () => {
  const cwd = makeRepository({ [path]: good.replace("code_pattern", "[a]").replace("attempts: []", "attempts: 5") })
  const { code, stdout } = await runSession(cwd, "validate", "--json")
  expect(code).toBe(1)
  const problems = JSON.parse(stdout).files[0].problems
  expect(problems).toMatchObject([
    { path: "discoveries[0].type", line: 9, column: 11, severity: "error", code: "wrong-type" },
    { path: "attempts", line: 11, column: 11, severity: "error", code: "wrong-type" },
  ])
})

test("a file of a newer version is read, and neither written nor called valid", async () => {
  const cwd = makeRepository({ [path]: good.replace('"1"', '"2"') })
  const before = treeOf(cwd)
  expect((await runSession(cwd, "prompt", "You test.")).stdout).toContain("Lanterns are rows")
  expect((await runSession(cwd, "show")).code).toBe(0)
  for (const args of [
    ["discover", "Moss", "--type", "code_pattern"],
    ["discover", "Moss", "--type", "code_pattern", "--set-aside"],
    ["context", "--add", "blockers=Moss"],
    ["attempt", "start", "Moss"],
  ]) {
    const result = await runSession(cwd, ...args)
    expectRefusal(result, /agent-memory\.yaml has version 2/)
    expect(result.code).toBe(1)
  }
  const validation = await runSession(cwd, "validate")
  expect(validation.stdout).toMatch(/agent-memory\.yaml:1:10 .*version 2/)
  expect(validation.code).toBe(2)
  expect(treeOf(cwd)).toEqual(before)
})

test("warnings leave a file valid, except to the strict", async () => {
  const odd = good.replace('version: "1"', "version: 1").replace(id, "20250101-000000-00000000-other")
  const cwd = makeRepository({
    [path]: odd.replace(/timestamp: .*/, "timestamp: yesterday").replace("code_pattern", "moss"),
  })
  const { code, stdout } = await runSession(cwd, "validate")
  expect(code).toBe(0)
  for (const [line, word] of [
    [1, "version"],
    [3, "sessionId"],
    [8, "timestamp"],
    [9, "moss"],
  ])
    expect(stdout).toMatch(new RegExp(`yaml:${line}:\\d+ +warning .*${word}`))
  expect((await runSession(cwd, "validate", "--strict")).code).toBe(1)
  expect((await runSession(cwd, "validate", "nowhere.yaml")).code).toBe(2)
})

test("a file that cannot be read is kept under another name, and a new one begins, only when that is asked for", async () => {
  const broken = good.replace("attempts: []", "attempts: [}")
  const cwd = makeRepository({ [path]: broken, [`${folder}/metadata.yaml`]: metadata })
  expect(await runSession(cwd, "discover", "Moss", "--type", "code_pattern", "--set-aside")).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/agent-memory\.yaml:11:\d+ .*agent-memory\.yaml\.corrupt-/),
  })
  const aside = readdirSync(join(cwd, folder)).filter((name) => name.includes(".corrupt-"))
  expect(aside.map((name) => readFileSync(join(cwd, folder, name), "utf8"))).toEqual([broken])
  expect(readFileSync(join(cwd, path), "utf8")).toMatch(/agent: "?developer"?\n[\s\S]*Moss/)
})

test("a line of five megabytes is handled and kept", async () => {
  const cwd = makeRepository({ [path]: `${good}x: "${"a".repeat(5_000_000)}"\n` })
  const result = await runSession(cwd, "discover", "Moss", "--type", "code_pattern")
  expect(result.code).toBe(0)
  expect(result.stderr).toContain("5001 KB, and nothing more can be archived")
  const text = readFileSync(join(cwd, path), "utf8")
  expect(text).toContain("Moss")
  expect(text.includes(`${"a".repeat(5_000_000)}"\n`)).toBe(true)
  expect((await runSession(cwd, "prompt", "You test.")).stdout.length).toBeLessThan(5000)
}, 20_000)

test.each([
  ["aliases", good.replace("attempts: []", "attempts: &none []").replace("decisions: []", "decisions: *none")],
  [
    "an anchor on an entry",
    good.replace("  - id", "  - &first\n    id").replace("attempts: []", "attempts: []\nx: *first"),
  ],
  ["a merge key", `${good}base: &base { a: 1 }\nother:\n  <<: *base\n`],
  [
    "one line of JSON",
    JSON.stringify({
      version: "1",
      schema: "agent-memory",
      sessionId: id,
      agent: "developer",
      createdAt: "2026-03-10T06:00:00Z",
    }),
  ],
  ["document markers", `---\n${good}...\n`],
  ["a byte order mark", `\uFEFF${good}`],
  ["Windows line ends", good.replaceAll("\n", "\r\n")],
  ["no line end", good.trimEnd()],
  ["keys that every object has", `${good}__proto__: { polluted: 1 }\nconstructor: 2\n`],
  [
    "sections that are empty",
    good.replace("attempts: []", "attempts:").replace("decisions: []", "decisions: ~\ncontext:"),
  ],
  ["nothing but its head", good.replace(/discoveries:[\s\S]*/, "")],
])("every kind of entry can be added to a file with %s, and it reads the same after", async (_, text) => {
  const root = makeRepository({ [path]: text })
  const sessions = openDrey({ root, now: () => new Date("2026-03-10T07:00:00Z") }).sessions
  const session = await sessions.open(id)
  const before = (await session.memories()).get("developer")
  await session.startAttempt("developer", { description: "Moss in the cellar" })
  await session.finishAttempt("attempt-001", { result: "failure", error: "Too dark" })
  await session.addDiscovery("developer", { type: "failure_cause", content: "Moss\nneeds light" })
  await session.addDecision("developer", { type: "skip", description: "No moss" })
  await session.updateContext("developer", { add: { blockers: ["Moss"] } })
  const after = (await session.memories()).get("developer")
  expect(after).toEqual({
    ...before,
    updatedAt: "2026-03-10T07:00:00.000Z",
    discoveries: [...(before?.discoveries ?? []), expect.objectContaining({ content: "Moss\nneeds light" })],
    attempts: [expect.objectContaining({ id: "attempt-001", result: "failure", error: "Too dark" })],
    decisions: [expect.objectContaining({ id: "decision-001", description: "No moss" })],
    context: expect.objectContaining({ blockers: ["Moss"] }),
  })
  const written = readFileSync(join(root, path), "utf8")
  expect(written.startsWith("\uFEFF")).toBe(text.startsWith("\uFEFF"))
  expect(/[^\r]\n/.test(written)).toBe(!text.includes("\r"))
  expect((await sessions.validate()).errors).toBe(0)
})

test("an entry that was written is not reported as failed because the archiving after it is", async () => {
  const anchored = good.replace("  - id", "  - &first\n    id").replace("attempts: []", "attempts: []\nx: *first")
  const cwd = makeRepository({ [path]: anchored }) // old enough for the archive, as soon as something new is added
  const result = await runSession(cwd, "discover", "Moss", "--type", "code_pattern")
  expectNoBug(result)
  expect(result.code === 0).toBe(readFileSync(join(cwd, path), "utf8").includes("Moss"))
})
