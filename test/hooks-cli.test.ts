import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { makeRepository, runCli, startCli } from "./run-cli.ts"

const decision = `### 2026-02-15T14:32:15+0000: decision: Log in with short tokens

**type:** decision  
**timestamp:** 2026-02-15T14:32:15+0000  
**author:** Kane  

**summary:** Tokens of a login live for ten minutes and are refreshed.

---
`
const question = "How long do the tokens of a login live?"

test.each([
  ["claude-code", "UserPromptSubmit", { prompt: question }, "hookSpecificOutput"],
  ["codex", "UserPromptSubmit", { prompt: question }, "hookSpecificOutput"],
  ["gemini-cli", "BeforeAgent", { prompt: question }, "hookSpecificOutput"],
  ["copilot-cli", "userPromptSubmitted", { prompt: question }, "additionalContext"],
  ["cline", "UserPromptSubmit", { userPromptSubmit: { prompt: question } }, "contextModification"],
  ["opencode", "prompt", { prompt: question }, "text"],
])("%s gets what the team knows, in its own form", async (client, event, input, key) => {
  const { cwd, hook } = makePlace()
  const { code, stdout } = await hook(client, event, { cwd, ...input })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toHaveProperty(key)
  expect(stdout).toContain("ten minutes")
})

test("any input of a client is answered with a JSON document or nothing, and exit code 0", async () => {
  const { cwd, run, env } = makePlace()
  const fields = fc.record(
    {
      session_id: fc.anything(),
      cwd: fc.constantFrom(cwd, "/gone", "", 7, null),
      prompt: fc.anything(),
      tool_name: fc.anything(),
      tool_input: fc.anything(),
      error: fc.anything(),
      source: fc.anything(),
    },
    { requiredKeys: [] },
  )
  const text = fc.oneof(
    fields.map((value) => JSON.stringify(value)),
    fc.json(),
    fc.string(),
    fc.constant("\u0000{"),
  )
  const events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUseFailure", "Never", "BeforeTool"]
  const clients = ["claude-code", "codex", "gemini-cli", "nobody", "__proto__"]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...clients), fc.constantFrom(...events), text, async (client, event, input) => {
      const { code, stdout, stderr } = await run(["hook", client, event], input)
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      if (stdout !== "") expect(JSON.parse(stdout)).toBeTypeOf("object")
    }),
    { numRuns: 30 },
  )
  expect(existsSync(join(env.DREY_HOME, "hook.log"))).toBe(true)
})

test.each<[string, (document: string) => string]>([
  ["with a byte order mark before it", (document) => `\uFEFF${document}`],
  ["with empty lines behind it", (document) => `${document}${"\r\n".repeat(9)}`],
])("a document %s is read", async (_, written) => {
  const { cwd, run } = makePlace()
  const { stdout } = await run(
    ["hook", "codex", "UserPromptSubmit"],
    written(JSON.stringify({ cwd, prompt: question })),
  )
  expect(stdout).toContain("ten minutes")
})

test("a client that leaves its end open is not waited for, with and without a document", async () => {
  const { cwd, env } = makePlace()
  const fast = { ...env, DREY_HOOK_MS: "2000" }
  const silent = startCli(["hook", "claude-code", "UserPromptSubmit"], { cwd, env: fast })
  expect(await endOf(silent)).toEqual({ code: 0, stdout: "" })
  const open = startCli(["hook", "claude-code", "UserPromptSubmit"], { cwd, env })
  const document = JSON.stringify({ session_id: "open", cwd, prompt: question })
  open.stdin.write(document.slice(0, 20))
  setImmediate(() => open.stdin.write(document.slice(20)))
  const { code, stdout } = await endOf(open)
  expect(code).toBe(0)
  expect(stdout).toContain("ten minutes")
})

