import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { installMergeDriver, removeMergeDriver } from "./git-setup.ts"

test("the attributes and the command are installed once; running it again changes no byte", () => {
  const root = makeGitFolder()
  expect(installMergeDriver(root, { dryRun: true })).toEqual(installed("created", "updated", "created"))
  expect(installMergeDriver(root)).toEqual(installed("created", "updated", "created"))
  const read = () => [".gitattributes", ".git/config", ".git/info/attributes"].map((path) => readText(root, path))
  const before = read()
  expect(installMergeDriver(root)).toEqual(installed("kept", "kept", "kept"))
  expect(read()).toEqual(before)
  expect(git(root, "config", "merge.drey.driver")).toContain("merge-driver %O %A %B %P")
})

test("the shared attribute is a union merge that every git knows; Drey's merge is configured only in this clone", () => {
  const root = makeGitFolder()
  installMergeDriver(root)
  const merged = [
    "decisions.md",
    "decisions-archive.md",
    "decisions/archive/2026-Q1.md",
    "agents/kane/history.md",
    "agents/kane/history-archive.md",
    "agents/_alumni/dallas/history.md",
    "memory/audit.jsonl",
    "memory/audit.1.jsonl",
  ].map((path) => `.squad/${path}`)
  const untouched = [".squad/team.md", ".squad/decisions/inbox/kane-tabs.md", "README.md", "docs/decisions.md"]
  const values = (paths: string[]) => new Set(paths.map((path) => mergeAttribute(root, path)))
  expect(values([...merged, ".squad/memory/index.json"])).toEqual(new Set(["drey"]))
  expect(values(untouched)).toEqual(new Set(["unspecified"]))
  rmSync(join(root, ".git/info/attributes"))
  expect(values(merged)).toEqual(new Set(["union"]))
  expect(values([...untouched, ".squad/memory/index.json"])).toEqual(new Set(["unspecified"]))
})

test("other lines stay byte for byte, and those of Drey 0.1.0 are replaced", () => {
  const root = makeGitFolder()
  const others = "*.png binary\r\n.squad/decisions.md merge=union\r\n.squad/log/** merge=union"
  const older = [
    ...unionLines(".squad").map((line) => line.replace("union", "drey")),
    ".squad/memory/index.json merge=drey",
  ]
  writeFileSync(join(root, ".gitattributes"), `${older.join("\r\n")}\r\n${others}`)
  writeFileSync(join(root, ".git/info/attributes"), "*.jpg -diff")
  expect(installMergeDriver(root)).toEqual(installed("updated", "updated", "updated"))
  expect(readText(root, ".gitattributes")).toBe(`${[others, ...unionLines(".squad")].join("\r\n")}\r\n`)
  expect(readText(root, ".git/info/attributes")).toMatch(/^\*\.jpg -diff\n\.squad\/decisions\*\.md merge=drey\n/)
  removeMergeDriver(root)
  expect(readText(root, ".gitattributes")).toBe(`${others}\r\n`)
  expect(readText(root, ".git/info/attributes")).toBe("*.jpg -diff\n")
  expect(() => git(root, "config", "merge.drey.driver")).toThrow()
})

test("removing it leaves nothing behind, and a second time does nothing", () => {
  const root = makeGitFolder()
  installMergeDriver(root)
  removeMergeDriver(root)
  removeMergeDriver(root)
  expect(existsSync(join(root, ".gitattributes"))).toBe(false)
  expect(readText(root, ".git/config")).not.toContain("drey")
  expect(mergeAttribute(root, ".squad/decisions.md")).toBe("unspecified")
})

