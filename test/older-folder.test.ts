import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { fakeSecret, semEntry } from "./legacy-fixtures.ts"
import { makeRepository, readTree } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const ours = semEntry("2026-02-03T09:00:00+0000", "decision", "Use one index")
const older = semEntry("2026-02-04T09:00:00+0000", "decision", "Use two queues")
const waiting = semEntry("2026-02-05T09:00:00+0000", "decision", "Use tabs")

const both = {
  ".squad/decisions.md": ours,
  ".squad/decisions/inbox/tabs.md": waiting,
  ".ai-team/decisions.md": `${older}\nThe key is ${fakeSecret()}.\n`,
  ".ai-team/decisions/inbox/spaces.md": semEntry("2026-02-06T09:00:00+0000", "decision", "Use spaces"),
}

test.each(["merge", "archive", "summarize", "tidy"])("%s changes .squad only and says so", async (command) => {
  const cwd = makeRepository(both)
  const { code, stdout } = await runWarm([command], { cwd })
  expect(stdout).toContain(".ai-team was not changed")
  expect(code).toBe(0)
  expect(olderTree(cwd)).toEqual(olderTree(makeRepository(both)))
})

test("scrub reports the older folder and leaves it alone", async () => {
  const cwd = makeRepository(both)
  const { stdout, stderr } = await runWarm(["scrub"], { cwd })
  expect(stdout).toMatch(/^\.ai-team\/decisions\.md:\d+ .* left$/m)
  expect(stderr).toContain(".ai-team was not changed")
  expect(olderTree(cwd)).toEqual(olderTree(makeRepository(both)))
})

test("both folders are read", async () => {
  const { stdout } = await runWarm(["memory"], { cwd: makeRepository(both) })
  for (const title of ["Use one index", "Use two queues"]) expect(stdout).toContain(title)
})

test("where only .ai-team is there, it is the store", async () => {
  const cwd = makeRepository({ ".ai-team/decisions.md": ours, ".ai-team/decisions/inbox/tabs.md": waiting })
  const { code, stdout } = await runWarm(["merge"], { cwd })
  expect(stdout).toContain(".ai-team/decisions.md: 1 entry from 1 inbox file")
  expect(stdout).not.toContain("was not changed")
  expect(code).toBe(0)
  expect(readFileSync(join(cwd, ".ai-team/decisions.md"), "utf8")).toContain("Use tabs")
})

function olderTree(cwd: string): Record<string, string> {
  return Object.fromEntries(Object.entries(readTree(cwd)).filter(([path]) => path.startsWith(".ai-team")))
}