test("a document may come by a pipe or from a file; a missing or overlong one is ignored", async () => {
  const { cwd, env, run } = makePlace()
  const shell = async (script: string) => {
    const program = join(import.meta.dirname, "..", "dist", "cli.cjs")
    const environment = { PATH: process.env.PATH ?? "", HOME: cwd, ...env, NODE: process.execPath, CLI: program }
    return endOf(spawn("sh", ["-c", script], { cwd, env: environment, stdio: ["ignore", "pipe", "inherit"] }))
  }
  const hook = '"$NODE" "$CLI" hook claude-code UserPromptSubmit'
  const document = (session: string) => JSON.stringify({ session_id: session, cwd, prompt: question })
  expect((await shell(`printf '%s' '${document("pipe")}' | ${hook}`)).stdout).toContain("ten minutes")
  expect((await shell(`printf '%s' '${document("file")}' > in.json; ${hook} < in.json`)).stdout).toContain(
    "ten minutes",
  )
  expect(await shell(`(sleep 20 & echo $! > pid) | { DREY_HOOK_MS=500 ${hook}; kill $(cat pid); }`)).toEqual({
    code: 0,
    stdout: "",
  })
  for (const none of ["< /dev/null", "<&-"]) expect(await shell(`${hook} ${none}`)).toEqual({ code: 0, stdout: "" })
  const long = JSON.stringify({ cwd, prompt: question, more: "x".repeat(1_100_000) })
  expect(await run(["hook", "claude-code", "UserPromptSubmit"], long)).toMatchObject({ code: 0, stdout: "" })
})

test("a closed reader causes no error", async () => {
  const { cwd, env } = makePlace()
  const child = startCli(["hook", "claude-code", "UserPromptSubmit"], { cwd, env })
  child.stdout.destroy()
  child.stdin.end(JSON.stringify({ session_id: "gone", cwd, prompt: question }))
  expect((await endOf(child)).code).toBe(0)
})

test("a call that no rule forbids leaves no trace, and no database is opened", async () => {
  const { cwd, env, hook } = makePlace()
  const call = { cwd, tool_name: "Bash", tool_input: { command: "npm test" } }
  expect(await hook("claude-code", "PreToolUse", call)).toEqual({ code: 0, stdout: "", stderr: "" })
  expect(existsSync(env.DREY_HOME)).toBe(false)
})

test("wrong usage never exits with the code that blocks a tool call", async () => {
  const { cwd, run } = makePlace()
  expect((await run(["hook"], "")).code).toBe(1)
  expect((await run(["hook", "codex"], "")).code).toBe(1)
  expect((await run(["hook", "codex", "Stop", "--of-tomorrow", "x"], JSON.stringify({ cwd }))).code).toBe(0)
  const elsewhere = JSON.stringify({ cwd: "/", prompt: question })
  expect((await run(["hook", "codex", "UserPromptSubmit", "--root", cwd], elsewhere)).stdout).toContain("ten minutes")
})

test("errors are in the log, and on stderr on request", async () => {
  const { cwd, env, hook } = makePlace()
  expect((await hook("nobody", "Stop", { cwd })).stderr).toBe("")
  const line = /nobody Stop: unknown client/
  expect(readFileSync(join(env.DREY_HOME, "hook.log"), "utf8")).toMatch(line)
  const asked = await runCli(["hook", "nobody", "Stop"], { cwd, env: { ...env, DREY_DEBUG: "1" } })
  expect(asked).toMatchObject({ code: 0, stdout: "", stderr: expect.stringMatching(line) })
})

function makePlace() {
  const cwd = makeRepository({ ".squad/decisions.md": decision })
  const env = { DREY_HOME: join(makeRepository({}), ".drey"), DREY_HOOK_MS: "60000", DREY_USER: "ines" }
  const run = (args: string[], input: string) => runCli(args, { cwd, env, input })
  const hook = (client: string, event: string, input: object) => run(["hook", client, event], JSON.stringify(input))
  return { cwd, env, run, hook }
}

async function endOf(child: ChildProcess): Promise<{ code: number | null; stdout: string }> {
  let stdout = ""
  child.stdout?.on("data", (text) => {
    stdout += text
  })
  const code = await new Promise<number | null>((settle) => child.on("close", settle))
  return { code, stdout }
}
