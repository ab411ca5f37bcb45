import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runHook } from "../src/hooks/run-hook.ts"
import { cliPath, makeRepository, runCli } from "./run-cli.ts"
import { trustForTest } from "./trust-for-test.ts"

const tokens = entry("decision", "Log in with short tokens", "Tokens of a login live for ten minutes.")
const renewed = entry("decision", "Renew tokens of a login", "Tokens of a login are renewed by the gateway.")
const question = "How long do the tokens of a login live?"
const tiny = { bytes: 50, files: 1000, waitMs: 10 }

test("a hook does not read a team folder above its limits: one process makes the index, however many prompts come", async () => {
  const { ask, home, runs } = makePlace({ program: "waits" })
  for (let round = 0; round < 5; round++) expect(await ask(question, { limits: tiny })).toBe("")
  expect(await runs(1)).toEqual(["hook --prepare"])
  expect(existsSync(join(home, "index"))).toBe(false)
  expect(log(home)).toContain("the team folder is large")
})

test("a process that dies over the index is not started again at every prompt", async () => {
  const { ask, runs } = makePlace({ program: "dies" })
  for (let round = 0; round < 3; round++) expect(await ask(question, { limits: tiny })).toBe("")
  expect(await runs(1)).toEqual(["hook --prepare"])
})

test("once the index of a large team folder is made, prompts, starts and calls are answered from it", async () => {
  const { ask, home, start, run } = makePlace({ program: "drey" })
  await ask(question, { limits: tiny })
  await until(() => isPrepared(home))
  expect(await ask(question, { limits: tiny, session: "two" })).toContain("ten minutes")
  expect(await start({ limits: tiny, session: "three" })).toContain("Never use npm install")
  expect(await run("npm install left-pad", { limits: tiny, session: "four" })).toContain("Never use npm install")
})

test("the index of a large clone is built too, but no rule is captured there or handed out from it", async () => {
  const { ask, home, root, start } = makePlace({ program: "drey", isTrusted: false })
  await ask(question, { limits: tiny })
  await until(() => isPrepared(home))
  expect(await ask(question, { limits: tiny, session: "two" })).toContain("ten minutes")
  expect(await start({ limits: tiny, session: "three" })).not.toContain("## Rules")
  await ask("From now on, always round sums to cents.", { limits: tiny, session: "four" })
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).not.toContain("to cents")
})

test("while another process makes the index, the older one answers, and the log says so", async () => {
  const { ask, home, root, start } = makePlace({ program: "waits" })
  expect(await ask(question)).toContain("ten minutes")
  writeFileSync(join(root, ".squad/decisions.md"), `${tokens}\n${renewed}`)
  const answer = await ask(question, { limits: tiny, session: "two" })
  expect(answer).toContain("ten minutes")
  expect(answer).not.toContain("gateway")
  expect(await start({ limits: tiny, session: "three" })).toContain("Never use npm install")
  expect(log(home)).toContain("answered from an index that may be out of date")
})

test("with too many files to check, the index answers unchanged, and a process checks them", async () => {
  const { ask, root, runs } = makePlace({ program: "waits" })
  const limits = { bytes: 1_000_000, files: 50, waitMs: 10 }
  expect(await ask(question, { limits })).toContain("ten minutes")
  const inbox = join(root, ".squad/decisions/inbox")
  mkdirSync(inbox, { recursive: true })
  for (let at = 0; at < 60; at++) writeFileSync(join(inbox, `${at}.md`), renewed)
  const answer = await ask(question, { limits, session: "two" })
  expect(answer).toContain("ten minutes")
  expect(answer).not.toContain("gateway")
  expect(await runs(1)).toEqual(["hook --prepare"])
})

test("a rule that the user states in a large team folder is noted anyway, by another process", async () => {
  const { ask, root, home } = makePlace({ program: "drey" })
  await ask("From now on, always round sums to cents.", { limits: tiny })
  await until(() => readFileSync(join(root, ".squad/decisions.md"), "utf8").includes("always round sums to cents"))
  await until(() => isPrepared(home))
})

test("thousands of sessions, and megabytes in the newest, do not prevent a session from starting", async () => {
  const { root, start } = makePlace({ program: "waits" })
  const sessions = join(root, ".squad/sessions")
  const long = `agent: ana\nsession_id: x\ndiscoveries:\n${'  - "a long note"\n'.repeat(100_000)}`
  for (let at = 0; at < 1000; at++) {
    const id = `20260123-10${String(at).padStart(4, "0").slice(0, 2)}00-${at.toString(16).padStart(8, "0")}-work`
    mkdirSync(join(sessions, id), { recursive: true })
    writeFileSync(join(sessions, id, "metadata.yaml"), "status: active\n")
    if (at > 990) writeFileSync(join(sessions, id, "agent-memory.ana.yaml"), long)
  }
  const began = performance.now()
  expect(await start()).toContain("Never use npm install")
  expect(performance.now() - began).toBeLessThan(8000)
})

