import { expect, test } from "vitest"
import { makeRepository, runGit, writeFiles } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

test("doctor exits 1 when a check fails, and names it with a fix", async () => {
  const cwd = await makeTeam()
  writeFiles(cwd, { ".squad/memory/index.json": "[{" })
  const { code, stdout } = await runWarm(["doctor", "--verbose"], { cwd })
  expect(code).toBe(1)
  expect(stdout).toContain(
    '❌ memory index: .squad/memory/index.json cannot be read. Run "drey memory reindex" to rebuild it from the entries.',
  )
  expect(stdout).toMatch(/^✅ readable files: /m)
  expect(stdout).toMatch(/\d+ checks: 1 failed/)
})

test("warnings and news leave the exit code at 0", async () => {
  const cwd = await makeTeam()
  writeFiles(cwd, {
    ".squad/decisions.md": "# Decisions\n\n### 2026-02-10: Use tabs\n\n**By:** Kane\n**What:** Tabs.\n",
    ".squad/team.md": "Owner: kim@corp.io\n",
  })
  const { code, stdout } = await runWarm(["doctor", "--verbose"], { cwd })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^⚠️ {2}personal data: /m)
  expect(stdout).toMatch(/^ℹ️ {2}legacy entries: /m)
})

test("health is another name for doctor, and JSON is one document with all checks", async () => {
  const cwd = await makeTeam()
  const env = { DREY_HOME: makeRepository({}) }
  await runWarm(["trust"], { cwd, env })
  const { code, stdout } = await runWarm(["health", "--json"], { cwd, env })
  expect(code).toBe(0)
  const { checks } = JSON.parse(stdout)
  expect(checks.length).toBeGreaterThan(20)
  for (const check of checks)
    expect(check).toMatchObject({ name: expect.any(String), status: "pass", message: expect.any(String) })
})

test("doctor without a team folder fails and names init", async () => {
  const cwd = makeRepository({})
  const { code, stdout } = await runWarm(["doctor", "--verbose"], { cwd })
  expect(code).toBe(1)
  expect(stdout).toContain('Run "drey init" to create one')
})

async function makeTeam(): Promise<string> {
  const cwd = makeRepository({})
  runGit(cwd, "init", "-q")
  await runWarm(["init"], { cwd })
  return cwd
}
