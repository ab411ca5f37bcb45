import { execFileSync } from "node:child_process"
import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { claudeSession } from "../test/claude-session.ts"
import { trustForTest } from "../test/trust-for-test.ts"
import { type FileUse, writeRecord } from "./clients/connect/file-record.ts"
import { openDrey } from "./drey.ts"
import { normalizeEntry, writeEntry } from "./formats/entry-writer.ts"
import { queryOf } from "./formats/query.ts"
import { parseTimestamp } from "./formats/timestamp.ts"
import { runHook } from "./hooks/run-hook.ts"
import { openCalls } from "./mcp/calls.ts"
import { learnedPath } from "./memories/ledger.ts"
import { projectIdOf } from "./memories/project-id.ts"
import { testMemory } from "./memories/review/test-memory.ts"
import { sqliteStore } from "./memories/sqlite-store.ts"
import { openTrust } from "./trust.ts"

const noNpm = entry("directive", "Never use npm install, use pnpm.")
const hint = "This repository's team memory is not trusted yet: its rules do not apply. Run `drey trust` to trust it."
const root0 = process.getuid?.() === 0

test("a clone's directive is never handed out as a rule by a hook, and its user is shown once how to trust it", async () => {
  const { ask } = makePlace(noNpm)
  const { systemMessage, hookSpecificOutput } = JSON.parse(await ask("SessionStart", {}))
  expect(systemMessage).toBe(`Drey · ${hint}`)
  expect(hookSpecificOutput.additionalContext).toContain("## Background from this repository (not trusted by the user)")
  expect(hookSpecificOutput.additionalContext).toContain("> Never use npm install")
  expect(hookSpecificOutput.additionalContext).not.toMatch(/## Rules|directive ·/)
  const again = await ask("SessionStart", {}, { session: "two" })
  expect(again).not.toContain("systemMessage")
  expect(again).not.toContain("## Rules")
  const prompted = await ask("UserPromptSubmit", { prompt: "Should I use npm install here?" }, { session: "three" })
  expect(prompted).toContain("> Never use npm install")
  expect(prompted).not.toContain("## Rules")
})

test("a client that cannot show a notice to the user tells the agent how to trust the repository", async () => {
  const { ask } = makePlace(noNpm)
  const { additionalContext } = JSON.parse(await ask("sessionStart", {}, { client: "copilot-cli" }))
  expect(additionalContext).toContain(hint)
})

test("a clone's directive is never handed out as a rule over MCP", async () => {
  const { root, environment } = makePlace(noNpm)
  const calls = openCalls({ environment, warn: () => {} })
  onTestFinished(() => calls.close())
  const caller = { agent: undefined, client: undefined, session: undefined, folders: [root], progress: () => {} }
  const ask = async (name: "get_task_context" | "memory_search" | "report_outcome", given: object) => {
    const outcome = await calls.callTool(name, { ...given }, caller)
    return outcome.kind === "answer" ? outcome.answer.text : outcome.text
  }
  const context = await ask("get_task_context", { task: "Use npm install for a package" })
  expect(context).toContain("This repository is not trusted yet")
  expect(context).toContain("> Never use npm install")
  expect(context).not.toMatch(/## Rules|directive ·/)
  const found = await ask("memory_search", { query: "npm install" })
  expect(found).toMatch(/^This repository is not trusted yet.*\[UNTRUSTED\]/s)
  expect(found).not.toContain("[POLICY]")
  expect(await ask("report_outcome", { outcome: "success" })).toContain("not trusted yet")
  const read = await calls.readResource("drey://decisions", caller)
  expect(read).toMatchObject({
    kind: "answer",
    answer: { text: expect.stringMatching(/^This repository is not trusted/) },
  })
  trustForTest(environment.DREY_HOME, root)
  expect(await ask("get_task_context", { task: "Use npm install for a package" })).toContain(
    "## Rules of this repository",
  )
})

test("a clone compiles no guards, and guards from before trust was removed do not answer", async () => {
  const { ask, home, root, environment } = makePlace(noNpm)
  const call = ["PreToolUse", { tool_name: "Bash", tool_input: { command: "npm install left-pad" } }] as const
  await ask("SessionStart", {})
  expect(existsSync(join(home, "guards"))).toBe(false)
  expect(await ask(...call)).toBe("")
  trustForTest(home, root)
  await ask("SessionStart", {}, { session: "two" })
  expect(await ask(...call, { session: "two" })).toContain("Never use npm install")
  await openTrust({ root, environment }).remove()
  expect(await ask(...call, { session: "three" })).toBe("")
  await ask("SessionStart", {}, { session: "three" })
  expect(readdirSync(join(home, "guards"))).toEqual([])
})

test("nothing is learned from work in a clone, and no rule is captured from a prompt there", async () => {
  const { ask, root, log } = makePlace(noNpm)
  for (const event of ["Stop", "SessionEnd"]) expect(await ask(event, {})).toBe("")
  await ask("UserPromptSubmit", { prompt: "From now on, always round sums to cents." })
  expect(readFileSync(log, "utf8")).toBe("")
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).not.toContain("round sums")
})

test("a watch learns nothing in a clone, even while it watches other projects", async () => {
  const { root, home, folder, environment } = makePlace(noNpm)
  const clone = join(folder, "clone")
  write(join(clone, ".squad/decisions.md"), noNpm)
  trustForTest(home, root)
  for (const cwd of [root, clone]) {
    const session = claudeSession(folder, {
      cwd,
      session: cwd === root ? "own" : "clone",
      start: "2026-03-02T08:00:00Z",
    })
    session.user("From now on, always round the sums of invoices to cents.")
    session.run("npm test", "all passed")
    session.user("And now the page of the warehouse, please.")
  }
  const there = openDrey({ root: clone, environment, warn: () => {} })
  await there.memories.transcripts.projects() // a command that was typed there made it known
  await there.close()
  const drey = openDrey({ root, environment, warn: () => {} })
  onTestFinished(() => drey.close())
  const learning = drey.memories
  expect((await learning.transcripts.projects()).map((project) => project.root)).toEqual([root])
  const ending = new AbortController()
  const rounds: number[] = []
  await learning.transcripts.watch({
    pollMs: 10,
    signal: ending.signal,
    onRound({ files }) {
      rounds.push(files)
      ending.abort()
    },
  })
  expect(rounds[0]).toBe(1)
  const learned = await learning.list({})
  expect(learned.length).toBeGreaterThan(0)
  const { id } = await learning.project()
  expect(learned.every(({ project }) => project === id)).toBe(true)
})

test("memories learned for a project are not handed out in it before it is trusted; global ones are", async () => {
  const { root, environment, home } = makePlace(noNpm)
  const { id: project } = projectIdOf(root)
  const store = sqliteStore(learnedPath(home))
  const slow = "Run the warehouse import with --slow"
  const global = "The import of the warehouse is logged in detail"
  await store.registerProject(project, root)
  await store.importMemories(
    [
      testMemory("m-00000000000000a1", { project, text: slow, kind: "preference", origin: "user" }),
      testMemory("m-00000000000000a2", {
        project,
        text: `${slow}, or it fails`,
        kind: "guard",
        polarity: -1,
        status: "active",
      }),
      testMemory("m-00000000000000a3", { project: undefined, scope: "global", text: global, kind: "preference" }),
    ],
    "2026-03-01T10:00:00.000Z",
  )
  await store.close()
  const automatic = openDrey({ root, environment, automatic: true, warn: () => {} })
  const typed = openDrey({ root, environment, warn: () => {} })
  onTestFinished(async () => {
    await automatic.close()
    await typed.close()
  })
  const found = async (drey: typeof typed) => {
    const { hits } = await drey.search.items({ query: queryOf("warehouse import") })
    return hits.filter(({ source }) => source === "learned").map(({ title }) => title)
  }
  const task = "Run the warehouse import, with its log in detail"
  expect(await found(typed)).toHaveLength(3)
  expect(await found(automatic)).toEqual([global])
  const { context } = await automatic.context.build({ task })
  expect(context.text).toContain(global)
  expect(context.text).not.toContain("--slow")
  expect((await automatic.context.atStart()).text).not.toContain("--slow")
  trustForTest(home, root)
  expect(await found(automatic)).toHaveLength(3)
  expect((await automatic.context.build({ task })).context.text).toContain("--slow")
})

test("commands typed by the user and the SDK work in a clone as usual, and record nothing", async () => {
  const { root, environment, home } = makePlace(noNpm)
  const drey = openDrey({ root, environment, warn: () => {} })
  onTestFinished(() => drey.close())
  expect((await drey.context.build({ task: "npm install" })).context.text).toContain("## Rules of this repository")
  await drey.team.captureDirective("Always use single quotes.", "Ines")
  expect(existsSync(join(home, "trust.json"))).toBe(false)
})

test("a record of another path does not count", async () => {
  const { root, environment, folder } = makePlace(noNpm)
  await openTrust({ root, environment }).record()
  expect(openTrust({ root, environment }).current().kind).toBe("trusted")
  const moved = join(folder, "moved")
  renameSync(root, moved)
  expect(openTrust({ root: moved, environment }).current().kind).toBe("untrusted")
})

test("a repository with another remote at the same path is not trusted; one that gets its first remote stays trusted", async () => {
  const { root, environment } = makePlace(noNpm)
  const trusting = openTrust({ root, environment })
  const remote = (url: string) => write(join(root, ".git/config"), `[remote "origin"]\n\turl = ${url}\n`)
  write(join(root, ".git/HEAD"), "ref: refs/heads/main\n")
  await trusting.record()
  remote("https://example.com/team/shop.git")
  expect(trusting.current().kind).toBe("trusted")
  await trusting.record()
  remote("git@example.com:team/shop")
  expect(trusting.current().kind).toBe("trusted")
  remote("https://example.com/evil/shop.git")
  expect(trusting.current()).toMatchObject({ kind: "untrusted", reason: expect.stringContaining("another remote") })
  rmSync(join(root, ".git/config"))
  expect(trusting.current().kind).toBe("untrusted")
})

test("a clone that takes the place of a trusted folder without a remote is not trusted", async () => {
  const { root, environment } = makePlace(noNpm)
  await openTrust({ root, environment }).record()
  renameSync(root, `${root}-before`)
  write(join(root, ".git/config"), '[remote "origin"]\n\turl = https://example.com/evil/shop.git\n')
  write(join(root, ".squad/decisions.md"), noNpm)
  expect(openTrust({ root, environment }).current().kind).toBe("untrusted")
})

test("another folder at a trusted path is not trusted, though neither has a remote", async () => {
  const { root, environment } = makePlace(noNpm)
  write(join(root, ".git/HEAD"), "ref: refs/heads/main\n")
  await openTrust({ root, environment }).record()
  renameSync(root, `${root}-before`)
  write(join(root, ".git/HEAD"), "ref: refs/heads/main\n")
  write(join(root, ".squad/decisions.md"), noNpm)
  expect(openTrust({ root, environment }).current().kind).toBe("untrusted")
})

test("sessions that come with a clone without a team folder are not trusted", () => {
  const { root, environment } = makePlace()
  rmSync(join(root, ".squad"), { recursive: true })
  write(join(root, ".git/HEAD"), "ref: refs/heads/main\n")
  expect(openTrust({ root, environment }).current().kind).toBe("trusted")
  write(join(root, ".rawko/sessions/one/agent-memory.yaml"), "discoveries: []\n")
  expect(openTrust({ root, environment }).current().kind).toBe("untrusted")
})

test("a worktree is trusted like the checkout it was made from; a folder that only claims to be one is not", async () => {
  const { root, environment, folder } = makePlace(noNpm)
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: root, stdio: "pipe" })
  git("init", "-q")
  git("add", ".")
  git("commit", "-qm", "all")
  git("worktree", "add", "-q", join(folder, "branch"))
  await openTrust({ root, environment }).record()
  expect(openTrust({ root: join(folder, "branch"), environment }).current().kind).toBe("trusted")
  write(join(folder, "claims/.git"), readFileSync(join(folder, "branch/.git"), "utf8"))
  write(join(folder, "claims/.squad/decisions.md"), noNpm)
  expect(openTrust({ root: join(folder, "claims"), environment }).current().kind).toBe("untrusted")
})

