import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { fakeSecret, legacyEntry } from "./legacy-fixtures.ts"
import { makeRepository, readTree, writeFiles } from "./run-cli.ts"
import { runWarm, warmCliIn } from "./warm-cli.ts"

const decisions = ".squad/decisions.md"

function largeStore(): Record<string, string> {
  const what = (index: number) => `Take way ${index}. ${"It reads well. ".repeat(60)}`
  const entries = Array.from({ length: 30 }, (_, index) =>
    legacyEntry("2026-01-05", `Choice ${index}`, { what: what(index) }),
  )
  return {
    [decisions]: `# Squad Decisions\n\n${entries.join("\n")}`,
    ".squad/agents/rook/history.md": "# Rook\n\n## Learnings\n\n- Indexes rot.\n",
    ".squad/decisions/inbox/wren-tabs.md": legacyEntry("2026-02-05", "Use tabs", { by: "Wren" }),
  }
}

test("tidy --dry-run shows bytes and tokens saved per agent and writes nothing", async () => {
  const cwd = makeRepository(largeStore())
  const before = readTree(cwd)
  const { code, stdout } = await runWarm(["tidy", "--dry-run"], { cwd })
  expect(code).toBe(0)
  expect(stdout).toMatch(/merge {4}\.squad\/decisions\.md: 1 entry from 1 inbox file\n/)
  expect(stdout).toMatch(
    /archive {2}\.squad\/decisions\.md: \d+ entries to \.squad\/decisions-archive\.md; still found by search and context \([\d,]+ bytes saved\)\n/,
  )
  expect(stdout).toMatch(/ {2}rook +[\d,]+ bytes → [\d,]+ bytes, [\d,]+ tokens saved\n/)
  expect(stdout).toContain("Run without --dry-run to apply it.")
  expect(readTree(cwd)).toEqual(before)
})

test("tidy --json prints before, after and the actions, and undo reverts all of it", async () => {
  const cwd = makeRepository(largeStore())
  const { run } = warmCliIn(cwd)
  // What the audit says of the merge stays: it happened.
  const files = ([path]: [string, string]) => !/^\.squad\/(\.drey|memory)(\/|$)/.test(path)
  const before = Object.entries(readTree(cwd)).filter(files)
  const { stdout, code } = await run("tidy", "--json")
  expect(code).toBe(0)
  const document = JSON.parse(stdout)
  expect(document.before).toMatchObject({ totalFiles: 3, inboxFiles: 1, logBytes: 0 })
  expect(document.after).toMatchObject({ totalFiles: 3, inboxFiles: 0 })
  expect(document.after.decisionBytes).toBeLessThan(20_480)
  expect(document.actions).toEqual([
    { type: "merge", target: decisions, description: "1 entry from 1 inbox file", bytesSaved: 0 },
    { type: "archive", target: decisions, description: expect.any(String), bytesSaved: expect.any(Number) },
  ])
  const listed = await run("undo", "--list")
  expect(listed.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}tidy {12}\S+ and 2 more\n$/)
  const planned = await run("undo", "--dry-run")
  expect(planned.stdout).toContain('Would undo "tidy"')
  const undone = await run("undo")
  expect(undone.stdout).toContain(`Undid "tidy"`)
  expect(undone.code).toBe(0)
  expect(Object.entries(readTree(cwd)).filter(files)).toEqual(before)
  expect((await run("undo")).code).toBe(1)
})

test("undo refuses when a file was changed since", async () => {
  const cwd = makeRepository(largeStore())
  const { run } = warmCliIn(cwd)
  await run("merge")
  writeFiles(cwd, { [decisions]: `${readFileSync(join(cwd, decisions), "utf8")}\nA later word.\n` })
  const { code, stderr } = await run("undo")
  expect(stderr).toContain(`${decisions} was changed after "merge"; nothing was undone`)
  expect(code).toBe(1)
})

test("drey undo reverts a conversion too", async () => {
  const cwd = makeRepository(largeStore())
  const { run } = warmCliIn(cwd)
  const before = readFileSync(join(cwd, decisions), "utf8")
  await run("convert-memory")
  expect(readFileSync(join(cwd, decisions), "utf8")).not.toBe(before)
  expect((await run("undo")).stdout).toContain('Undid "convert-memory"')
  expect(readFileSync(join(cwd, decisions), "utf8")).toBe(before)
})

test("merge names what it set aside by file, line and rule, and exits with 1", async () => {
  const secret = fakeSecret()
  const cwd = makeRepository({
    [decisions]: "# Squad Decisions\n",
    ".squad/decisions/inbox/rook-deploy.md": legacyEntry("2026-02-03", "Deploy", { what: `Use ${secret}.` }),
  })
  const { code, stdout, stderr } = await runWarm(["merge"], { cwd })
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /\.squad\/decisions\/inbox\/\.quarantine\/rook-deploy\.md:3 was quarantined: access token \(.+\)/,
  )
  expect(stdout + stderr).not.toContain(secret)
})

test("an entry of governed memory is found and read by its id after the merge", async () => {
  const cwd = makeRepository({ [decisions]: "# Squad Decisions\n" })
  const written = await runWarm(
    [
      "memory",
      "write",
      "Use one index for all searches",
      "--class",
      "DECISION",
      "--title",
      "One index",
      "--author",
      "Rook",
    ],
    { cwd },
  )
  const { id } = JSON.parse(written.stdout)
  expect((await runWarm(["merge"], { cwd })).code).toBe(0)
  const read = await runWarm(["memory", "read", id], { cwd })
  expect(read.code).toBe(0)
  expect(read.stdout).toContain("Use one index for all searches")
  const found = await runWarm(["memory", "search", "searches index"], { cwd })
  expect(JSON.parse(found.stdout)).toMatchObject([{ id, path: decisions }])
})
