import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, expect, test } from "vitest"
import { withLock } from "../src/disk/lock.ts"
import { type ClaudeSession, claudeSession } from "./claude-session.ts"
import { semEntry } from "./legacy-fixtures.ts"
import { makeRepository } from "./run-cli.ts"
import { trustForTest } from "./trust-for-test.ts"
import { runWarm } from "./warm-cli.ts"

let root: string
let home: string
let session: ClaudeSession
let run: (...args: string[]) => ReturnType<typeof runWarm>

const words = `No, not like that. ${"The retry must not hide the first error. ".repeat(6)}Keep the first error and give up after seven attempts.`

beforeEach(async () => {
  root = makeRepository({ ".squad/decisions.md": "# Decisions\n" })
  home = makeRepository({})
  run = (...args) => runWarm(args, { cwd: root, env: { HOME: home, DREY_HOME: join(home, ".drey") } })
  git("init", "-q", "-b", "main")
  commit("README.md", "docs: begin", "2026-03-01T08:00:00Z")
  session = claudeSession(home, { cwd: root, session: "5e551000-aaaa", start: "2026-03-02T09:00:00Z" })
  session.user("The export gives up at the first timeout, please retry it")
  session.edit("src/export.ts")
  session.run("npm test", "AssertionError: expected 3 to be 7", 1)
  session.assistant("It retries three times now.")
  session.user(words)
  session.run("npm test", "all passed")
  const id = commit("src/export.ts", "fix(export): keep the first error\n\nSeven attempts.", "2026-03-02T09:01:10Z")
  session.run(
    'git commit -am "fix(export): keep the first error"',
    `[main ${id.slice(0, 7)}] fix(export): keep the first error`,
  )
  session.assistant("Done: seven attempts, and the first error is reported.")
  await run("ingest")
})

function git(...args: string[]): string {
  return execFileSync("git", ["-C", root, "-c", "user.name=Kim", "-c", "user.email=kim@example.com", ...args], {
    encoding: "utf8",
  })
}

function commit(file: string, message: string, date: string): string {
  mkdirSync(join(root, file, ".."), { recursive: true })
  writeFileSync(join(root, file), `${message}\n`)
  git("add", "-A")
  git("commit", "-q", "-m", message, "--date", date)
  return git("rev-parse", "HEAD").trim()
}

type Hit = { id: string; source: string; title: string; path: string; line: number }

async function search(...query: string[]): Promise<Hit[]> {
  return JSON.parse((await run("search", ...query, "--json")).stdout || "[]")
}

test("what was said and committed is found, filtered, and shown with what it led to", async () => {
  const [said] = await search("source:conversation how many attempts has the export")
  expect(said).toMatchObject({ title: "The export gives up at the first timeout, please retry it", path: session.path })
  const [made] = await search("keep the first error", "--source", "commit")
  expect(made).toMatchObject({ source: "commit", title: "fix(export): keep the first error" })
  expect((await search("export")).map(({ source }) => source)).toEqual(
    expect.arrayContaining(["conversation", "commit"]),
  )
  for (const query of ["file:src/export.ts", "file:export.ts source:conversation", "session:5e55 client:claude-code"])
    expect(
      (await search(query)).map(({ id }) => id),
      query,
    ).toContain(said?.id)
  expect(await search("client:codex")).toEqual([])
  expect((await search("file:src/export.ts type:commit")).map(({ id }) => id)).toEqual([made?.id])

  const shown = (await run("show", said?.id ?? "")).stdout
  expect(shown).toContain(words)
  expect(shown).toMatch(new RegExp(`commit +${made?.id} {2}fix\\(export\\): keep the first error`))
  expect(shown).toMatch(/changed +src\/export\.ts/)
  expect((await run("show", git("rev-parse", "HEAD").trim())).stdout).toContain(`made in    ${said?.id}`)
})