test("a trust record inside a repository proves nothing", async () => {
  const { root, environment, ask } = makePlace(noNpm)
  for (const path of ["trust.json", ".drey/trust.json", ".squad/trust.json", ".squad/.drey/trust.json"])
    write(join(root, path), JSON.stringify({ version: 1, repositories: [{ path: root }], hinted: [] }))
  write(join(root, ".squad/config.json"), JSON.stringify({ drey: { trusted: true, trust: "yes" } }))
  write(join(root, ".mcp.json"), JSON.stringify({ mcpServers: { drey: { command: "drey", args: ["mcp"] } } }))
  connectRecord(join(root, ".drey"), root, join(root, ".mcp.json"))
  expect(await ask("SessionStart", {})).not.toContain("## Rules")
  expect(openTrust({ root, environment }).current().kind).toBe("untrusted")
})

test("a repository that was connected before trust was recorded is trusted, but not by a user-wide connection, nor for a later clone", async () => {
  const { root, home, ask } = makePlace(noNpm)
  connectRecord(home, null, join(home, "../.claude.json"))
  expect(await ask("SessionStart", {})).not.toContain("## Rules")
  connectRecord(home, root, join(root, ".mcp.json"))
  expect(await ask("SessionStart", {}, { session: "two" })).toContain("## Rules")
  expect(statSync(join(home, "trust.json")).mode & 0o777).toBe(0o600)

  const other = makePlace(noNpm)
  connectRecord(other.home, other.root, join(other.root, ".mcp.json"))
  await openTrust({ root: other.root, environment: other.environment }).remove()
  expect(await other.ask("SessionStart", {})).not.toContain("## Rules")

  const later = makePlace(noNpm)
  connectRecord(later.home, later.root, join(later.root, ".mcp.json"), "2020-01-01")
  write(join(later.root, ".git/HEAD"), "ref: refs/heads/main\n")
  expect(await later.ask("SessionStart", {})).not.toContain("## Rules")
})

