import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import { teamFiles } from "../../test/team-store.ts"
import { findStore } from "../squad/find-store.ts"
import { lookAt } from "./file-look.ts"
import { listOrigins } from "./list-origins.ts"

const keysIn = (root: string) => listOrigins(findStore(root, `${root}/home`)).files.map(({ key }) => key)

test("every file with something to recall is listed, in the order in which an item counts first", () => {
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

test("a file's look changes with its size, its content and its place, and is none for a folder or nothing", () => {
  const root = makeRepository({ a: "one", b: "one" })
  const [a, b] = [join(root, "a"), join(root, "b")]
  const before = lookAt(a)
  writeFileSync(a, "three")
  expect(lookAt(a)?.text).not.toBe(before?.text)
  const replaced = lookAt(a)
  renameSync(b, a)
  expect(lookAt(a)?.text).not.toBe(replaced?.text)
  expect(lookAt(root)).toBeUndefined()
  expect(lookAt(b)).toBeUndefined()
})

test("what is not a folder, leads back to itself or cannot be opened never stops the listing", () => {
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
