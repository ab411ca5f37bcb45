import { cpSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { testClient } from "../transcripts/client-contract.ts"
import { readRecords } from "../transcripts/test-transcript.ts"
import { codex } from "./transcript.ts"

const fixtures = join(import.meta.dirname, "..", "..", "..", "test", "fixtures", "transcripts", "codex")
const install = (form: string) => (home: string) =>
  cpSync(join(fixtures, form), join(home, ".codex"), { recursive: true })

testClient(codex, { form: "items", install: install("paginated"), grows: true })
testClient(codex, { form: "events", install: install("legacy"), grows: true })
testClient(codex, { form: "packed", install: install("packed") })
testClient(codex, {
  form: "moved",
  install: (home) => cpSync(join(fixtures, "legacy"), join(home, "elsewhere"), { recursive: true }),
  environment: (home) => ({ CODEX_HOME: join(home, "elsewhere") }),
})

const record = (type: string, payload: object) => ({ timestamp: "2026-03-02T09:00:00.000Z", type, payload })
const meta = (id: string, more: object = {}) =>
  record("session_meta", {
    id,
    cwd: "/work/calendar",
    cli_version: "0.98.0",
    source: "cli",
    git: { branch: "main" },
    ...more,
  })
const item = (what: object) => record("event_msg", { type: "item_completed", item: what })
const said = (message: string) => record("event_msg", { type: "user_message", message })
const call = (id: string, name: string, input: object) =>
  record("response_item", { type: "function_call", name, arguments: JSON.stringify(input), call_id: id })
const output = (id: string, text: unknown) =>
  record("response_item", { type: "function_call_output", call_id: id, output: text })
const read = async (...records: object[]) => (await readRecords(codex, records)).events
const results = async (...records: object[]) => (await read(...records)).filter(({ kind }) => kind === "tool_result")

test("the same text as an item and as an event is read once", async () => {
  const message = { type: "UserMessage", id: "i-1", content: [{ type: "text", text: "fix it" }] }
  const events = await read(meta("s-1", { history_mode: "paginated" }), said("fix it"), item(message), said("fix it"))
  expect(events).toMatchObject([
    { id: "codex:i-1", text: "fix it", session: "s-1", cwd: "/work/calendar", branch: "main" },
  ])
})

test("every output format gives its exit code and the text alone", async () => {
  const outputs = [
    '{"output":"one\\n","metadata":{"exit_code":3,"duration_seconds":0.7}}',
    "Chunk ID: 0eda0d\nWall time: 0.4 seconds\nProcess exited with code 3\nOriginal token count: 253\nOutput:\none\n",
    "Wall time: 0.4 seconds\nProcess exited with code 3\nOutput:\none",
    "Exit code: 3\nWall time: 0 seconds\nTotal output lines: 1\nOutput:\none",
    [
      { type: "input_text", text: "Exit code: 3\nWall time: 0 seconds\nOutput:" },
      { type: "input_text", text: "one" },
    ],
  ]
  for (const each of outputs)
    expect(
      await results(call("c-1", "shell", { command: ["bash", "-lc", "make"] }), output("c-1", each)),
    ).toMatchObject([{ text: "one", exitCode: 3, command: "make", call: "c-1" }])
})

test("a long-running command is one call with one result, however often it is polled", async () => {
  const head = "Chunk ID: a\nWall time: 10.0 seconds\n"
  const events = await read(
    call("c-1", "exec_command", { cmd: "npm test" }),
    output("c-1", `${head}Process running with session ID 77\nOutput:\n`),
    call("c-2", "write_stdin", { session_id: 77, chars: "" }),
    output("c-2", `${head}Process running with session ID 77\nOutput:\n`),
    call("c-3", "write_stdin", { session_id: 77, chars: "" }),
    output("c-3", `${head}Process exited with code 1\nOutput:\n1 failed`),
  )
  expect(events).toMatchObject([
    { kind: "tool_call", command: "npm test" },
    { kind: "tool_result", command: "npm test", call: "c-1", exitCode: 1, text: "1 failed" },
  ])
})

test("a command that ends by itself has its result from the item", async () => {
  const running = "Wall time: 10.0 seconds\nProcess running with session ID 77\nOutput:\n"
  const ended = {
    type: "CommandExecution",
    id: "c-1",
    command: ["bash", "-lc", "npm test"],
    status: "failed",
    exit_code: 1,
    aggregated_output: "1 failed",
  }
  const late = "Wall time: 1.0 seconds\nProcess exited with code 1\nOutput:\n"
  const given = [call("c-1", "exec_command", { cmd: "npm test" }), output("c-1", running), item(ended)]
  const poll = [call("c-2", "write_stdin", { session_id: 77 }), output("c-2", late)]
  expect(await results(...given, ...poll)).toMatchObject([{ call: "c-1", exitCode: 1, text: "1 failed" }])
})

test("calls that appear only in items are read from there", async () => {
  const events = await read(
    item({
      type: "CommandExecution",
      id: "x-1",
      command: ["/bin/zsh", "-lc", "make"],
      status: "failed",
      exit_code: 2,
      aggregated_output: "no rule",
    }),
    item({
      type: "FileChange",
      id: "x-2",
      changes: { "/work/a.ts": { type: "update" } },
      status: "completed",
      stdout: "done",
    }),
    item({
      type: "McpToolCall",
      id: "x-3",
      server: "github",
      tool: "get_issue",
      arguments: {},
      status: "failed",
      result: { content: [{ type: "text", text: "404" }] },
    }),
    item({
      type: "McpToolCall",
      id: "x-4",
      server: "drey",
      tool: "memory_search",
      arguments: {},
      status: "completed",
      result: { content: [] },
    }),
  )
  expect(events).toMatchObject([
    { kind: "tool_call", command: "make" },
    { kind: "tool_result", command: "make", exitCode: 2, text: "no rule" },
    { kind: "tool_call", action: "edit", files: ["/work/a.ts"] },
    { kind: "tool_result", text: "done" },
    { kind: "tool_call", tool: "get_issue" },
    { kind: "tool_result", isError: true, text: "404" },
  ])
})

test("a failed patch and a failed server call are errors, a refused command is not", async () => {
  expect(
    await results(
      call("c-1", "apply_patch", {}),
      output("c-1", "apply_patch verification failed: Failed to find expected lines in a.ts"),
      call("c-2", "get_issue", {}),
      record("event_msg", {
        type: "mcp_tool_call_end",
        call_id: "c-2",
        invocation: { server: "github", tool: "get_issue" },
        result: { Err: "gone" },
      }),
      output("c-2", "gone"),
      call("c-3", "shell", { command: ["rm", "-r", "x"] }),
      output("c-3", "exec command rejected by user"),
    ),
  ).toMatchObject([{ isError: true }, { isError: true }, { incident: "refused", command: "rm -r x" }])
})

test("stopping the agent is one interruption, and not the user's text", async () => {
  const events = await read(
    meta("s-1"),
    call("c-1", "exec_command", { cmd: "npm test" }),
    output("c-1", "Wall time: 5.2 seconds\naborted by user"),
    record("response_item", {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "<turn_aborted>\nThe user interrupted" }],
    }),
    record("event_msg", { type: "turn_aborted", turn_id: "t-1", reason: "interrupted" }),
    item({
      type: "CommandExecution",
      id: "c-1",
      command: ["npm", "test"],
      status: "failed",
      exit_code: -1,
      aggregated_output: "",
    }),
    said("<turn_aborted>"),
    record("event_msg", { type: "turn_aborted", turn_id: "t-2", reason: "interrupted" }),
    record("event_msg", { type: "turn_aborted", turn_id: "t-3", reason: "replaced" }),
  )
  expect(events.map(({ kind, incident }) => [kind, incident])).toEqual([
    ["tool_call", undefined],
    ["tool_result", "interrupted"],
    ["mark", "interrupted"],
  ])
})