test.runIf(root0)("a team folder owned by another user is never used until the user trusts it explicitly", async () => {
  const { root, environment, ask, home } = makePlace(noNpm)
  chownSync(join(root, ".squad"), 65_534, 65_534)
  const below = join(root, "work/deep")
  mkdirSync(below, { recursive: true })
  expect(() => openDrey({ root: below, environment })).toThrow(/is owned by another user/)
  expect(await ask("SessionStart", {}, { cwd: below })).toBe("")
  expect(readFileSync(join(home, "hook.log"), "utf8")).toContain("is owned by another user")
  const calls = openCalls({ environment, warn: () => {} })
  onTestFinished(() => calls.close())
  const caller = { agent: undefined, client: undefined, session: undefined, folders: [below], progress: () => {} }
  const outcome = await calls.callTool("memory_search", { query: "npm" }, caller)
  expect(outcome).toMatchObject({
    kind: "trouble",
    text: expect.stringMatching(/is owned by another user.*\n.*drey trust/s),
  })
  await openTrust({ root, environment }).record()
  expect(await ask("SessionStart", {}, { cwd: below })).toContain("## Rules")
  chownSync(join(root, ".squad"), 65_533, 65_533)
  expect(await ask("SessionStart", {}, { cwd: below })).toBe("")
})

