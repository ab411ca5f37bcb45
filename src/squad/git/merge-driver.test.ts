import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { attributeLines, installMergeDriver } from "./merge-driver.ts"

test("the attributes and the command are installed once; running it again changes no byte", () => {
  const root = makeGitFolder()
  expect(installMergeDriver(root).map(({ change }) => change)).toEqual(["created", "created"])
  const before = [readFileSync(join(root, ".gitattributes")), readFileSync(join(root, ".git", "config"))]
  expect(installMergeDriver(root)).toEqual([
    { path: ".gitattributes", change: "kept" },
    { path: ".git/config", change: "kept" },
  ])
  expect([readFileSync(join(root, ".gitattributes")), readFileSync(join(root, ".git", "config"))]).toEqual(before)
  expect(git(root, "config", "merge.drey.driver")).toContain("merge-driver %O %A %B %P")
})

test("lines of others stay byte for byte, and Squad's union does not overrule Drey's merge", () => {
  const root = makeGitFolder()
  const others = "*.png binary\r\n.squad/decisions.md merge=union\r\n.squad/log/** merge=union"
  writeFileSync(join(root, ".gitattributes"), others)
  expect(installMergeDriver(root)[0]?.change).toBe("updated")
  expect(readFileSync(join(root, ".gitattributes"), "utf8").startsWith(`${others}\r\n`)).toBe(true)
  expect(mergeAttribute(root, ".squad/decisions.md")).toBe("drey")
  expect(mergeAttribute(root, ".squad/log/today.md")).toBe("union")
  writeFileSync(join(root, ".gitattributes"), ".squad/decisions.md merge=union\n", { flag: "a" })
  expect(installMergeDriver(root)[0]?.change).toBe("updated")
  expect(mergeAttribute(root, ".squad/decisions.md")).toBe("drey")
})

test("decisions, archives, histories, the index and the audit are merged by Drey, and nothing else", () => {
  const root = makeGitFolder()
  installMergeDriver(root)
  for (const path of [
    "decisions.md",
    "decisions-archive.md",
    "decisions/archive/2026-Q1.md",
    "agents/kane/history.md",
    "agents/kane/history-archive.md",
    "agents/_alumni/dallas/history.md",
    "memory/index.json",
    "memory/audit.jsonl",
    "memory/audit.1.jsonl",
  ])
    expect([path, mergeAttribute(root, `.squad/${path}`)]).toEqual([path, "drey"])
  for (const path of [".squad/team.md", ".squad/decisions/inbox/kane-tabs.md", "README.md", "docs/decisions.md"])
    expect([path, mergeAttribute(root, path)]).toEqual([path, "unspecified"])
})

test("a worktree shares the command, and a folder outside git gets nothing", () => {
  const root = makeGitFolder()
  git(root, "-c", "user.name=Ines", "-c", "user.email=ines@example.com", "commit", "-q", "--allow-empty", "-m", "start")
  const tree = join(root, "..", "tree")
  git(root, "worktree", "add", "-q", tree)
  expect(installMergeDriver(tree).map(({ change }) => change)).toEqual(["created", "created"])
  expect(installMergeDriver(root).map(({ change }) => change)).toEqual(["created", "kept"])
  expect(installMergeDriver(makeFolder())).toEqual([])
})

test("an older team folder gets lines of its own", () => {
  const root = makeGitFolder()
  mkdirSync(join(root, ".ai-team"))
  installMergeDriver(root)
  expect(readFileSync(join(root, ".gitattributes"), "utf8")).toBe(
    attributeLines(".ai-team")
      .map((line) => `${line}\n`)
      .join(""),
  )
})

function mergeAttribute(root: string, path: string): string {
  return git(root, "check-attr", "merge", "--", path).trim().split(": ").at(-1) ?? ""
}

function makeGitFolder(): string {
  const root = join(makeFolder(), "repository")
  mkdirSync(root)
  git(root, "init", "-q")
  return root
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "drey-test-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
}
