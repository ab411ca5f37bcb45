import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { readEntries } from "../src/formats/entries.ts"
import { type MergeWay, makePairs, mergePairs } from "./branch-pairs.ts"
import { makeRepository, runCli, runGit, writeFiles } from "./run-cli.ts"
import { warmCliIn } from "./warm-cli.ts"

const cli = fileURLToPath(new URL("../dist/cli.cjs", import.meta.url))
const driver = `'${process.execPath}' '${cli}' merge-driver %O %A %B %P`

test("branches that both change decisions.md merge without a conflict and lose no entry", () => {
  const pairs = makePairs(Number(process.env.DREY_MERGE_PAIRS ?? 4), 20_261_115)
  const merge = (way: MergeWay) => mergePairs(makeRepository({}), way, pairs, driver)
  const drey = merge("drey")
  expect(drey).toEqual({ ...drey, conflicts: 0, lost: 0, torn: 0, cameBack: 0, doubled: 0 })
  expect(drey.expected).toBeGreaterThan(pairs.length * 4)
  // The same merges by git alone, so that the figures above mean something.
  expect(merge("git").conflicts).toBeGreaterThan(0)
  const union = merge("merge=union")
  expect(union.lost + union.torn + union.cameBack).toBeGreaterThan(0)
  // A collaborator without Drey has no conflict that Squad's folder did not have.
  expect(union.conflicts).toBe(0)
  expect(merge("without drey").conflicts).toBe(0)
})

test("a fresh clone can be read, searched and written before init, and reading changes no file in it", async () => {
  const root = makeRepository({ "readme.md": "# Here\n" })
  const { run } = warmCliIn(root)
  runGit(root, "init", "-q", "-b", "master")
  await run("init", "--skip-history")
  for (const name of ["one", "two"])
    await run("memory", "write", `Decision: queue ${name}.`, "--class", "DECISION", "--author", "Kane", "--title", name)
  await run("merge")
  await run("memory", "write", "The queue is slow", "--class", "LOCAL")
  runGit(root, "add", "-A")
  runGit(root, "commit", "-q", "-m", "memory")
  expect(runGit(root, "ls-files", ".squad/memory")).not.toContain("index.json")
  const clone = join(makeRepository({}), "clone")
  runGit(root, "clone", "-q", root, clone)
  const inClone = warmCliIn(clone)
  const list = async () =>
    JSON.parse((await inClone.run("memory", "list")).stdout).map((each: { id: string }) => each.id)
  const ids = await list()
  expect(ids).toHaveLength(3)
  expect(JSON.parse((await inClone.run("memory", "search", "queue")).stdout)).toHaveLength(3)
  expect((await inClone.run("memory", "read", ids[0])).code).toBe(0)
  expect((await inClone.run("context", "--task", "Change the queue")).stdout).toContain("queue two")
  expect(runGit(clone, "status", "--porcelain")).toBe("")
  expect(readdirSync(join(clone, ".squad/memory"))).not.toContain("index.json")
  expect((await inClone.run("memory", "write", "The queue is fast", "--class", "LOCAL")).code).toBe(0)
  expect(JSON.parse(readFileSync(join(clone, ".squad/memory/index.json"), "utf8"))).toHaveLength(4)
  expect((await inClone.run("memory", "delete", ids[0])).code).toBe(0)
  runGit(clone, "add", "-A")
  runGit(clone, "commit", "-q", "-m", "more")
  runGit(clone, "checkout", "-q", "HEAD~1") // the index stays, and must not tell of the other commit
  expect(await list()).toEqual(ids)
})

test("a worktree merges histories, archives, the index and the audit without a conflict", () => {
  const base = {
    ".squad/decisions.md": decisions("One"),
    ".squad/decisions-archive.md": decisions("Old"),
    ".squad/agents/kane/history.md": "# Kane\n\n## Learnings\n\n- One\n",
    ".squad/memory/index.json": index("1"),
    ".squad/memory/audit.jsonl": auditLine(1),
  }
  const root = startRepository(base)
  runGit(root, "worktree", "add", "-q", "-b", "theirs", "tree")
  const tree = join(root, "tree")
  changeAll(tree, "Theirs", "2")
  runGit(tree, "commit", "-q", "-a", "-m", "theirs")
  changeAll(root, "Ours", "3")
  runGit(root, "commit", "-q", "-a", "-m", "ours")
  runGit(tree, "merge", "-q", "-m", "merge", "master")
  const read = (path: string) => readFileSync(join(tree, path), "utf8")
  expect(titlesOf(read(".squad/decisions.md"))).toEqual(["One", "Theirs", "Ours"])
  expect(titlesOf(read(".squad/decisions-archive.md"))).toEqual(["Old", "Theirs archived", "Ours archived"])
  expect(read(".squad/agents/kane/history.md")).toBe("# Kane\n\n## Learnings\n\n- One\n- Theirs\n- Ours\n")
  expect(JSON.parse(read(".squad/memory/index.json")).map(({ id }: { id: string }) => id)).toEqual(["1", "2", "3"])
  expect(read(".squad/memory/audit.jsonl")).toBe(auditLine(1) + auditLine(2) + auditLine(3))
})

