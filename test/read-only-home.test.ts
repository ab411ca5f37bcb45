import { chmodSync, chownSync, existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { cliIn, makeRepository, readTree, runCli } from "./run-cli.ts"
import { teamFiles } from "./team-store.ts"

const task = "Log in with short tokens"

/** Read-only from now on; root can write everywhere, so if the tests run as root the command runs as the user nobody. */
function forbid(folder: string, mode: number): { uid?: number } {
  const nobody = 65534
  const isRoot = process.getuid?.() === 0
  for (const path of [...Object.keys(readTree(folder)), "."]) {
    if (isRoot) chownSync(join(folder, path), nobody, nobody)
    chmodSync(join(folder, path), mode)
  }
  return isRoot ? { uid: nobody } : {}
}

const cannotBeKept = /^drey: the search index cannot be saved: .+; using a slower temporary index$/gm

test("in a home that cannot be written every question is answered, with one sentence about it, and nothing stays behind", async () => {
  const cwd = makeRepository(teamFiles)
  const { home, run } = cliIn(cwd)
  const temporary = makeRepository({})
  const first = await run("search", "lanterns", "--json")
  const { taskId } = JSON.parse((await run("context", "--task", task, "--json")).stdout)
  const user = forbid(cwd, 0o755)
  forbid(temporary, 0o755)
  forbid(home, 0o555)
  const again = (...args: string[]) => runCli(args, { cwd, env: { DREY_HOME: home, TMPDIR: temporary }, ...user })
  try {
    const found = await again("search", "lanterns", "--json")
    expect([found.code, found.stdout]).toEqual([0, first.stdout])
    expect(found.stderr.match(cannotBeKept)).toHaveLength(1)
    const context = await again("context", "--task", task)
    expect([context.code, context.stdout]).toEqual([0, expect.stringContaining(task)])
    expect(context.stderr).toMatch(/^drey: this context was not recorded: .+no permission$/m)
    const shown = await again("memory")
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(task)])
    const why = await again("why", "--task", taskId)
    expect([why.code, why.stderr]).toEqual([0, expect.stringMatching(/^drey: the search index cannot be saved: .+\n$/)])
    expect((await again("reindex")).code).toBe(0)
    expect((await again("doctor")).stdout).toContain("cannot be saved")
    expect(readdirSync(temporary)).toEqual([])
  } finally {
    for (const folder of [home, join(home, "index"), join(home, "contexts")]) chmodSync(folder, 0o755)
  }
}, 60_000)

test.runIf(existsSync("/proc/self"))(
  "a home that cannot exist is reported, and does not keep the process busy",
  async () => {
    const env = { DREY_HOME: "/proc/no-such-home" }
    const found = await runCli(["search", "lanterns"], { cwd: makeRepository(teamFiles), env })
    expect(found.code).toBe(0)
    expect(found.stderr.match(cannotBeKept)).toHaveLength(1)
  },
)

test("a log of contexts that cannot be written costs a sentence, not the context", async () => {
  const cwd = makeRepository(teamFiles)
  const { home, run } = cliIn(cwd)
  await run("search", "lanterns")
  writeFileSync(join(home, "contexts"), "a file where a folder should be\n")
  const { code, stdout, stderr } = await run("context", "--task", task)
  expect([code, stdout]).toEqual([0, expect.stringContaining(task)])
  expect(stderr).toMatch(/^drey: this context was not recorded: .+$/m)
})
