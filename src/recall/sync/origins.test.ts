import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { teamFiles } from "../../../test/team-store.ts"
import { findStore } from "../../team/team-folder.ts"
import { listOrigins, listSessionFiles, statFile, withoutSessions } from "./origins.ts"

const keysIn = (root: string) => listOrigins(findStore(root, `${root}/home`)).files.map(({ key }) => key)

test("every file with items is listed, in order of precedence", () => {
  const root = makeRepository({
    ...teamFiles,
    ".squad/memory/local/a.md": "x",
    ".squad/memory/policy-inbox/b.md": "x",
    ".squad/memory/local/.hidden.md": "x",
    ".squad/memory/local/c.txt": "x",
    ".squad/log/2026-02-14-x.md": "x",
    ".squad/agents/kane/charter.md": "x",
    ".squad/skills/empty/README.md": "x",
  })
  expect(keysIn(root)).toEqual([
    ".squad/decisions.md",
    ".squad/decisions/inbox/rook-elevator.md",
    ".squad/decisions-archive.md",
    ".squad/agents/dallas/history.md",
    ".squad/agents/kane/history.md",
    ".squad/skills/empty/README.md",
    ".squad/memory/local/a.md",
    ".squad/memory/policy-inbox/b.md",
    ".squad/skills/release-train/SKILL.md",
  ])
})

test("a skill that an earlier folder has is listed once", () => {
  const root = makeRepository({
    ".squad/skills/a/SKILL.md": "x",
    ".github/skills/a/SKILL.md": "x",
    ".github/skills/b/SKILL.md": "x",
  })
  const skills = keysIn(root).filter((key) => key.endsWith("SKILL.md"))
  expect(skills.filter((key) => key.includes("/a/"))).toHaveLength(1)
  expect(skills.filter((key) => key.includes("/b/"))).toHaveLength(1)
})

test("neither a governed memory nor a skill is read through a link that leads out of the repository", () => {
  const elsewhere = makeRepository({ "secret.md": "x", "skill/SKILL.md": "x" })
  const root = makeRepository({ ".squad/team.md": "x" })
  for (const folder of [".squad/memory/local", ".squad/skills"]) mkdirSync(join(root, folder), { recursive: true })
  symlinkSync(join(elsewhere, "secret.md"), join(root, ".squad/memory/local/link.md"))
  symlinkSync(join(elsewhere, "skill"), join(root, ".squad/skills/link"))
  expect(keysIn(root)).toEqual([])
})

test("a file's stamp changes with its size, its content and its place, and is missing for a folder or a missing file", () => {
  const root = makeRepository({ a: "one", b: "one" })
  const [a, b] = [join(root, "a"), join(root, "b")]
  const before = statFile(a)
  writeFileSync(a, "three")
  expect(statFile(a)?.text).not.toBe(before?.text)
  const replaced = statFile(a)
  renameSync(b, a)
  expect(statFile(a)?.text).not.toBe(replaced?.text)
  expect(statFile(root)).toBeUndefined()
  expect(statFile(b)).toBeUndefined()
})

test("a path that is not a folder, is a link to itself or cannot be opened never stops the listing", () => {
  const root = makeRepository({
    ".squad/decisions.md": "x",
    ".squad/skills/.gitkeep": "",
    ".squad/skills/notes.txt": "x",
    ".squad/skills/real/SKILL.md": "x",
    ".squad/agents/.gitkeep": "",
    ".squad/memory/local": "a file where a folder should be",
    ".github/skills": "a file where a folder should be",
  })
  symlinkSync("loop", join(root, ".squad/skills/loop"))
  symlinkSync("SKILL.md", join(root, ".squad/skills/SKILL.md"))
  expect(keysIn(root)).toEqual([".squad/decisions.md", ".squad/skills/real/SKILL.md"])
})

const [one, other] = ["20260123-103000-abc1def2-slow-lamp", "20260124-080000-00aa11bb-loud-door"]

function keysInFiles(root: string): string[] {
  return listSessionFiles(root, join(root, ".squad/sessions"))
    .map(({ key }) => key.slice(".squad/sessions/".length))
    .sort()
}

test("the notes of every agent in every session are listed, archives too, and nothing else", () => {
  const root = makeRepository({
    [`.squad/sessions/${one}/agent-memory.yaml`]: "x",
    [`.squad/sessions/${one}/agent-memory.tester.yaml`]: "x",
    [`.squad/sessions/${one}/agent-memory-archive.tester.yaml`]: "x",
    [`.squad/sessions/${other}/agent-memory-archive.yaml`]: "x",
    [`.squad/sessions/${one}/agent-memory.yaml.v1.bak`]: "x",
    [`.squad/sessions/${one}/agent-memory.yaml.corrupt-20260123T103000Z`]: "x",
    [`.squad/sessions/${one}/context.yaml`]: "x",
    [`.squad/sessions/${one}/.drey/agent-memory.yaml`]: "x",
    ".squad/sessions/not-a-session/agent-memory.yaml": "x",
    ".squad/sessions/.gitignore": "*",
  })
  expect(keysInFiles(root)).toEqual([
    `${one}/agent-memory-archive.tester.yaml`,
    `${one}/agent-memory.tester.yaml`,
    `${one}/agent-memory.yaml`,
    `${other}/agent-memory-archive.yaml`,
  ])
})

test("without a session folder there is nothing", () => {
  expect(keysInFiles(makeRepository({ ".squad/team.md": "" }))).toEqual([])
})

test("links are not followed: neither a session's nor a file's", () => {
  const elsewhere = makeRepository({ [`${one}/agent-memory.yaml`]: "x", "secret.yaml": "x" })
  const root = makeRepository({ ".squad/team.md": "" })
  mkdirSync(join(root, ".squad/sessions", other), { recursive: true })
  symlinkSync(join(elsewhere, one), join(root, ".squad/sessions", one))
  symlinkSync(join(elsewhere, "secret.yaml"), join(root, ".squad/sessions", other, "agent-memory.yaml"))
  expect(keysInFiles(root)).toEqual([])
})

test.skipIf(process.getuid?.() === 0)("an unreadable folder is listed in place of its notes", () => {
  const root = makeRepository({ [`.squad/sessions/${one}/agent-memory.tester.yaml`]: "x" })
  chmodSync(join(root, ".squad/sessions", one), 0)
  expect(keysInFiles(root)).toEqual([`${one}/agent-memory.yaml`])
  chmodSync(join(root, ".squad/sessions"), 0)
  expect(keysInFiles(root)).toEqual(["*/agent-memory.yaml"])
  chmodSync(join(root, ".squad/sessions"), 0o700)
})

test("a query about other sources does not read the stamps of sessions", () => {
  const root = makeRepository({ [`.squad/sessions/${one}/agent-memory.tester.yaml`]: "x" })
  writeFileSync(join(root, ".squad/sessions", one, "agent-memory.yaml"), "x")
  const keys = listSessionFiles(root, join(root, ".squad/sessions")).map(({ key }) => key)
  const known = new Map([...keys, ".squad/decisions.md", "records", "learned"].map((key) => [key, ""]))
  expect([...withoutSessions(known).keys()]).toEqual([".squad/decisions.md", "records", "learned"])
})
