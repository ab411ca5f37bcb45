import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openTestWeb } from "../src/web/test-web.ts"
import { startMcp } from "./mcp-server.ts"
import { makeRepository, runCli, runGit } from "./run-cli.ts"

/** An entry without a date, for which Drey asks git. */
const undated = "### Use one index\n**By:** Rook\n**What:** One index everywhere.\n"

/** Settings by which git would start this program, whatever it is asked. */
function programs(program: string): string {
  return [
    `[core]\n\tfsmonitor = ${program}\n\tpager = ${program}`,
    `[diff]\n\texternal = ${program}`,
    `[diff "x"]\n\ttextconv = ${program}\n\tcommand = ${program}`,
    `[filter "x"]\n\tclean = ${program}\n\tsmudge = ${program}\n\tprocess = ${program}\n\trequired = true`,
    `[log]\n\tshowSignature = true`,
    `[gpg]\n\tprogram = ${program}`,
    "",
  ].join("\n")
}

function makeProgram(): { program: string; isStarted: () => boolean } {
  const folder = makeRepository({})
  const canary = join(folder, "started")
  const program = join(folder, "program.sh")
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${canary}\ncat "$1" 2>/dev/null\n`, { mode: 0o755 })
  return { program, isStarted: () => existsSync(canary) }
}

/** A clone whose team folder is a git folder too: all of it are plain files of a commit. */
function cloneWithRepositoryInside(files: Record<string, string>): {
  clone: string
  program: string
  isStarted: () => boolean
} {
  const { program, isStarted } = makeProgram()
  const inner = makeRepository({ "decisions.md": `${undated}\n`, "memory/audit.jsonl": "{}\n" })
  runGit(inner, "init", "-q", "-b", "main")
  runGit(inner, "add", ".")
  runGit(inner, "commit", "-qm", "one")
  const origin = makeRepository({ ".squad/team.md": "# Team\n", ...files })
  for (const name of ["HEAD", "objects", "refs", "index"])
    renameSync(join(inner, ".git", name), join(origin, ".squad", name))
  mkdirSync(join(origin, ".squad/info"))
  writeFileSync(join(origin, ".squad/info/attributes"), "* diff=x filter=x\n")
  writeFileSync(join(origin, ".squad/config"), programs(program))
  runGit(origin, "init", "-q", "-b", "main")
  runGit(origin, "add", "-f", ".")
  runGit(origin, "commit", "-qm", "one")
  const clone = join(makeRepository({}), "clone")
  runGit(origin, "clone", "-q", origin, clone)
  return { clone, program, isStarted }
}

test("a team folder that is a git folder itself never has git start a program", async () => {
  const { clone, isStarted } = cloneWithRepositoryInside({
    ".squad/decisions.md": undated,
    ".squad/agents/rook/history.md": undated,
  })
  const env = { DREY_HOME: makeRepository({}) }
  for (const args of [
    ["init", "--dry-run"],
    ["upgrade", "--dry-run"],
    ["convert-memory", "--dry-run"],
    ["doctor"],
    ["validate"],
    ["validate", "--staged"],
    ["tidy", "--dry-run"],
    ["archive", "--dry-run"],
    ["reindex"],
    ["context", "one index"],
    ["memory", "write", "Tables lock while they are migrated."],
  ]) {
    const { code, stderr } = await runCli(args, { cwd: clone, env })
    expect(code, `${args.join(" ")}: ${stderr}`).toBeLessThan(3)
    expect(isStarted(), args.join(" ")).toBe(false)
  }
  writeFileSync(join(clone, ".squad/memory/audit.jsonl"), "") // a line of this clone is gone: is it on another branch?
  await runCli(["memory", "audit", "--verify"], { cwd: clone, env })
  expect(isStarted(), "memory audit --verify").toBe(false)
  await runCli(["doctor"], { cwd: clone, env })
  expect(isStarted(), "doctor").toBe(false)
  const mcp = startMcp(clone, { env })
  await mcp.begin()
  const { text } = await mcp.call("memory_audit", { verify: true })
  expect(text).toMatch(/The audit/)
  expect(isStarted(), "memory_audit").toBe(false)
  await mcp.end()
})

test("git is asked about the repository around such a team folder, and its answer counts", async () => {
  const { clone } = cloneWithRepositoryInside({ ".squad/decisions.md": undated })
  const { stdout } = await runCli(["convert-memory", "--dry-run", "--json"], { cwd: clone })
  expect(stdout).toMatch(/date from git/)
})

test("the pages about health and the audit start no program of a team folder", async () => {
  const { isStarted, program } = makeProgram()
  const { get, root } = await openTestWeb()
  const inner = makeRepository({ "memory/audit.jsonl": "{}\n" })
  runGit(inner, "init", "-q", "-b", "main")
  runGit(inner, "add", ".")
  runGit(inner, "commit", "-qm", "one")
  for (const name of ["HEAD", "objects", "refs", "index"])
    renameSync(join(inner, ".git", name), join(root, ".squad", name))
  writeFileSync(join(root, ".squad/config"), programs(program))
  mkdirSync(join(root, ".squad/info"), { recursive: true })
  writeFileSync(join(root, ".squad/info/attributes"), "* diff=x filter=x\n")
  const { code } = await runCli(["memory", "write", "Tables lock."], { cwd: root })
  expect(code).toBe(0)
  writeFileSync(join(root, ".squad/memory/audit.jsonl"), "")
  await get("/api/audit")
  await get("/api/health")
  expect(isStarted()).toBe(false)
})

test("a git folder that came with an archive has git start no program", async () => {
  const { program, isStarted } = makeProgram()
  const root = makeRepository({
    ".squad/decisions.md": undated,
    ".gitattributes": "* diff=x filter=x\n",
    "a.txt": "a\n",
  })
  runGit(root, "init", "-q", "-b", "main")
  runGit(root, "add", ".")
  runGit(root, "commit", "-qm", "one")
  writeFileSync(join(root, ".squad/decisions.md"), `${undated}\nMore.\n`)
  writeFileSync(join(root, "a.txt"), "b\n")
  writeFileSync(join(root, ".git/config"), `${readFileSync(join(root, ".git/config"), "utf8")}${programs(program)}`)
  writeFileSync(join(root, ".git/hooks/post-index-change"), `#!/bin/sh\n${program}\n`, { mode: 0o755 })
  const env = { DREY_HOME: makeRepository({}) }
  for (const args of [
    ["init", "--dry-run"],
    ["convert-memory", "--dry-run"],
    ["doctor"],
    ["reindex"],
    ["validate", "--staged"],
  ]) {
    await runCli(args, { cwd: root, env })
    expect(isStarted(), args.join(" ")).toBe(false)
  }
})