test("a team folder that is a link out of the repository is never used; one within it is", async () => {
  const { root, environment, folder, ask, home } = makePlace(noNpm)
  const opened = openDrey({ root, environment, automatic: true, warn: () => {} })
  onTestFinished(() => opened.close())
  renameSync(join(root, ".squad"), join(folder, "elsewhere"))
  symlinkSync(join(folder, "elsewhere"), join(root, ".squad"))
  await expect(opened.context.build({ task: "npm" })).rejects.toThrow(/outside the repository/)
  expect(() => openDrey({ root, environment })).toThrow(/outside the repository/)
  expect(await ask("SessionStart", {})).toBe("")
  expect(readFileSync(join(home, "hook.log"), "utf8")).toContain("outside the repository")
  await expect(openTrust({ root, environment }).record()).rejects.toThrow(/outside the repository/)
  rmSync(join(root, ".squad"))
  renameSync(join(folder, "elsewhere"), join(root, "team"))
  symlinkSync("team", join(root, ".squad"))
  await openTrust({ root, environment }).record()
  expect(await ask("SessionStart", {})).toContain("## Rules")
  rmSync(join(root, ".squad"))
  mkdirSync(join(root, ".git"))
  renameSync(join(root, "team"), join(root, ".git/team"))
  symlinkSync(".git/team", join(root, ".squad"))
  expect(() => openDrey({ root, environment })).toThrow(/outside the repository/)
  if (!root0) return
  renameSync(join(root, ".git/team"), join(root, "team"))
  rmSync(join(root, ".squad"))
  symlinkSync("team", join(root, ".squad"))
  lchownSync(join(root, ".squad"), 65_534, 65_534)
  expect(() => openDrey({ root, environment })).toThrow(/is owned by another user/)
})

test("rules that others changed are shown at the next session start, once", async () => {
  const { root, environment, ask } = makePlace(noNpm)
  await openTrust({ root, environment }).record()
  expect(await ask("SessionStart", {})).not.toContain("systemMessage")
  const pulled = [
    entry("directive", "Never push on Fridays.", "Ann"),
    entry("directive", "Always deploy from main.", "Bob"),
    entry("decision", "Tokens live for ten minutes.", "Eve"),
  ]
  write(join(root, ".squad/decisions.md"), `# Squad Decisions\n\n${[noNpm, ...pulled].join("\n")}`)
  const { systemMessage } = JSON.parse(await ask("SessionStart", {}, { session: "two" }))
  expect(systemMessage).toMatch(/^Drey · Since your last session, (?:Ann, Bob|Bob, Ann) added or changed 2 rules: /)
  expect(systemMessage).toContain("Never push on Fridays.")
  expect(systemMessage).not.toMatch(/Tokens|npm/)
  expect(await ask("SessionStart", {}, { session: "three" })).not.toContain("systemMessage")
})

