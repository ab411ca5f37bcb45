import { cpSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, writeFiles } from "../../../test/run-cli.ts"
import { testClient } from "../transcripts/client-contract.ts"
import { readRecords, readTranscript } from "../transcripts/test-transcript.ts"
import { claudeCode } from "./transcript.ts"

const fixtures = join(import.meta.dirname, "..", "..", "..", "test", "fixtures", "transcripts", "claude-code")

testClient(claudeCode, { install: (home) => cpSync(fixtures, home, { recursive: true }), grows: true })
testClient(claudeCode, {
  form: "moved",
  install: (home) => cpSync(join(fixtures, ".claude"), join(home, "elsewhere"), { recursive: true }),
  environment: (home) => ({ CLAUDE_CONFIG_DIR: join(home, "elsewhere") }),
})

let number = 0
const record = (type: string, more: object) => ({
  type,
  uuid: `u-${number++}`,
  sessionId: "s-1",
  timestamp: "2026-03-02T09:00:00.000Z",
  cwd: "/work/calendar",
  gitBranch: "main",
  isSidechain: false,
  ...more,
})
const user = (content: unknown, more: object = {}) => record("user", { message: { role: "user", content }, ...more })
const assistant = (...content: object[]) => record("assistant", { message: { role: "assistant", content } })
const call = (id: string, name: string, input: object) => assistant({ type: "tool_use", id, name, input })
const result = (id: string, content: unknown, more: object = {}, details?: unknown) =>
  user([{ type: "tool_result", tool_use_id: id, content, ...more }], { toolUseResult: details })
const texts = async (...records: object[]) => (await readRecords(claudeCode, records)).events.map(({ text }) => text)

test("a comment on a refusal is the user's, and the call is refused, not failed", async () => {
  const text =
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nuse a switch instead"
  const { events } = await readRecords(claudeCode, [
    call("t-1", "Edit", { file_path: "/work/calendar/a.ts" }),
    result("t-1", text, { is_error: true }, `Error: ${text}`),
  ])
  expect(events).toMatchObject([
    { kind: "tool_call", files: ["/work/calendar/a.ts"] },
    { kind: "tool_result", incident: "refused", text: "", call: "t-1" },
    { kind: "message", role: "user", text: "use a switch instead" },
  ])
  expect(events[1]).not.toHaveProperty("isError")
})

test("a refusal without a comment adds no user message", async () => {
  const refusal =
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. …). STOP what you are doing and wait for the user to tell you how to proceed.\n\nNote: The user's next message may contain a correction"
  const { events } = await readRecords(claudeCode, [
    result("t-1", refusal, { is_error: true }, "User rejected tool use"),
  ])
  expect(events.map(({ kind, role }) => [kind, role])).toEqual([["tool_result", "tool"]])
})

test("stopping the agent is one interruption", async () => {
  const { events } = await readRecords(claudeCode, [
    user([{ type: "text", text: "[Request interrupted by user]" }]),
    assistant({ type: "text", text: "Going on." }),
    call("t-1", "Bash", { command: "npm test" }),
    result("t-1", "half", {}, { stdout: "half", stderr: "", interrupted: true }),
    user([{ type: "text", text: "[Request interrupted by user for tool use]" }]),
  ])
  expect(events.map(({ kind, incident }) => [kind, incident])).toEqual([
    ["mark", "interrupted"],
    ["message", undefined],
    ["tool_call", undefined],
    ["tool_result", "interrupted"],
  ])
})

test("clearing and leaving a session are marks", async () => {
  const command = (name: string) =>
    user(
      `<command-name>/${name}</command-name>\n  <command-message>${name}</command-message>\n  <command-args></command-args>`,
    )
  const { events } = await readRecords(claudeCode, [command("clear"), command("model"), command("exit")])
  expect(events.map(({ mark }) => mark)).toEqual(["clear", "session end"])
})

test("the exit code is taken from the start of a failed command's output", async () => {
  const { events } = await readRecords(claudeCode, [
    call("t-1", "Bash", { command: "make" }),
    result("t-1", "Exit code 2\nmake: *** [all] Error 1", { is_error: true }),
    call("t-2", "Bash", { command: "cat log" }),
    result("t-2", "Exit code 2\nof yesterday"),
    call("t-3", "Edit", { file_path: "a.ts" }),
    result("t-3", "<tool_use_error>String to replace not found in file.</tool_use_error>", { is_error: true }),
  ])
  expect(events.filter(({ kind }) => kind === "tool_result")).toMatchObject([
    { text: "make: *** [all] Error 1", exitCode: 2, isError: true },
    { text: "Exit code 2\nof yesterday" },
    { text: "String to replace not found in file.", isError: true },
  ])
  expect(events[3]).not.toHaveProperty("exitCode")
})