test("a fork has the ids of its origin's records, and its own for new ones", async () => {
  const answer = (text: string) =>
    record("response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text }] })
  const prefix = [said("fix it"), answer("Done."), said("continue")]
  const origin = await read(meta("s-1"), ...prefix, said("thanks"))
  const fork = await read(meta("s-2", { forked_from_id: "s-1" }), meta("s-1"), ...prefix, said("not so"))
  const other = await read(meta("s-3"), ...prefix)
  const ids = (events: { id: string }[]) => events.map(({ id }) => id)
  expect(ids(fork).slice(0, 3)).toEqual(ids(origin).slice(0, 3))
  expect(ids(fork)[3]).not.toBe(ids(origin)[3])
  expect(ids(other).filter((id) => ids(origin).includes(id))).toEqual([])
  expect(new Set(fork.map(({ session }) => session))).toEqual(new Set(["s-2"]))
})

test("a sub-agent's file is its own session, and its task is not the user's", async () => {
  const source = { subagent: { thread_spawn: { parent_thread_id: "s-1", depth: 1, agent_role: "explorer" } } }
  const spawned = meta("s-2", { source, thread_source: "subagent" })
  expect(await read(spawned, said("You are Kane, the tester. Never push."))).toMatchObject([
    { session: "s-2", role: "assistant", agent: { parent: "s-1", name: "Kane" } },
  ])
  expect(await read(spawned, meta("s-1"), said("look"))).toEqual([]) // begins with a copy of its parent
  expect(await read(meta("s-2", { source: { subagent: { other: "review" } } }), said("look"))).toEqual([])
})
