import { readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { semEntry } from "./legacy-fixtures.ts"
import { makeRepository, readTree } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const decisions = ".squad/decisions.md"
const entry = semEntry("2026-02-03T09:00:00+0000", "decision", "Use one index")
const foreign = semEntry("2026-02-04T09:00:00+0000", "decision", "Not of this team")

test("an inbox file that links out of the repository stays where it is, and nothing of it is merged", async () => {
  const outside = makeRepository({ "secret.md": foreign })
  const cwd = makeRepository({
    [decisions]: entry,
    ".squad/decisions/inbox/own.md": semEntry("2026-02-05T09:00:00+0000", "decision", "Use two queues"),
  })
  symlinkSync(join(outside, "secret.md"), join(cwd, ".squad/decisions/inbox/link.md"))
  const { code, stdout } = await runWarm(["merge", "--json"], { cwd })
  expect(JSON.parse(stdout).left).toEqual([
    { path: ".squad/decisions/inbox/link.md", why: expect.stringMatching(/out of the repository/) },
  ])
  expect(code).toBe(1)
  const text = readFileSync(join(cwd, decisions), "utf8")
  expect(text).toContain("Use two queues")
  expect(text).not.toContain("Not of this team")
  expect(readTree(outside)).toEqual({ "secret.md": foreign })
})

test("readers report a file that links out of the repository as unreadable", async () => {
  const outside = makeRepository({ "secret.md": foreign })
  const cwd = makeRepository({ [decisions]: entry })
  symlinkSync(join(outside, "secret.md"), join(cwd, ".squad/decisions-old.md"))
  const listed = await runWarm(["memory"], { cwd })
  expect(listed.stdout).toContain("Use one index")
  expect(listed.stdout).not.toContain("Not of this team")
  expect(listed.stderr).toContain(".squad/decisions-old.md leads out of the repository")
  const validated = await runWarm(["validate", "--json"], { cwd })
  expect(JSON.parse(validated.stdout).diagnostics).toMatchObject([
    { path: ".squad/decisions-old.md", code: "unreadable" },
  ])
})

test("an agent's folder that links out of the repository is neither read nor written", async () => {
  const outside = makeRepository({ "kane/history.md": foreign })
  const cwd = makeRepository({ [decisions]: entry, ".squad/agents/.gitkeep": "" })
  symlinkSync(join(outside, "kane"), join(cwd, ".squad/agents/kane"))
  const before = readTree(outside)
  const written = await runWarm(["memory", "write", "Tables lock.", "--scope", "agent:kane"], { cwd })
  expect(written.code).not.toBe(0)
  expect(written.stderr).toContain("out of the repository")
  expect(readTree(outside)).toEqual(before)
  const { stdout, stderr } = await runWarm(["memory"], { cwd })
  expect(stdout).not.toContain("Not of this team")
  expect(stderr).toContain(".squad/agents/kane/history.md leads out of the repository")
})

test("links inside the repository are followed, of files and of agents' folders", async () => {
  const cwd = makeRepository({
    "docs/decisions.md": entry,
    "team/kane/history.md": foreign,
    ".squad/agents/.gitkeep": "",
  })
  symlinkSync("../docs/decisions.md", join(cwd, decisions))
  symlinkSync("../../team/kane", join(cwd, ".squad/agents/kane"))
  const { stdout, stderr } = await runWarm(["memory"], { cwd })
  expect(stderr).toBe("2 entries\n")
  expect(stdout).toContain("Use one index")
  expect(stdout).toContain("Not of this team")
  expect((await runWarm(["memory", "write", "Tables lock.", "--scope", "agent:kane"], { cwd })).code).toBe(0)
  expect(readFileSync(join(cwd, "team/kane/history.md"), "utf8")).toContain("Tables lock.")
})

test("a link to nothing is reported, and nothing is written through it", async () => {
  const outside = makeRepository({})
  const cwd = makeRepository({ [decisions]: entry, ".squad/decisions/inbox/own.md": foreign })
  symlinkSync(join(outside, "nowhere"), join(cwd, ".squad/memory"))
  symlinkSync("nowhere.md", join(cwd, ".squad/decisions/inbox/gone.md"))
  const written = await runWarm(["memory", "write", "Tables lock.", "--class", "LOCAL"], { cwd })
  expect(written.code).not.toBe(0)
  expect(written.stderr).toContain("link to nothing")
  expect(readTree(outside)).toEqual({})
  const { stdout } = await runWarm(["validate", "--json"], { cwd })
  expect(stdout).toContain("link to nothing")
})

test("governed memory does not follow its folder out of the repository", async () => {
  const outside = makeRepository({})
  const cwd = makeRepository({ [decisions]: entry })
  symlinkSync(outside, join(cwd, ".squad/memory"))
  const written = await runWarm(["memory", "write", "Tables lock.", "--class", "LOCAL"], { cwd })
  expect(written.code).not.toBe(0)
  expect(written.stderr).toContain("out of the repository")
  expect(readTree(outside)).toEqual({})
})
