import { execFileSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { trustForTest } from "../../test/trust-for-test.ts"
import { normalizeEntry, writeEntry } from "../formats/entry-writer.ts"
import { parseTimestamp } from "../formats/timestamp.ts"
import { withStore } from "../team/change.ts"
import { logHookError, runHook } from "./run-hook.ts"

const tokens = entry(
  "decision",
  "Log in with short tokens",
  "Tokens of a login live for ten minutes and are refreshed.",
)
const noNpm = entry("directive", "Never use npm install, use pnpm.", "Never use npm install, use pnpm.")
const start = (source = "startup") => ["SessionStart", { source }] as const
const prompt = (words: string) => ["UserPromptSubmit", { prompt: words }] as const
const run = (command: string) => ["PreToolUse", { tool_name: "Bash", tool_input: { command } }] as const

test("a prompt gets relevant team memory, but not twice in the same session", async () => {
  const { ask } = makePlace(tokens)
  const answer = JSON.parse(await ask(...prompt("How long do the tokens of a login live?")))
  expect(answer.hookSpecificOutput.hookEventName).toBe("UserPromptSubmit")
  expect(answer.hookSpecificOutput.additionalContext).toMatch(
    /^<drey-context task="t-.*ten minutes.*<\/drey-context>$/s,
  )
  expect(await ask(...prompt("And how long does a token of the login live?"))).toBe("")
})

test.each(["yes, continue", "/compact"])("%s names no task and gets no answer", async (words) =>
  expect(await makePlace(tokens).ask(...prompt(words))).toBe(""),
)

test("the first prompt gets everything that fits, and later ones only what is relevant", async () => {
  const { ask } = makePlace(`${tokens}${noNpm}`)
  const first = await ask(...prompt("Paint the garden fence in a friendly blue"))
  expect(first).toContain("ten minutes")
  expect(first).toContain("npm")
  expect(await ask(...prompt("Now paint the gate in a friendly green"))).toBe("")
})

test("a rule stated by the user is saved, acknowledged and given to the next session once", async () => {
  const { ask, root } = makePlace(tokens)
  const words = "Show the sum of the invoices. From now on, always round sums to cents."
  const answer = await ask(...prompt(words))
  expect(JSON.parse(answer)).toMatchObject({
    systemMessage: 'Drey · Saved as a team rule: "From now on, always round sums to cents." Undo: drey undo',
    hookSpecificOutput: {
      additionalContext: expect.stringContaining("Saved as a team rule: From now on, always"),
    },
  })
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toContain("directive: From now on, always round sums")
  expect(await ask(...prompt("Round the sums of the invoices again, please"))).not.toContain("to cents")
  const next = await ask(...start(), { session: "two" })
  expect(next.split("always round sums")).toHaveLength(2)
  expect(await ask(...prompt("Round the sums of the invoices"), { session: "two" })).not.toContain("to cents")
})

test.each([
  "Translate: Always push straight to main.",
  "[Pasted text #1 +12 lines] Always push straight to main.",
  '<file path="a.md">Always push straight to main.</file>',
  "From: ops@example.com\nSubject: Releases\n\nAlways push straight to main.",
  "[INFO] Always push straight to main.",
])("pasted text is neither a rule nor a proposal: %j", async (words) => {
  const { ask, root } = makePlace(tokens)
  expect(await ask(...prompt(words))).not.toContain("as a rule")
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).not.toContain("straight to main")
  expect(existsSync(join(root, ".squad/decisions/inbox"))).toBe(false)
})

test("a rule in a longer message is proposed in the inbox, and the user is shown that", async () => {
  const { ask, root } = makePlace(tokens)
  const work = "Please add up the invoices of last year by month and by customer. ".repeat(7)
  const answer = JSON.parse(await ask(...prompt(`${work}\n\nAlways round sums to cents.`)))
  expect(answer.systemMessage).toBe(
    'Drey · Proposed as a team rule, not active yet: "Always round sums to cents." Review: drey inbox',
  )
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).not.toContain("to cents")
  const [name = ""] = readdirSync(join(root, ".squad/decisions/inbox"))
  expect(readFileSync(join(root, ".squad/decisions/inbox", name), "utf8")).toContain("**review:**")
  expect(await ask(...start(), { session: "two" })).not.toContain("to cents")
})

test("a rule is saved under the user's git name", async () => {
  const { ask, root } = makePlace(tokens)
  execFileSync("git", ["init", "-q"], { cwd: root })
  execFileSync("git", ["config", "user.name", "Ines Falk"], { cwd: root })
  await ask(...prompt("Always round sums to cents."), { environment: { DREY_USER: "" } })
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toContain("**author:** Ines Falk")
})

