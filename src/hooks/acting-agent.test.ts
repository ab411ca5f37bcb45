import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import {
  actingAgent,
  agentMarkers,
  dreyCommandsIn,
  recordAgentCommands,
  requireUser,
  takeAgentRecord,
} from "./acting-agent.ts"

test.each(agentMarkers.flatMap(([agent, names]) => names.map((name) => [name, agent] as const)))(
  "%s in the environment shows that %s runs the command",
  (name, agent) => {
    expect(actingAgent({ [name]: "1" })).toBe(agent)
    expect(actingAgent({ [name]: "" })).toBeUndefined()
    expect(actingAgent({ [name]: "false" })).toBeUndefined()
  },
)

test("an agent that identifies itself is known by that name", () => {
  expect(actingAgent({ DREY_AGENT: "kane", CLAUDECODE: "1" })).toBe("kane")
  expect(actingAgent({ AI_AGENT: "devin@1" })).toBe("devin@1")
  expect(actingAgent({ AGENT: "goose" })).toBe("goose")
})

test.each([
  {},
  { AGENT: "build-7" },
  { TERM_PROGRAM: "vscode" },
  { CURSOR_TRACE_ID: "x" },
  { REPL_ID: "x" },
  { COPILOT_GITHUB_TOKEN: "x" },
  { CLAUDE_CODE_SSE_PORT: "1" },
  { CI: "1" },
])("a user's terminal is not mistaken for an agent: %j", (environment) => {
  expect(actingAgent(environment)).toBeUndefined()
  expect(() => requireUser(environment, "undo a change", "drey undo")).not.toThrow()
})

test("a user-only action is refused in one sentence with a hint", () => {
  const refuse = () => requireUser({ CLAUDECODE: "1" }, "accept a proposal", "drey merge --accept-review")
  expect(refuse).toThrow(
    "Not done: only the user can accept a proposal. Ask the user to run: drey merge --accept-review",
  )
})

test.each([
  ["drey undo", ["undo"]],
  ["cd x && npx drey merge --accept-review", ["merge"]],
  ["env -u CLAUDECODE drey memory write 'Always use tabs'", ["memory write"]],
  ["node dist/cli.cjs undo; drey forget m:1", ["undo", "forget m"]],
  ["npx -y drey@0.2.0 trust", ["trust"]],
  ["echo x | drey hook claude-code UserPromptSubmit", ["hook claude-code"]],
  ["grep -r drey src", ["src"]],
  ["npm test", []],
])("the Drey commands in %j are recognised by name", (command, names) => expect(dreyCommandsIn(command)).toEqual(names))

test("a command that a hook saw an agent run is attributed to the agent, once and briefly; the user's other commands are not", () => {
  const home = mkdtempSync(join(tmpdir(), "drey-agent-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const environment = { DREY_HOME: home }
  expect(takeAgentRecord(environment, ["undo"], { now: 1000, isTyped: true })).toBeUndefined()
  recordAgentCommands(home, "vscode-copilot", "drey undo && drey directive 'password hunter2'", 1000)
  expect(readFileSync(join(home, "hooks", "agent-commands"), "utf8")).not.toContain("hunter2")
  expect(takeAgentRecord(environment, ["forget"], { now: 2000, isTyped: true })).toBeUndefined()
  expect(takeAgentRecord(environment, ["undo"], { now: 2000, isTyped: true })).toBe("vscode-copilot")
  expect(takeAgentRecord(environment, ["undo"], { now: 2000, isTyped: true })).toBeUndefined()
  expect(takeAgentRecord(environment, ["directive"], { now: 61_001, isTyped: true })).toBeUndefined()
})

test("the records of hooks do not grow without limit", () => {
  const home = mkdtempSync(join(tmpdir(), "drey-agent-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (let at = 0; at < 2000; at++) recordAgentCommands(home, "claude-code", "drey search x", at)
  expect(statSync(join(home, "hooks", "agent-commands")).size).toBeLessThan(9000)
})
