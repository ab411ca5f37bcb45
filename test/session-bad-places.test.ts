import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { expectNoBug, expectRefusal } from "./expect-refusal.ts"
import { makeRepository, readTree } from "./run-cli.ts"
import { folder, good, id, metadata, path, runSession, treeOf } from "./session-fixture.ts"

test.each([
  ["a folder", (file: string) => mkdirSync(file)],
  ["a link to nothing", (file: string) => symlinkSync("elsewhere.yaml", file)],
  ["a link to a file", (file: string) => symlinkSync("../../team.md", file)],
  ["a link to itself", (file: string) => symlinkSync("agent-memory.yaml", file)],
])("%s in the place of an agent's file is told, by validate too, and stays", async (_, make) => {
  const cwd = makeRepository({ ".squad/team.md": "# Team\n", [`${folder}/metadata.yaml`]: metadata })
  make(join(cwd, path))
  const before = treeOf(cwd)
  for (const args of [["discover", "Moss", "--type", "code_pattern"], ["show"]]) {
    const result = await runSession(cwd, ...args)
    expectRefusal(result, /agent-memory\.yaml/)
  }
  for (const args of [["validate"], ["validate", path], ["validate", folder]]) {
    const result = await runSession(cwd, ...args)
    expectRefusal(result, /agent-memory\.yaml/)
    expect(result.code).toBe(2)
  }
  expect(treeOf(cwd)).toEqual(before)
})

test("a link in the place of a session's folder is not followed, and that is said", async () => {
  const elsewhere = makeRepository({ [path]: good })
  const cwd = makeRepository({ ".squad/sessions/.gitignore": "*\n" })
  symlinkSync(join(elsewhere, folder), join(cwd, folder))
  const before = readTree(elsewhere)
  for (const args of [
    ["discover", "Moss", "--type", "code_pattern"],
    ["show"],
    ["prompt", "You test."],
    ["archive"],
    ["end"],
    ["export"],
  ])
    expectRefusal(await runSession(cwd, ...args), new RegExp(id))
  expect((await runSession(cwd, "show")).stderr).toContain("link")
  expect((await runSession(cwd, "validate")).code).not.toBe(0)
  expect(readTree(elsewhere)).toEqual(before)
})

test.each(["..", "../x", "/etc/passwd", `${id}/../${id}`, ".", "a\\b", "%2e%2e", "*", id.toUpperCase()])(
  "%j is no session's id, wherever it is given",
  async (bad) => {
    const cwd = makeRepository({ [path]: good, "x/agent-memory.yaml": good })
    const before = treeOf(cwd)
    for (const args of [
      ["show", "--session", bad],
      ["end", bad],
    ]) {
      const result = await runSession(cwd, ...args)
      expectRefusal(result, /is not a session id/)
      expect(result.code).toBe(2)
    }
    await expect(openDrey({ root: cwd }).sessions.open(bad)).rejects.toThrow("is not a session id")
    expect(treeOf(cwd)).toEqual(before)
  },
)

test("an agent whose name looks like a path has a file in the session's folder and nowhere else", async () => {
  const cwd = makeRepository({ [path]: good })
  for (const agent of ["../../evil", "/etc/evil", "a/b", "..", ".", "agent-memory", "x".repeat(80)])
    expectNoBug(await runSession(cwd, "discover", "Moss", "--type", "code_pattern", "--agent", agent))
  expect(readdirSync(cwd)).toEqual([".squad"])
  expect(readdirSync(join(cwd, ".squad"))).toEqual(["sessions"])
  expect(readdirSync(join(cwd, ".squad/sessions")).filter((name) => name !== ".gitignore")).toEqual([id])
  const names = readdirSync(join(cwd, folder)).filter((name) => name.startsWith("agent-memory"))
  expect(names.filter((name) => !/^agent-memory(?:\.[a-z0-9-]{1,80})?\.yaml$/.test(name))).toEqual([])
})

test.each(["context.yaml", "conversation.yaml", "plan.yaml", "agent-memory-archive.yaml", "agent-memory.tester.yaml"])(
  "a broken %s stops only what needs it, and is not changed",
  async (name) => {
    const broken = 'version: "1"\nschema: [x\n'
    const cwd = makeRepository({ [path]: good, [`${folder}/${name}`]: broken })
    expect(await runSession(cwd, "discover", "Moss", "--type", "code_pattern")).toMatchObject({ code: 0 })
    const needs: Record<string, string[]> = {
      "context.yaml": ["end"],
      "conversation.yaml": ["say", "Hello", "--role", "user"],
      "plan.yaml": ["plan", "--status", "1=complete"],
      "agent-memory-archive.yaml": ["archive"],
      "agent-memory.tester.yaml": ["discover", "Moss", "--type", "code_pattern", "--agent", "tester"],
    }
    const result = await runSession(cwd, ...(needs[name] ?? []))
    expectNoBug(result)
    expect(result.stderr).toMatch(new RegExp(`${name.replaceAll(".", "\\.")}:3:1 `))
    if (name !== "context.yaml") expect(result.code).toBe(2) // a session ends without its state, too
    expect((await runSession(cwd, "validate")).stdout).toMatch(new RegExp(`${name.replaceAll(".", "\\.")}:3:1 +error`))
    expect(readFileSync(join(cwd, folder, name), "utf8")).toBe(broken)
    expect(readFileSync(join(cwd, path), "utf8")).toContain("Moss")
  },
)

test("a session whose files were deleted is reported", async () => {
  const cwd = makeRepository({ [path]: good, [`${folder}/metadata.yaml`]: metadata })
  rmSync(join(cwd, path))
  expectRefusal(await runSession(cwd, "show"), new RegExp(`${id}.* contains no agent memory`))
  rmSync(join(cwd, folder, "metadata.yaml"))
  const listed = await runSession(cwd, "list")
  expect(listed.stdout).toContain(id)
  expect(listed.code).toBe(1)
  expect((await runSession(cwd, "validate", folder)).code).toBe(2)
})

test("an invalid lock is reported by its path", async () => {
  const cwd = makeRepository({
    [path]: good,
    [`${folder}/.drey/lock`]: "no lock at all, but long enough\n".repeat(100),
  })
  expectRefusal(await runSession(cwd, "discover", "Moss", "--type", "code_pattern"), /\.drey\/lock/)
  expect(readFileSync(join(cwd, path), "utf8")).toBe(good)
})