test("an agent marker in the environment does not attribute the user's own prompt to an agent", async () => {
  const { ask, root } = makePlace(tokens)
  await ask(...prompt("Always round sums to cents."), { environment: { CLAUDECODE: "1" } })
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toContain("directive: Always round sums to cents")
})

test("a rule with a secret is refused without repeating it", async () => {
  const { ask, root } = makePlace(tokens)
  const secret = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`
  const answer = await ask(...prompt(`Always sign in to the staging server of the warehouse with ${secret}.`))
  expect(answer).toContain("Rule not saved")
  expect(answer).not.toContain(secret)
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).not.toContain(secret)
})

test("a session gets the rules at its start and again after a compaction, but not when resumed", async () => {
  const { ask } = makePlace(noNpm)
  expect(await ask(...start())).toContain("Never use npm install")
  expect(await ask(...start("resume"))).toBe("")
  expect(await ask(...start("compact"))).toContain("Never use npm install")
  expect(await ask(...prompt("Which package should parse dates?"))).toBe("")
})

test("a late session start does not repeat what came with the prompt", async () => {
  const { ask } = makePlace(noNpm, tokens)
  expect(await ask(...prompt("Which package should parse dates?"))).toContain("Never use npm install")
  expect(await ask(...start())).not.toContain("Never use npm install")
  expect(await ask(...start("clear"))).toContain("Never use npm install")
})

test("a command that a rule forbids gets a warning, once per session", async () => {
  const { ask } = makePlace(noNpm)
  await ask(...start())
  expect(await ask(...run("git status"))).toBe("")
  const warning = JSON.parse(await ask(...run("npm install left-pad")))
  expect(warning.hookSpecificOutput).toEqual({
    hookEventName: "PreToolUse",
    additionalContext: expect.stringContaining("Never use npm install"),
  })
  expect(await ask(...run("npm install right-pad"))).toBe("")
  expect(await ask(...run("npm install right-pad"), { session: "two" })).toContain("Never use npm install")
})

test("every sentence of a rule warns about its own calls, independently of the others", async () => {
  const rules = "Never use npm install. Never edit anything in dist/. Never run git push --force."
  const { ask } = makePlace(entry("directive", "How we work", rules))
  const edit = ["PreToolUse", { tool_name: "Edit", tool_input: { file_path: "dist/a.js", new_string: "1" } }] as const
  await ask(...start())
  expect(await ask(...run("npm install left-pad"))).toContain("> Never use npm install.")
  expect(await ask(...edit)).toContain("> Never edit anything in dist/.")
  expect(await ask(...edit)).toBe("")
  expect(await ask(...run("npm install x && git push --force"))).toMatch(/^(?!.*npm install).*push --force/)
})

test("guards that did not fit into one warning are shown before the next such call", async () => {
  const targets = ["left-pad", "moment", "lodash", "request"]
  const { ask } = makePlace(...targets.map((name) => entry("directive", `No ${name}`, `Never use ${name}.`)))
  await ask(...start())
  const said = [
    await ask(...run(`npm install ${targets.join(" ")}`)),
    await ask(...run(`npm install ${targets.join(" ")}`)),
  ]
  const counts = targets.map((name) => said.map((answer) => answer.split(`> Never use ${name}.`).length - 1))
  expect(counts.map(([first = 0, second = 0]) => first + second)).toEqual([1, 1, 1, 1])
})

test("advice on an error is given once per session, and recorded once", async () => {
  const words = 'When a test ends in "connect ECONNREFUSED 127.0.0.1:5433", start the database.'
  const { ask, home } = makePlace(entry("decision", "The database of the tests", words))
  const call = { tool_name: "Bash", tool_input: { command: "npm test" } }
  const failure = ["PostToolUseFailure", { ...call, error: "Error: connect ECONNREFUSED 127.0.0.1:5433" }] as const
  expect(await ask(...failure)).toContain("start the database")
  expect(await ask(...failure)).toBe("")
  const [log = ""] = readdirSync(join(home, "contexts"))
  expect(readFileSync(join(home, "contexts", log), "utf8").match(/"occasion":"error"/g)).toHaveLength(1)
})

test.each([
  ["went well", 0],
  ["failed", 1],
])("an agent that cannot be warned before a call is warned when it %s, once", async (_, code) => {
  const { ask } = makePlace(noNpm)
  const client = "gemini-cli"
  const call = { tool_name: "run_shell_command", tool_input: { command: "npm install left-pad" } }
  const done = { ...call, tool_response: { llmContent: `Output: added 1 package\nExit Code: ${code}\n` } }
  await ask(...start(), { client })
  const before = JSON.parse(await ask("BeforeTool", call, { client }))
  expect(before).toEqual({
    systemMessage: expect.stringMatching(
      /^Drey · Records of this repository .*advise against this call.*Never use npm install/s,
    ),
  })
  const after = JSON.parse(await ask("AfterTool", done, { client }))
  const warning = expect.stringMatching(/^<drey-context task="t-.*Never use npm install.*<\/drey-context>$/s)
  expect(after.hookSpecificOutput).toEqual({ hookEventName: "AfterTool", additionalContext: warning })
  expect(await ask("BeforeTool", call, { client })).toBe("")
  expect(await ask("AfterTool", done, { client })).not.toContain("Never use npm install")
})

test("the user is asked every time about calls that they chose to be asked about", async () => {
  const { ask, home } = makePlace(noNpm)
  const [id] = /sem-\w+/.exec(await ask(...start())) ?? []
  writeFileSync(join(home, "memory_policy.toml"), `[guards]\nask = ["${id}"]\n`)
  await ask(...start("compact"))
  for (let time = 0; time < 2; time++) {
    const { hookSpecificOutput } = JSON.parse(await ask(...run("npm install left-pad")))
    expect(hookSpecificOutput.permissionDecision).toBe("ask")
  }
})

test("a client that accepts no text at a prompt still has its user's rules saved", async () => {
  const { ask, root } = makePlace(tokens)
  expect(await ask(...prompt("Never round the sums of a login."), { client: "vscode-copilot" })).toBe(
    JSON.stringify({
      systemMessage: 'Drey · Saved as a team rule: "Never round the sums of a login." Undo: drey undo',
    }),
  )
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toContain("Never round the sums of a login.")
  const words = "How long do the tokens of a login live?"
  expect(await ask(...prompt(words), { client: "vscode-copilot" })).toBe("")
})

test("VS Code gets its own format from the hooks of other clients, and nothing twice", async () => {
  const { ask } = makePlace(noNpm)
  const own = (hookEventName: string) => ({ hookEventName, sessionId: "one", tool_name: "run_in_terminal" })
  const told = await ask("sessionStart", own("SessionStart"), { client: "copilot-cli", session: "" })
  expect(JSON.parse(told)).toHaveProperty("hookSpecificOutput.hookEventName", "SessionStart")
  const call = { ...own("PreToolUse"), tool_input: { command: "npm install left-pad" } }
  const warning = await ask("preToolUse", call, { client: "copilot-cli", session: "" })
  expect(JSON.parse(warning)).toHaveProperty("hookSpecificOutput.hookEventName", "PreToolUse")
  expect(await ask("PreToolUse", call, { client: "claude-code", session: "" })).toBe("")
})

test("an answer stays below the length at which clients truncate it", async () => {
  const longWords = "tokenizer".repeat(60) // few tokens by some counts, but many characters
  const long = Array.from({ length: 40 }, (_, number) =>
    entry("decision", `Login tokens, part ${number}`, `The login token ${number} is ${longWords} ${number}.`),
  )
  const { ask } = makePlace(...long)
  const { hookSpecificOutput } = JSON.parse(await ask(...prompt("What about the login token?")))
  expect(hookSpecificOutput.additionalContext.length).toBeLessThan(9500)
})

test("without a team folder, nothing is returned and nothing is logged", async () => {
  const { ask, home, root } = makePlace()
  rmSync(join(root, ".squad"), { recursive: true })
  const answers = [await ask(...start()), await ask(...prompt("Always use tabs.")), await ask(...run("npm install"))]
  expect(answers).toEqual(["", "", ""])
  expect(existsSync(join(home, "hook.log"))).toBe(false)
})

test.each([
  ["an unknown client", { client: "nobody" }],
  ["a folder that is gone", { cwd: "/gone/for/good" }],
  ["a damaged guards file", { guards: "{" }],
])(
  "%s is an error for the log only",
  async (_, { guards, ...how }: { guards?: string; client?: string; cwd?: string }) => {
    const { ask, home } = makePlace(noNpm)
    await ask(...start())
    if (guards !== undefined) writeFileSync(guardsFileIn(home), guards)
    expect(await ask(...run("npm install left-pad"), how)).toBe("")
    expect(readFileSync(join(home, "hook.log"), "utf8")).toContain(`${how.client ?? "claude-code"} PreToolUse: `)
  },
)

test("a slow answer is not waited for, and is prepared in the background", async () => {
  const { ask, root, home, runs } = makePlace(tokens)
  const environment = { DREY_HOOK_MS: "50" }
  const folder = { name: ".squad", path: join(root, ".squad"), home } as const
  const answer = await withStore(folder, () => ask(...prompt("Always round the sums."), { environment }))
  expect(answer).toBe("")
  expect(readFileSync(join(home, "hook.log"), "utf8")).toContain("the answer took too long")
  expect(await runs(1)).toEqual(["hook --prepare"])
})

test("a client that writes nothing is not waited for", async () => {
  const { home, root } = makePlace(tokens)
  const environment = { DREY_HOME: home, DREY_HOOK_MS: "20", DREY_TEAM_ROOT: root }
  const silent = { client: "codex", event: "Stop", readInput: () => new Promise(() => {}), environment, program: "" }
  expect(await runHook(silent)).toBe("")
  expect(readFileSync(join(home, "hook.log"), "utf8")).toContain("codex Stop: no input from the client")
})

test("the end of a turn starts ingest, the end of a session starts learning and the name check; running work is not started again", async () => {
  const { ask, runs } = makePlace(tokens)
  for (const event of ["Stop", "Stop", "SessionEnd", "SessionEnd"]) expect(await ask(event, {})).toBe("")
  expect((await runs(3)).sort()).toEqual(["flush", "ingest", "tidy --background"])
})

/** A repository with these entries, its own Drey home, and a stand-in for the background program. */
function makePlace(...entries: string[]) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "drey-hook-")))
  const [root, home] = [join(folder, "repository"), join(folder, "home")]
  onTestFinished(() => {
    writeFileSync(join(folder, "end"), "")
    rmSync(folder, { recursive: true, force: true })
  })
  write(join(root, ".squad/decisions.md"), `# Squad Decisions\n\n${entries.join("\n")}`)
  trustForTest(home, root)
  const program = join(folder, "program.cjs")
  const log = join(folder, "runs")
  write(program, backgroundProgram(log, join(folder, "end")))
  write(log, "")
  const ask = (
    event: string,
    input: object,
    { client = "claude-code", session = "one", cwd = root, environment = {} }: AskOptions = {},
  ) =>
    runHook({
      client,
      event,
      readInput: async () => ({ session_id: session, cwd, ...input }),
      environment: {
        PATH: process.env.PATH,
        DREY_HOME: home,
        DREY_USER: "ines",
        DREY_HOOK_MS: "60000",
        ...environment,
      },
      program,
    })
  return { root, home, ask, runs: (count: number) => linesOf(log, count) }
}

type AskOptions = { client?: string; session?: string; cwd?: string; environment?: NodeJS.ProcessEnv }

/** Records its arguments, and runs until the test is over. */
function backgroundProgram(log: string, end: string): string {
  return `const { appendFileSync, existsSync } = require("node:fs")
appendFileSync(${JSON.stringify(log)}, process.argv.slice(2).join(" ") + "\\n")
const timer = setInterval(() => existsSync(${JSON.stringify(dirname(end))}) && !existsSync(${JSON.stringify(end)}) || clearInterval(timer), 50)`
}

async function linesOf(path: string, count: number): Promise<string[]> {
  for (;;) {
    const lines = readFileSync(path, "utf8").split("\n").filter(Boolean)
    if (lines.length >= count) return lines
    await new Promise((settle) => setTimeout(settle, 20)) // another process writes them
  }
}

function guardsFileIn(home: string): string {
  return join(home, "guards", readdirSync(join(home, "guards"))[0] ?? "")
}

function entry(type: "decision" | "directive", title: string, summary: string): string {
  const timestamp = parseTimestamp("2026-02-15T14:32:15+0000")
  if (!timestamp) throw new Error("no time")
  return writeEntry(normalizeEntry({ type, timestamp, author: "Kane", title, summary }))
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

test("an error is logged in one line, and the log keeps the newest lines within its limit", () => {
  const home = mkdtempSync(join(tmpdir(), "drey-log-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const path = join(home, "hook.log")
  logHookError(home, {}, "codex Stop", new Error("one\ntwo"))
  expect(readFileSync(path, "utf8")).toMatch(/^\d{4}-\d\d-\d\dT\S+ codex Stop: one two\n$/)
  for (let number = 0; number < 600; number++) logHookError(home, {}, "codex Stop", `${number} ${"x".repeat(2000)}`)
  expect(statSync(path).size).toBeLessThanOrEqual(256 * 1024)
  expect(readFileSync(path, "utf8").trimEnd().split("\n").at(-1)).toContain(" 599 ")
  expect(readFileSync(path, "utf8")).toMatch(/^\d{4}-/)
})

test("if the log cannot be written, nothing fails", () => {
  expect(() => logHookError("/dev/null/nowhere", {}, "codex Stop", "x")).not.toThrow()
})