test("the output of a background command has that command", async () => {
  const { events } = await readRecords(claudeCode, [
    call("t-1", "BashOutput", { bash_id: "b-1" }),
    result(
      "t-1",
      "<status>failed</status>",
      {},
      { shellId: "b-1", command: "npm test", status: "failed", exitCode: 1 },
    ),
  ])
  expect(events[1]).toMatchObject({ kind: "tool_result", exitCode: 1, command: "npm test" })
})

test("copies in a fork have the ids of the originals", async () => {
  const original = [user("fix it"), call("t-1", "Bash", { command: "npm test" }), result("t-1", "ok")]
  const copy = original.map((each) => ({ ...each, sessionId: "s-2" }))
  const ids = async (records: object[]) => (await readRecords(claudeCode, records)).events.map(({ id }) => id)
  expect(await ids(copy)).toEqual(await ids(original))
})

test("the client's own text is not read", async () => {
  expect(
    await texts(
      user("Caveat: The messages below were generated"),
      user("<local-command-stdout>bye</local-command-stdout>"),
      user("<ide_selection>line 3</ide_selection>"),
      user("Operation stopped by hook: another session is active"),
      user("hello", { promptSource: "system" }),
      user("hello", { isMeta: true }),
      record("assistant", {
        isApiErrorMessage: true,
        message: { content: [{ type: "text", text: "API Error: 529" }] },
      }),
      record("assistant", {
        message: { model: "<synthetic>", content: [{ type: "text", text: "No response requested." }] },
      }),
      user("<ide_selection>line 3</ide_selection>\nexplain this"),
    ),
  ).toEqual(["explain this"])
})

test("what teammates, CI and other sessions send is not the user's, even if it ends a tag itself", async () => {
  const human = { origin: { kind: "human" } }
  expect(
    await texts(
      user('<teammate-message teammate_id="kim" color="blue">Always push to main.</teammate-message>', human),
      user("<ci-monitor-event>Never run the linter.</ci-monitor-event>\nNever format.</ci-monitor-event>", human),
      user("<channel-message>Always skip the tests."),
      user("<other-session-note>Never ask.</other-session-note>\n<x-y>Never test.</x-y>\nfix the login"),
      user("show <b>all</b> names in the <user-card> element"),
    ),
  ).toEqual(["fix the login", "show <b>all</b> names in the <user-card> element"])
})

test("only the title of an accepted plan counts as the user's text", async () => {
  const plan = "Implement the following plan:\n\n# Accept ISO weeks\n\n## Rules\n\nAlways use the strict parser."
  expect(
    await texts(user(plan, { planContent: "# Accept ISO weeks" }), user("Implement the following plan: mine")),
  ).toEqual(["Implement the following plan:\n\n# Accept ISO weeks", "Implement the following plan: mine"])
})

test("a session in which Drey itself asked a model is skipped", async () => {
  const { events, records } = await readRecords(claudeCode, [
    user("<drey-writer>\nWhat is worth keeping?"),
    assistant({ type: "text", text: "[]" }),
    user("and now?"),
  ])
  expect(events).toEqual([])
  expect(records).toBe(3)
})

test("calls of Drey's own command line are skipped, but not other commands on the line", async () => {
  const { events } = await readRecords(claudeCode, [
    call("t-1", "Bash", { command: "cd /work/calendar && npx -y drey search weeks | head" }),
    result("t-1", "weeks begin on Monday"),
    call("t-2", "Bash", { command: "drey tidy && npm test" }),
    result("t-2", "ok"),
  ])
  expect(events.map(({ command }) => command)).toEqual(["drey tidy && npm test", "drey tidy && npm test"])
})

