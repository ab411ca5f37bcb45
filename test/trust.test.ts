import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const line = "Trusted this repository. Undo: drey trust --remove"
const entry = `# Decisions

### 2026-02-15T14:32:15-0800: directive: Never use npm install

**Author:** Kane
**Tags:** tools
**Summary:** Never use npm install, use pnpm.

---
`

function makePlace(files: Record<string, string> = { ".squad/decisions.md": entry }) {
  const root = makeRepository(files)
  const home = makeRepository({})
  const env = { DREY_HOME: home, HOME: home }
  const drey = (args: string[], options: { env?: Record<string, string>; input?: string } = {}) =>
    runWarm(args, { cwd: root, ...options, env: { ...env, ...options.env } })
  const isTrusted = async () => JSON.parse((await drey(["status", "--json"])).stdout).trusted
  const rules = async (session: string) => {
    const input = JSON.stringify({ session_id: session, cwd: root, source: "startup" })
    return (await drey(["hook", "claude-code", "SessionStart"], { input })).stdout.includes(
      "## Rules of this repository",
    )
  }
  return { root, home, drey, isTrusted, rules }
}

test("reading a clone and previews do not trust it; the user's first write does, and says so once", async () => {
  const { drey, home, isTrusted, rules } = makePlace()
  for (const args of [
    ["memory"],
    ["search", "npm"],
    ["context", "--task", "npm"],
    ["doctor"],
    ["tidy", "--dry-run"],
    ["merge"],
  ])
    expect((await drey(args)).stderr).not.toContain("Trusted")
  expect([existsSync(join(home, "trust.json")), await isTrusted(), await rules("one")]).toEqual([false, false, false])
  const write = () => drey(["memory", "write", "--content", "We log in with short tokens.", "--class", "DECISION"])
  expect((await write()).stderr).toContain(line)
  expect([await isTrusted(), await rules("two")]).toEqual([true, true])
  const directive = await drey(["directive", "Always use single quotes.", "--author", "Ines"])
  expect([directive.code, directive.stderr]).toEqual([0, ""])
})

test("a write that is refused does not trust a clone", async () => {
  const { drey, isTrusted } = makePlace()
  const secret = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`
  const refused = await drey(["memory", "write", "--content", `Sign in with ${secret}`])
  expect([refused.code, refused.stderr.includes("Trusted"), await isTrusted()]).toEqual([1, false, false])
})

test("drey trust trusts, lists and removes, and reports what changed", async () => {
  const { root, drey, rules } = makePlace()
  expect(await drey(["trust"])).toMatchObject({ code: 0, stdout: `${line}\n` })
  expect((await drey(["trust"])).stdout).toContain("already trusted")
  expect(JSON.parse((await drey(["trust", "--list", "--json"])).stdout)).toMatchObject({
    repositories: [{ path: root, remote: null }],
  })
  expect(await rules("one")).toBe(true)
  const removed = JSON.parse((await drey(["trust", "--remove", "--json"])).stdout)
  expect(removed).toEqual({ path: root, trusted: false, changed: true })
  expect(await rules("two")).toBe(false)
  expect((await drey(["trust", "--list"])).stdout).toBe("No trusted repositories.\n")
  expect((await drey(["doctor", "--verbose"])).stdout).toContain("its trust was removed")
})

test("there is nothing to trust outside of a repository", async () => {
  const { drey } = makePlace({ "README.md": "" })
  expect(await drey(["trust"])).toMatchObject({ code: 2, stderr: expect.stringContaining("is not a repository") })
})

test("init trusts what it sets up, and connect the repository that it is run in, without a question", async () => {
  const own = makePlace({ ".git/HEAD": "ref: refs/heads/main\n" })
  await own.drey(["init", "--skip-history"])
  expect(await own.isTrusted()).toBe(true)
  const clone = makePlace()
  expect(await clone.isTrusted()).toBe(false)
  await clone.drey(["connect", "claude-code", "--scope", "user", "--dry-run"])
  expect(await clone.isTrusted()).toBe(false)
  expect((await clone.drey(["connect", "claude-code", "--scope", "user", "--yes"])).code).toBe(0)
  expect(await clone.isTrusted()).toBe(true)
})

test("a team folder that outside the repository is refused with exit code 2 and a fix, also by trust itself", async () => {
  const { root, drey } = makePlace()
  const elsewhere = makeRepository({})
  renameSync(join(root, ".squad"), join(elsewhere, "team"))
  symlinkSync(join(elsewhere, "team"), join(root, ".squad"))
  for (const args of [["memory"], ["context", "--task", "npm"], ["search", "npm"], ["trust"], ["tidy"]]) {
    const { code, stderr, stdout } = await drey(args)
    expect([args[0], code, stdout]).toEqual([args[0], 2, ""])
    expect(stderr).toMatch(/outside the repository.*\n.*Replace the link/)
  }
})

test.runIf(process.getuid?.() === 0)(
  "a team folder of another user above the working directory is refused",
  async () => {
    const { root, home } = makePlace()
    mkdirSync(join(root, "work"))
    for (const folder of [root, home]) chmodSync(folder, 0o755)
    const env = { DREY_HOME: join(home, "nobody"), HOME: home }
    const { code, stderr } = await runWarm(["memory"], { cwd: join(root, "work"), env, uid: 65_534 })
    expect([code, stderr]).toEqual([2, expect.stringMatching(/\.squad is owned by another user.*\n.*drey trust/)])
  },
)

test("the records are private, and a damaged file is not overwritten", async () => {
  const { drey, home } = makePlace()
  writeFileSync(join(home, "trust.json"), "{")
  const written = await drey(["directive", "Always use single quotes.", "--author", "Ines"])
  expect(written).toMatchObject({ code: 0, stderr: expect.stringMatching(/is not recorded as trusted: .*trust\.json/) })
  expect(readFileSync(join(home, "trust.json"), "utf8")).toBe("{")
})