test("a task that was nearly asked before gets one line about it, once, and never in the same session", async () => {
  await run("reindex", "--past")
  trustForTest(join(home, ".drey"), root)
  const hook = async (own: string, prompt: string) => {
    const input = JSON.stringify({ session_id: own, hook_event_name: "UserPromptSubmit", cwd: root, prompt })
    const { stdout } = await runWarm(["hook", "claude-code", "UserPromptSubmit"], {
      cwd: root,
      env: { HOME: home, DREY_HOME: join(home, ".drey") },
      input,
    })
    return stdout === "" ? "" : JSON.parse(stdout).hookSpecificOutput.additionalContext
  }
  const again = "The export of `src/report.ts` gives up at the first timeout again, please retry it"
  const line =
    /^> \[\S+\] worked on in session 5e551000 \(claude-code\) on 2026-03-02: The export gives up at the first timeout/m
  expect(await hook("7e557000", again)).toMatch(line)
  expect(await hook("7e557000", again)).not.toMatch(line)
  expect(await hook("5e551000-aaaa", again)).not.toMatch(line)
  for (const other of ["Please retry it", "The import gives up when the file is empty, please explain", "npm test"])
    expect(await hook("8e558000", other), other).not.toMatch(line)
  expect((await run("context", again)).stdout).toMatch(line)
})

test("while another process indexes the history, a search answers from what is indexed", async () => {
  await run("reindex", "--past")
  commit("src/import.ts", "feat: import", "2026-03-03T09:00:00Z")
  const folder = join(home, ".drey", "index")
  const [lock = ""] = readdirSync(folder).filter((name) => name.endsWith(".past.db.lock"))
  const held = await withLock(join(folder, lock), () => run("search", "keep the first error", "--source", "commit"))
  expect(held.stdout).toContain("fix(export): keep the first error")
  expect(held.stderr).toContain("1 commit not indexed yet")
  await run("reindex", "--past")
  expect(await search("source:commit import")).toMatchObject([{ title: "feat: import" }])
})

test("a line leads to its commit, its conversation and what was decided", async () => {
  const decision = semEntry("2026-03-01T09:00:00Z", "decision", "`src/export.ts` gives up after seven attempts")
  writeFileSync(join(root, ".squad", "decisions.md"), `# Decisions\n\n${decision}`)
  const { stdout } = await run("why", "src/export.ts:1")
  expect(stdout).toMatch(/commit +[0-9a-f]{12} {2}2026-03-02 Kim: fix\(export\): keep the first error/)
  expect(stdout).toMatch(/made in +ep-2026-03-02-/)
  expect(stdout).toMatch(/decided +\[sem-\w+\] .*seven attempts/)
  expect((await run("why", "src/export.ts")).stdout).toContain("fix(export): keep the first error")
  expect(await run("why", "../elsewhere.ts:1")).toMatchObject({ code: 2 })
  expect(await run("why", "src/missing.ts:1")).toMatchObject({ code: 2 })
})

test("a conversation is replayed from its transcript, and its summary outlives transcript and index", async () => {
  const [said] = await search("source:conversation export")
  const replay = (await run("show", said?.id ?? "", "--replay")).stdout
  expect(replay).toContain("AssertionError: expected 3 to be 7")
  expect(replay).toContain(words)
  rmSync(session.path)
  rmSync(join(home, ".drey", "index"), { recursive: true })
  expect(await search("source:conversation export")).toMatchObject([{ id: said?.id }])
  expect((await run("show", said?.id ?? "")).stdout).toContain(words)
  const gone = await run("show", said?.id ?? "", "--replay")
  expect(gone.code).toBe(2)
  expect(gone.stderr).toContain(`${session.path} no longer exists`)
})

test("a forgotten conversation is gone from search, the database and the log, and does not come back", async () => {
  const [said] = await search("source:conversation export")
  expect((await run("forget", said?.id ?? "")).stdout).toContain("1 conversation")
  expect(await search("source:conversation export")).toEqual([])
  await run("ingest")
  await run("reindex")
  expect(await search("source:conversation export")).toEqual([])
  expect((await run("log")).stdout).not.toContain("gives up at the first timeout")
  expect(await run("forget", said?.id ?? "")).toMatchObject({ code: 1 })
})
