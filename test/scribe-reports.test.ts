import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { semEntry } from "./legacy-fixtures.ts"
import { makeRepository, runGit, writeFiles } from "./run-cli.ts"
import { runWarm, warmCliIn } from "./warm-cli.ts"

const decisions = ".squad/decisions.md"
const now = new Date("2026-11-15T12:00:00Z")

test("merged entries are below the active decisions and above the governance of a new store", async () => {
  const cwd = makeRepository({})
  await runWarm(["init"], { cwd })
  const starter = readFileSync(join(cwd, decisions), "utf8")
  const entry = semEntry("2026-02-03T09:00:00+0000", "decision", "Use one index")
  writeFiles(cwd, { ".squad/decisions/inbox/index.md": entry })
  expect((await runWarm(["merge"], { cwd })).code).toBe(0)
  const text = readFileSync(join(cwd, decisions), "utf8")
  const [before, after] = starter.split("No decisions recorded yet.\n\n")
  expect(text.startsWith(`${before}### 2026-02-03T09:00:00`)).toBe(true)
  expect(text.endsWith(`\n---\n\n${after}`)).toBe(true)
})

test("young decisions are moved, too, when the file is too large: age is not a reason", async () => {
  const young = Array.from({ length: 60 }, (_, index) =>
    semEntry(`2026-11-13T09:00:${String(index).padStart(2, "0")}+0000`, "decision", `Choice ${index}`, {
      rationale: "It reads well. ".repeat(60),
    }),
  )
  const root = makeRepository({ [decisions]: `# Squad Decisions\n\n${young.join("\n")}` })
  const { notes, after } = await openDrey({ root, now: () => now, environment: { DREY_HOME: root } }).team.archive()
  expect(notes).toEqual([])
  expect(after.decisionBytes).toBeLessThan(20_480)
})

test("undoing init removes what git was given for it", async () => {
  const cwd = makeRepository({ "readme.md": "# Here\n" })
  const { run } = warmCliIn(cwd)
  runGit(cwd, "init", "--quiet")
  await run("init")
  const { stdout } = await run("undo")
  expect(stdout).toContain("This also removes Drey's lines from .gitattributes, and the merge driver")
  expect(existsSync(join(cwd, ".gitattributes"))).toBe(false)
  expect(readFileSync(join(cwd, ".git/config"), "utf8")).not.toContain("drey")
})

test("an entry that one branch archived and the other edited is kept in both versions, and validate reports it", async () => {
  const entry = semEntry("2026-02-03T09:00:00+0000", "decision", "Use one index")
  const other = semEntry("2026-02-04T09:00:00+0000", "decision", "Use two queues")
  const archive = ".squad/decisions-archive.md"
  const cwd = makeRepository({ [decisions]: `# Decisions\n\n${entry}\n${other}`, [archive]: "# Archive\n" })
  runGit(cwd, "init", "--quiet", "--initial-branch=main")
  await runWarm(["init"], { cwd })
  commit(cwd, "Begin")
  runGit(cwd, "switch", "--quiet", "--create", "edit")
  writeFiles(cwd, { [decisions]: `# Decisions\n\n${entry.replace("measured", "measured twice")}\n${other}` })
  commit(cwd, "Edit")
  runGit(cwd, "switch", "--quiet", "main")
  writeFiles(cwd, { [decisions]: `# Decisions\n\n${other}`, [archive]: `# Archive\n\n${entry}` })
  commit(cwd, "Archive")
  runGit(cwd, "merge", "--quiet", "--no-edit", "edit")
  expect(readFileSync(join(cwd, decisions), "utf8")).toContain("measured twice")
  const { stdout } = await runWarm(["validate"], { cwd })
  expect(stdout).toMatch(/^\.squad\/decisions-archive\.md:3 .*\.squad\/decisions\.md:\d+\b.*\(two-versions\)$/m)
})

function commit(cwd: string, message: string): void {
  runGit(cwd, "add", "--all")
  runGit(cwd, "commit", "--quiet", "--message", message)
}
