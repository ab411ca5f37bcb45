import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { gitIn, makeFolder, makeRepository, writeFiles } from "../memories/staleness/test-repository.ts"
import { askGit, findRepository, listUncommitted, runGit, runGitOutside } from "./git.ts"

function setVariable(name: string, value: string): void {
  const before = process.env[name]
  process.env[name] = value
  onTestFinished(() => {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  })
}

/** A program that leaves a file behind when it is started. */
function makeProgram(name = "program.sh", text = ""): { path: string; isStarted: () => boolean } {
  const folder = makeFolder()
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\ntouch ${folder}/started\n${text}`, { mode: 0o755 })
  return { path, isStarted: () => existsSync(join(folder, "started")) }
}

function makeCommitted(files: Record<string, string>) {
  const repository = makeRepository()
  repository.write(files)
  repository.commit("2026-02-03")
  return repository
}

test("git runs at the top of the repository, from any folder in it", () => {
  const { root } = makeCommitted({ "packages/app/.squad/team.md": "# Team\n", "a.txt": "a\n" })
  expect(findRepository(root)).toEqual({ top: root, prefix: "" })
  const folder = join(root, "packages/app/.squad")
  expect(findRepository(folder)).toEqual({ top: root, prefix: "packages/app/.squad/" })
  expect(runGit(folder, ["ls-files"])?.toString()).toBe("a.txt\npackages/app/.squad/team.md\n")
  const link = join(makeFolder(), "link")
  symlinkSync(join(root, "packages"), link)
  expect(findRepository(link)).toEqual({ top: root, prefix: "packages/" })
  expect(findRepository(makeFolder())).toBeUndefined()
})

test("a team folder is never a repository, nor is one inside it", () => {
  const { root } = makeCommitted({ ".squad/team.md": "# Team\n", ".squad/log/x.md": "x\n" })
  for (const folder of [".squad", ".squad/log"]) {
    gitIn(join(root, folder))("init", "-q")
    expect(findRepository(join(root, folder))?.top, folder).toBe(root)
  }
  const alone = makeFolder()
  mkdirSync(join(alone, ".squad"))
  gitIn(join(alone, ".squad"))("init", "-q")
  expect(findRepository(join(alone, ".squad"))).toBeUndefined()
})

test("a folder that is a bare repository is treated as part of the repository around it", () => {
  const { path, isStarted } = makeProgram()
  const { root, commit } = makeCommitted({ "sub/.squad/team.md": "# Team\n" })
  gitIn(root)("init", "-q", "--bare", "sub")
  writeFileSync(join(root, "sub/config"), `[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${path}\n`)
  commit("2026-02-04")
  expect(runGit(join(root, "sub"), ["ls-files", "-o"])).toBeDefined()
  expect(runGit(join(root, "sub"), ["diff", "--name-only", "HEAD"])?.toString()).toBe("")
  expect(isStarted()).toBe(false)
})

test("a folder whose .git is not a repository belongs to the one around it", () => {
  const { root } = makeCommitted({ "a.txt": "a\n", "sub/.git/config": "" })
  expect(findRepository(join(root, "sub"))).toEqual({ top: root, prefix: "sub/" })
})

test("worktrees and submodules are separate repositories", () => {
  const { root, git } = makeCommitted({ "a.txt": "a\n" })
  const worktree = join(makeFolder(), "tree")
  git("worktree", "add", "-q", worktree)
  expect(findRepository(worktree)).toEqual({ top: worktree, prefix: "" })
  expect(runGit(worktree, ["ls-files"])?.toString()).toBe("a.txt\n")
  const outer = makeRepository()
  outer.git("submodule", "--quiet", "add", root, "lib")
  expect(findRepository(join(outer.root, "lib"))?.top).toBe(join(outer.root, "lib"))
  expect(runGit(join(outer.root, "lib"), ["ls-files"])?.toString()).toBe("a.txt\n")
})

test("comparing with the working tree starts no program that a submodule names", () => {
  const { path, isStarted } = makeProgram()
  const { root } = makeCommitted({ "a.txt": "a\n" })
  const outer = makeRepository()
  outer.git("submodule", "--quiet", "add", root, "lib")
  outer.commit("2026-02-04")
  gitIn(join(outer.root, "lib"))("config", "core.fsmonitor", path)
  writeFileSync(join(outer.root, "lib/a.txt"), "b\n")
  expect(runGit(outer.root, ["diff", "--name-only", "HEAD"])?.toString()).toBe("")
  expect(runGit(outer.root, ["diff-index", "HEAD"])?.toString()).toBe("")
  expect(isStarted()).toBe(false)
})

test("filters are not started, whatever their names", async () => {
  const { path, isStarted } = makeProgram("program.sh", "cat\n")
  const { root, git } = makeCommitted({ "a.txt": "a\nb\n", ".gitattributes": "a.txt filter=x=y.z\n" })
  for (const key of ["clean", "smudge", "process"]) git("config", `filter.x=y.z.${key}`, path)
  git("config", "filter.x=y.z.required", "true")
  writeFileSync(join(root, "a.txt"), "a\nc\n")
  expect(runGit(root, ["blame", "--porcelain", "--", "a.txt"])?.toString()).toContain("Not Committed Yet")
  expect((await askGit(root, ["diff", "HEAD"]))?.toString()).toContain("+c")
  expect(await listUncommitted(root)).toEqual(["a.txt"])
  expect(isStarted()).toBe(false)
})

test("missing objects of a partial clone are not fetched", async () => {
  const { path, isStarted } = makeProgram()
  const { root, git } = makeCommitted({ "a.txt": "a\n" })
  const blob = git("rev-parse", "HEAD:a.txt").trim()
  renameSync(join(root, ".git/objects", blob.slice(0, 2)), join(makeFolder(), "gone"))
  git("config", "extensions.partialClone", "origin")
  git("config", "core.repositoryFormatVersion", "1")
  git("config", "remote.origin.promisor", "true")
  git("config", "remote.origin.url", "/nowhere")
  git("config", "remote.origin.uploadpack", path)
  expect(runGit(root, ["cat-file", "blob", blob])).toBeUndefined()
  git("config", "remote.origin.url", `ext::${path}`)
  git("config", "protocol.ext.allow", "always")
  expect(await askGit(root, ["cat-file", "blob", blob])).toBeUndefined()
  git("config", "remote.origin.url", "git@example.com:x/y.git")
  git("config", "core.sshCommand", path)
  expect(await askGit(root, ["cat-file", "blob", blob])).toBeUndefined()
  expect(isStarted()).toBe(false)
})

test("a repository cannot name another folder as its working tree", () => {
  const { root, git } = makeCommitted({ "a.txt": "a\n" })
  const elsewhere = makeFolder()
  writeFiles(elsewhere, { "private.txt": "private\n" })
  git("config", "core.worktree", elsewhere)
  expect(runGit(root, ["ls-files", "-o"])?.toString()).toBe("")
  expect(runGit(root, ["ls-files", "-d"])?.toString()).toBe("")
})

test("git variables of the caller do not lead to another repository, program or index", () => {
  const { path, isStarted } = makeProgram()
  const [asked, other] = [makeCommitted({ "a.txt": "a\n" }), makeCommitted({ "b.txt": "b\n" })]
  setVariable("GIT_DIR", join(other.root, ".git"))
  setVariable("GIT_WORK_TREE", other.root)
  setVariable("GIT_INDEX_FILE", join(other.root, ".git/index"))
  setVariable("GIT_EXTERNAL_DIFF", path)
  setVariable("GIT_CONFIG_PARAMETERS", `'core.fsmonitor=${path}'`)
  expect(runGit(asked.root, ["ls-files"])?.toString()).toBe("a.txt\n")
  writeFileSync(join(asked.root, "a.txt"), "c\n")
  expect(runGit(asked.root, ["diff"])?.toString()).toContain("+c")
  expect(isStarted()).toBe(false)
})

test("in a hook, the index that is being committed is used", () => {
  const { root, write, git } = makeCommitted({ "a.txt": "a\n" })
  write({ "b.txt": "b\n" })
  cpSync(join(root, ".git/index"), join(root, ".git/next-index"))
  gitIn(root, { GIT_INDEX_FILE: ".git/next-index" })("add", "b.txt")
  setVariable("GIT_INDEX_FILE", join(root, ".git/next-index"))
  expect(runGit(root, ["ls-files"], { inHook: true })?.toString()).toBe("a.txt\nb.txt\n")
  expect(runGit(root, ["ls-files"])?.toString()).toBe("a.txt\n")
  // a working tree whose git folder is in another place
  const apart = join(makeFolder(), "apart.git")
  cpSync(join(root, ".git"), apart, { recursive: true })
  const tree = makeFolder()
  git("--git-dir", apart, "config", "core.worktree", tree)
  setVariable("GIT_DIR", apart)
  setVariable("GIT_WORK_TREE", tree)
  expect(runGit(tree, ["ls-files"], { inHook: true })?.toString()).toBe("a.txt\nb.txt\n")
  expect(runGit(tree, ["ls-files"])).toBeUndefined()
})

test("a path is a name, whatever it contains", () => {
  const { root } = makeCommitted({ "a.txt": "a\n", ":(glob)*": "b\n", "-x": "c\n" })
  expect(runGit(root, ["ls-files", "--", ":(glob)*"])?.toString()).toBe(":(glob)*\n")
  expect(runGit(root, ["blame", "--porcelain", "--", "-x"])?.toString()).toContain("\tc\n")
})

test("a git that does not end, or prints without end, is stopped", async () => {
  const { root } = makeCommitted({ "a.txt": "a\n" })
  const slow = makeProgram("git", "exec sleep 600\n")
  const endless = makeProgram("git", "exec yes\n")
  const path = process.env.PATH ?? ""
  setVariable("PATH", join(slow.path, "..") + delimiter + path)
  const patience = { timeoutMs: 100 }
  expect(() => runGit(root, ["log"], patience)).toThrow(/git log did not finish within .* and was stopped/)
  await expect(askGit(root, ["log"], patience)).rejects.toThrow(/did not finish/)
  setVariable("PATH", join(endless.path, "..") + delimiter + path)
  const most = { maxBytes: 1024 * 1024 }
  expect(() => runGit(root, ["log"], most)).toThrow(/git log printed more than 1 MB .* and was stopped/)
  await expect(askGit(root, ["log"], most)).rejects.toThrow(/printed more than 1 MB/)
})

test("a program called git in the clone is not started, even if the search path names the working directory", async () => {
  const { path, isStarted } = makeProgram("git")
  const { root } = makeCommitted({ "a.txt": "a\n" })
  cpSync(path, join(root, "git"))
  setVariable("PATH", `.${delimiter}${delimiter}${process.env.PATH}`)
  const before = process.cwd()
  onTestFinished(() => process.chdir(before))
  process.chdir(root)
  expect(runGit(root, ["ls-files"])?.toString()).toBe("a.txt\n")
  expect((await askGit(root, ["ls-files"]))?.toString()).toBe("a.txt\n")
  expect(isStarted()).toBe(false)
})

test("without git the result is undefined", async () => {
  const { root } = makeCommitted({ "a.txt": "a\n" })
  setVariable("PATH", makeFolder())
  expect(runGit(root, ["ls-files"])).toBeUndefined()
  expect(await askGit(root, ["ls-files"])).toBeUndefined()
  expect(runGitOutside(root, ["--version"])).toBeUndefined()
})

test("git reports the repository's own settings", () => {
  const { root, git } = makeCommitted({ "a.txt": "a\n" })
  git("config", "core.hooksPath", "own-hooks")
  expect(runGit(root, ["config", "--get", "core.hooksPath"])?.toString()).toBe("own-hooks\n")
  expect(readFileSync(join(root, ".git/config"), "utf8")).toContain("own-hooks")
})