test("a worktree shares the clone's setup, and a folder outside git gets nothing", () => {
  const root = makeGitFolder()
  git(root, "-c", "user.name=Ines", "-c", "user.email=ines@example.com", "commit", "-q", "--allow-empty", "-m", "start")
  const tree = join(root, "..", "tree")
  git(root, "worktree", "add", "-q", tree)
  expect(installMergeDriver(tree).map(({ change }) => change)).toEqual(["created", "updated", "created"])
  expect(installMergeDriver(root)).toEqual(installed("created", "kept", "kept"))
  expect(mergeAttribute(tree, ".squad/decisions.md")).toBe("drey")
  expect(installMergeDriver(makeFolder())).toEqual([])
})

test.each(["packages/app", 'packages/an [odd] "name"'])(
  "a team folder in %s is found by git's own attributes",
  (below) => {
    const top = makeGitFolder()
    const root = join(top, below)
    mkdirSync(join(root, ".squad"), { recursive: true })
    installMergeDriver(root)
    expect(mergeAttribute(root, ".squad/decisions.md")).toBe("drey")
    expect(mergeAttribute(top, ".squad/decisions.md")).toBe("unspecified")
  },
)

test("an older team folder gets its own lines", () => {
  const root = makeGitFolder()
  mkdirSync(join(root, ".ai-team"))
  installMergeDriver(root)
  expect(readText(root, ".gitattributes")).toBe(`${unionLines(".ai-team").join("\n")}\n`)
})

test("a git folder without info gets it; an unwritable one is reported, and the shared lines are written", () => {
  const root = makeGitFolder()
  rmSync(join(root, ".git/info"), { recursive: true, force: true })
  writeFileSync(join(root, ".git/config.lock"), "")
  const [shared, command, ...more] = installMergeDriver(root)
  expect([shared?.change, command?.change, more]).toEqual(["created", "kept", []])
  expect(command?.problem).toContain("git could not change merge.drey.name")
  rmSync(join(root, ".git/config.lock"))
  writeFileSync(join(root, ".git/info"), "a file where git expects a folder")
  expect(installMergeDriver(root)[2]?.problem).toContain(".git/info")
  rmSync(join(root, ".git/info"))
  expect(installMergeDriver(root)).toEqual(installed("kept", "kept", "created"))
})

test("without Drey git keeps the lines of both sides", () => {
  const root = makeGitFolder()
  installMergeDriver(root)
  const commit = (text: string) => {
    mkdirSync(join(root, ".squad"), { recursive: true })
    writeFileSync(join(root, ".squad/decisions.md"), text)
    git(root, "add", "-A")
    git(root, "-c", "user.name=Ines", "-c", "user.email=ines@example.com", "commit", "-q", "-m", "text")
  }
  commit("# Decisions\n")
  git(root, "checkout", "-q", "-b", "theirs")
  commit("# Decisions\n\nTheirs\n")
  git(root, "checkout", "-q", "-b", "ours", "HEAD~1")
  commit("# Decisions\n\nOurs\n")
  const path = `${process.env.PATH?.split(":")
    .filter((folder) => !existsSync(join(folder, "drey")))
    .join(":")}`
  const env = {
    ...process.env,
    PATH: path,
    GIT_COMMITTER_NAME: "Ines",
    GIT_COMMITTER_EMAIL: "ines@example.com",
    GIT_AUTHOR_NAME: "Ines",
    GIT_AUTHOR_EMAIL: "ines@example.com",
  }
  execFileSync("git", ["merge", "-q", "-m", "merge", "theirs"], { cwd: root, env, stdio: "ignore" })
  expect(readText(root, ".squad/decisions.md")).toBe("# Decisions\n\nOurs\nTheirs\n")
})

function installed(...changes: string[]): object[] {
  const paths = [".gitattributes", ".git/config", ".git/info/attributes"]
  return paths.map((path, index) => ({ path, change: changes[index] }))
}

function unionLines(folder: string): string[] {
  const names = ["decisions*.md", "decisions/archive/**/*.md", "agents/**/history*.md", "memory/audit*.jsonl"]
  return names.map((name) => `${folder}/${name} merge=union`)
}

function readText(root: string, path: string): string {
  return readFileSync(join(root, path), "utf8")
}

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