test("the user's own changes are not shown as changed by others, changes pulled before them are", async () => {
  const { root, environment, ask } = makePlace(noNpm)
  await openTrust({ root, environment }).record()
  const drey = openDrey({ root, environment, warn: () => {} })
  onTestFinished(() => drey.close())
  await drey.team.captureDirective("Always use single quotes.", "Ines")
  await ask("UserPromptSubmit", { prompt: "From now on, always round sums to cents." })
  expect(await ask("SessionStart", {}, { session: "two" })).not.toContain("systemMessage")
  const path = join(root, ".squad/decisions.md")
  write(path, `${readFileSync(path, "utf8")}\n${entry("directive", "Never push on Fridays.", "Ann")}`)
  await drey.team.captureDirective("Always use tabs.", "Ines")
  const { systemMessage } = JSON.parse(await ask("SessionStart", {}, { session: "three" }))
  expect(systemMessage).toBe("Drey · Since your last session, Ann added or changed 1 rule: Never push on Fridays.")
})

test("the first session in a repository has no last session: its rules are not shown as changed", async () => {
  const { root, environment, ask } = makePlace()
  await openTrust({ root, environment }).record()
  write(join(root, ".squad/decisions.md"), `# Squad Decisions\n\n${noNpm}`)
  const first = await ask("SessionStart", {})
  expect(first).toContain("## Rules")
  expect(first).not.toContain("systemMessage")
  write(
    join(root, ".squad/decisions.md"),
    `# Squad Decisions\n\n${noNpm}\n${entry("directive", "Never push on Fridays.", "Ann")}`,
  )
  expect(await ask("SessionStart", {}, { session: "two" })).toContain(
    "Ann added or changed 1 rule: Never push on Fridays.",
  )
})

test("unreadable records trust nothing, and are not overwritten", async () => {
  const { root, environment, home, ask } = makePlace(noNpm)
  write(join(home, "trust.json"), '{ "version": 9 }')
  expect(await ask("SessionStart", {})).toBe("")
  expect(readFileSync(join(home, "hook.log"), "utf8")).toContain("trust.json is not a trust file")
  await expect(openTrust({ root, environment }).record()).rejects.toThrow(/trust\.json/)
  expect(readFileSync(join(home, "trust.json"), "utf8")).toBe('{ "version": 9 }')
})

/** A repository with these entries, not trusted, and a program that records what is started in the background. */
function makePlace(...entries: string[]) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "drey-trust-")))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [root, home, log] = [join(folder, "repository"), join(folder, "home"), join(folder, "runs")]
  write(join(root, ".squad/decisions.md"), `# Squad Decisions\n\n${entries.join("\n")}`)
  write(log, "")
  const program = join(folder, "program.cjs")
  write(program, `require("node:fs").appendFileSync(${JSON.stringify(log)}, process.argv.slice(2).join(" "))`)
  const environment = {
    PATH: process.env.PATH,
    DREY_HOME: home,
    DREY_USER: "ines",
    DREY_HOOK_MS: "60000",
    HOME: folder,
  }
  const ask = (
    event: string,
    input: object,
    { client = "claude-code", session = "one", cwd = root }: AskOptions = {},
  ) => runHook({ client, event, readInput: async () => ({ session_id: session, cwd, ...input }), environment, program })
  return { folder, root, home, log, environment, ask }
}

type AskOptions = { client?: string; session?: string; cwd?: string }

/** What `connect` keeps of a file; `day` is when it did. */
function connectRecord(home: string, root: string | null, path: string, day?: string): void {
  const use: FileUse = { client: "claude-code", root, purpose: "MCP server", pieces: [] }
  writeRecord(home, { version: 1, path, original: null, states: [], folders: [], uses: [use] })
  const [name = ""] = readdirSync(join(home, "connect"))
  if (day !== undefined) execFileSync("touch", ["-d", day, join(home, "connect", name)])
}

function entry(type: "decision" | "directive", title: string, author = "Kane"): string {
  const timestamp = parseTimestamp("2026-02-15T14:32:15+0000")
  if (!timestamp) throw new Error("no time")
  return writeEntry(normalizeEntry({ type, timestamp, author, title, summary: title }))
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
