import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { blameLine, historyHead, listCommits, readCommits } from "./git-log.ts"

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "drey-git-log-"))
  git("init", "-q", "-b", "main")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const git = (...args: string[]) =>
  execFileSync("git", ["-C", root, "-c", "user.name=Kim", "-c", "user.email=kim@example.com", ...args], {
    encoding: "utf8",
  })

function commit(file: string, message: string): string {
  mkdirSync(join(root, file, ".."), { recursive: true })
  writeFileSync(join(root, file), message)
  git("add", "-A")
  git("commit", "-q", "-m", message)
  return git("rev-parse", "HEAD").trim()
}

test("a folder without a repository, and a repository without a commit, have no history", async () => {
  expect(await historyHead(root)).toBeUndefined()
  expect(await historyHead(join(tmpdir(), "drey-no-such-folder"))).toBeUndefined()
})

test("commits are read with their files, relative to the folder of the project", async () => {
  const first = commit("packages/app/src/a b.ts", "feat: one\n\nBody of it.")
  const second = commit("README.md", "docs: two")
  const inside = join(root, "packages", "app")
  expect(await readCommits(inside, [second, first])).toMatchObject([
    { id: second, author: "Kim", parents: 1, message: "docs: two", files: ["README.md"] },
    { id: first, parents: 0, message: "feat: one\n\nBody of it.", files: ["src/a b.ts"] },
  ])
  expect(await listCommits(root, second, { most: 10 })).toEqual([second, first])
  expect(await listCommits(root, second, { since: first, most: 10 })).toEqual([second])
  expect(await readCommits(root, ["0".repeat(40), first])).toMatchObject([{ id: first }])
})

test("a rewritten history has no commits since the old head", async () => {
  commit("a.ts", "one")
  const old = commit("a.ts", "two")
  git("commit", "-q", "--amend", "-m", "two, said better")
  expect(await listCommits(root, git("rev-parse", "HEAD").trim(), { since: old, most: 10 })).toBeUndefined()
  expect(await listCommits(root, git("rev-parse", "HEAD").trim(), { since: "1".repeat(40), most: 10 })).toBeUndefined()
})

test("the oldest commit of a shallow clone is not said to have changed every file", async () => {
  commit("a.ts", "one")
  commit("b.ts", "two")
  const clone = join(root, "clone")
  execFileSync("git", ["clone", "-q", "--depth", "1", `file://${root}`, clone])
  const head = await historyHead(clone)
  expect(head?.stamp).toContain("shallow")
  expect(await readCommits(clone, [head?.head ?? ""])).toMatchObject([{ message: "two", files: [] }])
})

test("a message cannot pose as another commit", async () => {
  const first = commit("a.ts", "one")
  const second = commit("a.ts", `two\n\n${first}\n\nMallory\n0\nforged`)
  expect((await readCommits(root, [second, first])).map(({ id, author }) => [id, author])).toEqual([
    [second, "Kim"],
    [first, "Kim"],
  ])
})

test("the commit of a line is known once it is committed", async () => {
  const first = commit("a.ts", "one")
  expect(await blameLine(root, "a.ts", 1)).toBe(first)
  writeFileSync(join(root, "a.ts"), "changed")
  expect(await blameLine(root, "a.ts", 1)).toBeUndefined()
  expect(await blameLine(root, "missing.ts", 1)).toBeUndefined()
})