test("skipped records are counted, and unknown ones are named", async () => {
  const { records, unknown } = await readRecords(claudeCode, [
    record("progress", { data: {} }),
    { type: "file-history-snapshot", messageId: "m" },
    { parentUuid: null, isSidechain: false, attachment: { type: "date" }, type: "attachment" },
    record("system", { subtype: "turn_duration" }),
    record("system", { subtype: "novelty" }),
    record("novelty", {}),
    {},
  ])
  expect(records).toBe(7)
  expect(unknown).toEqual({ "system/novelty": 1, novelty: 1, untyped: 1 })
})

test("content of the wrong type does not fail", async () => {
  const shapes = [
    null,
    7,
    "x",
    [],
    [null],
    {},
    [{ type: "text" }],
    [{ type: "tool_result", content: [null, { text: 7 }] }],
    [{ type: "tool_use" }],
  ]
  const records = shapes.flatMap((shape) => [
    user(shape),
    record("assistant", { message: { content: shape } }),
    record("user", { message: shape }),
  ])
  const { records: count } = await readRecords(claudeCode, records)
  expect(count).toBe(records.length)
})

const apart = (agentId: string | undefined, parentUuid: string | null, content: unknown, type = "user") =>
  record(type, { isSidechain: true, parentUuid, message: { role: type, content }, ...(agentId ? { agentId } : {}) })

test("the records of sub-agents in a session's file are theirs, by the task that each was given", async () => {
  const tasks = ["You are Kane, the tester. Always run the tests.", "Find the callers of parse()"]
  const first = apart(undefined, null, tasks[0])
  const second = apart(undefined, null, tasks[1])
  const uuidOf = (each: object) => (each as { uuid: string }).uuid
  const { events } = await readRecords(claudeCode, [
    user("tidy the parser"),
    call("t-1", "Task", { subagent_type: "general-purpose", description: "Test it", prompt: tasks[0] }),
    call("t-2", "Task", { subagent_type: "code-searcher", description: "Find them", prompt: tasks[1] }),
    first,
    second,
    apart(undefined, uuidOf(first), [{ type: "text", text: "I'll run them." }], "assistant"),
    apart(undefined, uuidOf(second), [{ type: "text", text: "None." }], "assistant"),
    result("t-1", "all pass"),
  ])
  const sessions = [...new Set(events.map(({ session }) => session))]
  expect(sessions).toEqual(["s-1", expect.stringMatching(/^s-1#/), expect.stringMatching(/^s-1#/)])
  expect(events.filter(({ agent }) => agent).map(({ role, text, agent }) => [role, text, agent])).toEqual([
    ["assistant", tasks[0], { parent: "s-1", name: "Kane" }],
    ["assistant", tasks[1], { parent: "s-1", name: "code-searcher" }],
    ["assistant", "I'll run them.", { parent: "s-1", name: "Kane" }],
    ["assistant", "None.", { parent: "s-1", name: "code-searcher" }],
  ])
})

test("a sub-agent's file has its name beside it, and what the user says on a refusal is still the user's", async () => {
  const home = makeRepository({})
  const folder = join(home, ".claude/projects/-work-calendar/s-1")
  const refused =
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nuse pnpm"
  const records = [
    apart("a1b2", null, "install it"),
    apart("a1b2", "u", [{ type: "tool_use", id: "t-1", name: "Bash", input: { command: "npm i" } }], "assistant"),
    {
      ...apart("a1b2", "u", [{ type: "tool_result", tool_use_id: "t-1", content: refused, is_error: true }]),
      toolUseResult: `Error: ${refused}`,
      version: "2.1.81",
    },
  ]
  writeFiles(folder, {
    "subagents/agent-a1b2.jsonl": records.map((each) => `${JSON.stringify(each)}\n`).join(""),
    "subagents/agent-a1b2.meta.json": JSON.stringify({ agentType: "general-purpose", description: "🔧 Kane: install" }),
    "tool-results/agent-notes.jsonl": "{}\n",
  })
  const found = claudeCode.find({ home, environment: {}, platform: "linux" })
  expect(found).toEqual([
    { client: "claude-code", path: join(folder, "subagents/agent-a1b2.jsonl"), isSubAgents: true },
  ])
  const { events } = await readTranscript(claudeCode, found[0]?.path ?? "")
  const agent = { parent: "s-1", name: "Kane" }
  expect(events).toMatchObject([
    { role: "assistant", text: "install it", session: "s-1#a1b2", agent },
    { kind: "tool_call", agent },
    { kind: "tool_result", incident: "refused", agent },
    { role: "user", text: "use pnpm", agent },
  ])
})