test("one file per entry merges in the inbox without any driver, and each entry is merged once", async () => {
  const root = makeRepository({ ".squad/decisions.md": "# Squad Decisions\n" })
  const propose = (...names: string[]) =>
    writeFiles(root, Object.fromEntries(names.map((name) => [`.squad/decisions/inbox/${name}.md`, entry(name)])))
  runGit(root, "init", "-q", "-b", "master")
  const commit = (message: string) => {
    runGit(root, "add", "-A")
    runGit(root, "commit", "-q", "-m", message)
  }
  commit("start")
  runGit(root, "checkout", "-q", "-b", "theirs")
  propose("One", "Both")
  commit("theirs")
  runGit(root, "checkout", "-q", "master")
  propose("Two", "Both")
  commit("ours")
  runGit(root, "merge", "-q", "-m", "merge", "theirs")
  expect(readdirSync(join(root, ".squad/decisions/inbox")).sort()).toEqual(["Both.md", "One.md", "Two.md"])
  await openDrey({ root }).team.merge()
  expect(titlesOf(readFileSync(join(root, ".squad/decisions.md"), "utf8")).sort()).toEqual(["Both", "One", "Two"])
})

test("two memories of one title written on two branches are two files, and the driver merges their records by id", async () => {
  const root = startRepository({ ".squad/decisions.md": "# Squad Decisions\n", ".squad/memory/index.json": "[]\n" })
  const write = async (content: string) => {
    const memory = openDrey({ root }).governed
    await memory.write({ content, title: "Index", author: "Kane", class: "DECISION" })
    runGit(root, "add", "-A")
    runGit(root, "commit", "-q", "-m", content)
  }
  runGit(root, "checkout", "-q", "-b", "theirs")
  await write("One index for all.")
  runGit(root, "checkout", "-q", "master")
  await write("One index each.")
  runGit(root, "merge", "-q", "-m", "merge", "theirs")
  expect(readdirSync(join(root, ".squad/decisions/inbox"))).toHaveLength(2)
  const memory = openDrey({ root }).governed
  const found = await memory.search("index")
  expect(new Set(found.map(({ id }) => id)).size).toBe(2)
  expect(JSON.parse(readFileSync(join(root, ".squad/memory/index.json"), "utf8"))).toHaveLength(2)
  expect(await memory.verifyAudit()).toMatchObject({ ok: true })
})

test("an entry that both sides changed is in the file twice, and validate reports it", async () => {
  const root = startRepository({ ".squad/decisions.md": decisions("One") })
  const path = join(root, ".squad", "decisions.md")
  const change = (text: string) => writeFileSync(path, decisions("One").replace("One it is.", text))
  runGit(root, "checkout", "-q", "-b", "theirs")
  change("Two it is.")
  runGit(root, "commit", "-q", "-a", "-m", "theirs")
  runGit(root, "checkout", "-q", "master")
  change("Three it is.")
  runGit(root, "commit", "-q", "-a", "-m", "ours")
  runGit(root, "merge", "-q", "-m", "merge", "theirs")
  expect(readFileSync(path, "utf8")).toMatch(/Three it is\.[\s\S]*<!-- drey: conflict sem-\w+ -->[\s\S]*Two it is\./)
  const { code, stdout } = await runCli(["validate", "--json"], { cwd: root })
  expect(code).toBe(1)
  expect(stdout).toContain("merge-conflict-kept")
})

test("a file that Drey cannot merge is left as it was, with the reason and exit code 1", async () => {
  const root = makeRepository({ base: "[]", ours: "[", theirs: "[]", "notes.txt": "" })
  const broken = await runCli(["merge-driver", "base", "ours", "theirs", ".squad/memory/index.json"], { cwd: root })
  expect(broken).toMatchObject({ code: 1, stdout: "" })
  expect(broken.stderr).toContain(".squad/memory/index.json was not merged: One side's index is not valid JSON")
  expect(readFileSync(join(root, "ours"), "utf8")).toBe("[")
  const unknown = await runCli(["merge-driver", "base", "ours", "theirs", "notes.txt"], { cwd: root })
  expect(unknown.code).toBe(1)
})

/** A repository with a first commit of these files, in which Drey merges. */
function startRepository(files: Record<string, string>): string {
  const attributes = ["decisions*.md", "agents/**/history*.md", "memory/index.json", "memory/audit*.jsonl"]
  const root = makeRepository({
    ...files,
    ".gitattributes": attributes.map((each) => `.squad/${each} merge=drey\n`).join(""),
  })
  runGit(root, "init", "-q", "-b", "master")
  runGit(root, "config", "merge.drey.driver", driver)
  runGit(root, "add", "-A")
  runGit(root, "commit", "-q", "-m", "start")
  return root
}

function changeAll(root: string, name: string, number: string): void {
  const read = (path: string) => readFileSync(join(root, path), "utf8")
  writeFiles(root, {
    ".squad/decisions.md": `${read(".squad/decisions.md")}\n${entry(name)}`,
    ".squad/decisions-archive.md": `${read(".squad/decisions-archive.md")}\n${entry(`${name} archived`)}`,
    ".squad/agents/kane/history.md": `${read(".squad/agents/kane/history.md")}- ${name}\n`,
    ".squad/memory/index.json": index("1", number),
    ".squad/memory/audit.jsonl": auditLine(1) + auditLine(Number(number)),
  })
}

function titlesOf(text: string): string[] {
  return readEntries(text, { kind: "decisions" }).entries.map(({ entry: { title } }) => title)
}

function decisions(title: string): string {
  return `# Decisions\n\n${entry(title)}`
}

function entry(title: string): string {
  return `### 2026-02-15: ${title}\n**By:** Kane\n**What:** ${title} it is.\n**Why:** Tried.\n`
}

function index(...ids: string[]): string {
  return `${JSON.stringify(
    ids.map((id) => ({ id, title: `Memory ${id}`, updatedAt: "2026-02-15T00:00:00.000Z" })),
    null,
    2,
  )}\n`
}

function auditLine(day: number): string {
  return `${JSON.stringify({ timestamp: `2026-02-0${day}T00:00:00.000Z`, action: "write", id: String(day) })}\n`
}
