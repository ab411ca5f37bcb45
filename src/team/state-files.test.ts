import { existsSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { canaries } from "../../test/canaries.ts"
import { makeRepository, readTree } from "../../test/run-cli.ts"
import { openTeam } from "../../test/team-store.ts"

const files = { ".squad/decisions.md": "# Decisions\n", ".squad/config.json": "{}\n" }

test("files that agents may change are written whole, audited, and can be undone", async () => {
  const { drey, root } = openTeam(files)
  const state = await drey.governed.stateFiles()
  const keys = [
    "decisions.md",
    "decisions/inbox/kane-x.md",
    "agents/kane/history.md",
    "log/a.md",
    "orchestration-log/a.md",
    "sessions/a.md",
    ".scratch/a.md",
    "identity/now.md",
    "casting/registry.json",
  ]
  for (const key of keys) {
    expect(await state.write(key, "new\n")).toEqual({ kind: "done", key })
    expect(readFileSync(join(root, ".squad", key), "utf8")).toBe("new\n")
  }
  const audit = await drey.governed.audit()
  expect(audit.map(({ action, path }) => [action, path])).toEqual(keys.map((key) => ["write", `.squad/${key}`]))
  for (const _ of keys) await drey.team.changes.undo()
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toBe("# Decisions\n")
  expect(existsSync(join(root, ".squad/log/a.md"))).toBe(false)
})

test.each([
  "config.json",
  "team.md",
  "routing.md",
  "decisions-archive.md",
  "decisions/archive/2026-Q1.md",
  "agents/kane/charter.md",
  "agents/kane/history-archive.md",
  "memory/index.json",
  "memory/audit.jsonl",
  "skills/x/SKILL.md",
  "templates/x.md",
])("%s cannot be changed by agents", async (key) => {
  const { drey, root } = openTeam(files)
  const before = readTree(root)
  const state = await drey.governed.stateFiles()
  for (const change of [() => state.write(key, "x"), () => state.append(key, "x"), () => state.remove(key)])
    await expect(change()).rejects.toThrow("State mutations are limited to mutable runtime state")
  expect(readTree(root)).toEqual(before)
})

test.each([
  "",
  "..",
  "../x.md",
  "log/../../x.md",
  "log//x.md",
  "/etc/passwd/..",
  ".drey/lock",
  "log/a\u0000b",
  "log/./a",
])("%j is not a key", async (key) => {
  const state = await openTeam(files).drey.governed.stateFiles()
  expect(() => state.read(key)).toThrow("Not a valid team state key")
  await expect(state.write(key, "x")).rejects.toThrow("Not a valid team state key")
})

test("a key may begin with the folder's name or a slash, or use backslashes", async () => {
  const state = await openTeam(files).drey.governed.stateFiles()
  for (const key of [".squad/decisions.md", "/decisions.md", ".squad\\decisions.md"])
    expect(state.read(key)).toBe("# Decisions\n")
  expect(state.read("nothing.md")).toBeUndefined()
  for (const folder of ["", ".squad", "/.squad/"]) expect(state.list(folder)).toEqual(["config.json", "decisions.md"])
  expect(state.list("nowhere")).toEqual([])
})

test("a secret is refused in the text and in the name, and stored nowhere", async () => {
  const { drey, root } = openTeam(files)
  const state = await drey.governed.stateFiles()
  const secret = canaries["access token"]["GitHub ghp"]?.() ?? ""
  const reason = "Rejected as forbidden content: access token"
  expect(await state.write("log/a.md", secret)).toEqual({ kind: "refused", reason })
  expect(await state.append("decisions.md", `key: ${secret}\n`)).toEqual({ kind: "refused", reason })
  await expect(state.write(`log/${secret}.md`, "x")).rejects.toThrow("State mutations are limited")
  expect(JSON.stringify(readTree(root))).not.toContain(secret)
  expect((await drey.governed.audit()).map(({ action }) => action)).toEqual(["reject", "reject"])
})

test("a link out of the repository is not followed", async () => {
  const outside = makeRepository({ "a.md": "outside\n" })
  const { drey, root } = openTeam(files)
  symlinkSync(outside, join(root, ".squad/log"))
  const state = await drey.governed.stateFiles()
  expect(() => state.read("log/a.md")).toThrow("leads out of the repository")
  expect(() => state.list("log")).toThrow("leads out of the repository")
  await expect(state.write("log/b.md", "x")).rejects.toThrow("leads out of the repository")
  expect(existsSync(join(outside, "b.md"))).toBe(false)
})