test.each([
  ["config.json", "its settings are ignored"],
  ["memory/config.json", undefined],
  ["memory/memory_policy.toml", undefined],
])("settings of megabytes in %s are not read by hooks, and commands still work", async (path, warning) => {
  const { ask, root, home } = makePlace({ program: "waits" })
  mkdirSync(join(root, ".squad/memory"), { recursive: true })
  writeFileSync(join(root, ".squad", path), "[".repeat(5_000_000))
  expect(await ask(question, { limits: { ...tiny, bytes: 10_000_000 } })).toContain("ten minutes")
  if (warning) expect(log(home)).toContain(`${path} is too large: 4880 KiB, and the limit is 64 KiB; ${warning}`)
  const listed = await runCli(["search", "tokens"], { cwd: root, env: { DREY_HOME: home } })
  expect(listed.stdout).toContain("short tokens")
})

/** `npm run test:long` tries it with 200,000 entries, which are 21 MB. */
const entries = Number(process.env.DREY_TEAM_ENTRIES ?? 15_000)

test(`${entries} entries slow a client down once, and then hardly at all`, { timeout: 300_000 }, async () => {
  const lines = Array.from(
    { length: entries },
    (_, at) => `### 2026-02-15T14:32:15Z: directive: Never cache token ${at}
**Author:** Ana
**Summary:** Tokens ${at} of the login
`,
  )
  const cwd = makeRepository({ ".squad/decisions.md": lines.join("\n") })
  const home = makeRepository({})
  const hook = async (event: string, session: string, input: object) => {
    const began = performance.now()
    const sent = JSON.stringify({ cwd, session_id: session, ...input })
    const { stdout } = await runCli(["hook", "claude-code", event], { cwd, env: { DREY_HOME: home }, input: sent })
    return { stdout, ms: performance.now() - began }
  }
  const first = [
    await hook("SessionStart", "one", { source: "startup" }),
    await hook("UserPromptSubmit", "one", { prompt: question }),
    await hook("UserPromptSubmit", "one", { prompt: question }),
  ]
  for (const { ms } of first) expect(ms).toBeLessThan(8000) // patience is 4 s; the rest is for machines that are busy
  await until(() => isPrepared(home))
  const later = [
    await hook("SessionStart", "two", { source: "startup" }),
    await hook("UserPromptSubmit", "three", { prompt: question }),
  ]
  for (const { stdout, ms } of later) {
    expect(stdout).toContain("Never cache token")
    expect(ms).toBeLessThan(8000)
  }
})

type AskOptions = { limits?: typeof tiny; session?: string }

/** A repository with a home of its own; `program` is what the hook starts in the background. */
function makePlace({ program, isTrusted = true }: { program: "drey" | "waits" | "dies"; isTrusted?: boolean }) {
  const rule = entry("directive", "Never use npm install, use pnpm.", "Never use npm install, use pnpm.")
  const root = makeRepository({ ".squad/decisions.md": `${tokens}\n${rule}` })
  const home = makeRepository({})
  if (isTrusted) trustForTest(home, root)
  const calls = join(home, "calls")
  const noting = `require("node:fs").appendFileSync(${JSON.stringify(calls)}, process.argv.slice(2).join(" ") + "\\n")`
  const stays = `const stays = setInterval(() => require("node:fs").existsSync(${JSON.stringify(home)}) || clearInterval(stays), 50)`
  const script = join(home, "program.cjs")
  writeFileSync(script, program === "waits" ? `${noting}\n${stays}` : noting)
  const hook = (event: string, input: object, { limits, session = "one" }: AskOptions = {}) =>
    runHook({
      client: "claude-code",
      event,
      readInput: async () => ({ session_id: session, cwd: root, ...input }),
      environment: { PATH: process.env.PATH, DREY_HOME: home, DREY_USER: "ines", DREY_HOOK_MS: "60000" },
      program: program === "drey" ? cliPath : script,
      ...(limits ? { limits } : {}),
    })
  return {
    root,
    home,
    ask: (prompt: string, options?: AskOptions) => hook("UserPromptSubmit", { prompt }, options),
    start: (options?: AskOptions) => hook("SessionStart", { source: "startup" }, options),
    run: (command: string, options?: AskOptions) =>
      hook("PreToolUse", { tool_name: "Bash", tool_input: { command } }, options),
    async runs(count: number) {
      const lines = () => (existsSync(calls) ? readFileSync(calls, "utf8").split("\n").filter(Boolean) : [])
      await until(() => lines().length >= count)
      return lines()
    },
  }
}

function isPrepared(home: string): boolean {
  const folder = join(home, "hooks/running")
  return existsSync(folder) && readdirSync(folder).some((name) => /^prepared-\w+$/.test(name))
}

function log(home: string): string {
  return readFileSync(join(home, "hook.log"), "utf8")
}

/** Waits for what another process does. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((settle) => setTimeout(settle, 20))
}

function entry(type: string, title: string, summary: string): string {
  return `### 2026-02-15T14:32:15+0000: ${type}: ${title}

**type:** ${type}  
**timestamp:** 2026-02-15T14:32:15+0000  
**author:** Kane  

**summary:** ${summary}

---
`
}
