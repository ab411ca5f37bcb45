import { cpSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { sha256 } from "../../disk/hash.ts"
import { testClient } from "../transcripts/client-contract.ts"
import { findIn, readEvents, writeTo } from "../transcripts/test-reading.ts"
import { readRecords } from "../transcripts/test-transcript.ts"
import { geminiCli } from "./transcript.ts"

const fixtures = join(import.meta.dirname, "..", "..", "..", "test", "fixtures", "transcripts", "gemini-cli")
const install = (form: string) => (home: string) => cpSync(join(fixtures, form), home, { recursive: true })

testClient(geminiCli, { form: "log", install: install("log"), grows: true })
testClient(geminiCli, { form: "document", install: install("document") })

const header = {
  sessionId: "s-1",
  projectHash: "ab",
  startTime: "2026-03-02T09:00:00.000Z",
  lastUpdated: "",
  kind: "main",
}
const message = (id: string, type: string, content: unknown, more: object = {}) => ({
  id,
  timestamp: "2026-03-02T09:00:01.000Z",
  type,
  content,
  ...more,
})
const call = (id: string, name: string, args: object, more: object) => ({ id, name, args, ...more })
const response = (value: object) => [{ functionResponse: { response: value } }]
const read = async (...records: object[]) => (await readRecords(geminiCli, [header, ...records])).events

test("a message is read once, each part when it first appears, and a partial copy changes nothing", async () => {
  const running = call("c-1", "run_shell_command", { command: "npm test" }, { status: "executing" })
  const done = { ...running, status: "success", result: response({ output: "Output: ok\nExit Code: 0\nSignal: 0" }) }
  const events = await read(
    message("m-1", "gemini", ""),
    message("m-1", "gemini", "I run the tests."),
    message("m-1", "gemini", "I run the tests.", { toolCalls: [running] }),
    message("m-1", "gemini", "I run the tests.", { toolCalls: [done] }),
    { $set: { messages: [message("m-1", "gemini", [{ text: "I run the tests." }])] } },
    message("m-1", "user", "thanks"),
    { $rewindTo: "m-1" },
  )
  expect(events).toMatchObject([
    { role: "assistant", kind: "message", text: "I run the tests." },
    { kind: "tool_call", command: "npm test" },
    { kind: "tool_result", command: "npm test", text: "ok", exitCode: 0 },
    { role: "user", text: "thanks" },
  ])
})

test("a failed command has its exit code, a failed tool is an error, a cancelled one is refused", async () => {
  const events = await read(
    message("m-1", "gemini", "", {
      toolCalls: [
        call(
          "c-1",
          "run_shell_command",
          { command: "make" },
          {
            status: "success",
            result: response({
              output: "<untrusted_context>\nOutput: no rule\nExit Code: 2\nProcess Group PGID: 7\n</untrusted_context>",
            }),
          },
        ),
        call(
          "c-2",
          "read_file",
          { file_path: "a.ts" },
          { status: "error", result: response({ error: "File not found" }) },
        ),
        call(
          "c-3",
          "replace",
          { file_path: "a.ts" },
          { status: "cancelled", result: response({ error: "[Operation Cancelled]" }) },
        ),
      ],
    }),
  )
  expect(events.filter(({ kind }) => kind === "tool_result")).toMatchObject([
    { exitCode: 2, text: "no rule" },
    { isError: true, text: "File not found" },
    { incident: "refused", text: "" },
  ])
})

test("prompts of the client's own commands are not the user's, whose text is the one on screen", async () => {
  const events = await read(
    message("m-1", "user", [{ text: "You are an AI agent that writes a file" }], {
      displayContent: [{ text: "/init" }],
    }),
    message("m-2", "user", [
      { text: "explain @a.ts" },
      { text: "\n--- Content from referenced files ---\nsecret\n--- End of content ---" },
    ]),
    message("m-3", "info", "Request cancelled."),
    message("m-4", "info", "Update available"),
    message("m-5", "warning", "slow"),
  )
  expect(events.map(({ kind, text, incident }) => [kind, text, incident])).toEqual([
    ["message", "explain @a.ts", undefined],
    ["mark", "", "interrupted"],
  ])
})

test("the folder comes from the session's first message", async () => {
  const context =
    "<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - /work/calendar\n</session_context>"
  const [event] = await read(
    { $set: { messages: [message("m-0", "user", [{ text: context }])] } },
    message("m-1", "user", "hello"),
  )
  expect(event).toMatchObject({ text: "hello", cwd: "/work/calendar", session: "s-1" })
})

const folderOf = async (files: Record<string, unknown>, { project = "calendar" } = {}) => {
  const home = makeRepository({})
  const document = { ...header, projectHash: sha256("/work/calendar"), messages: [message("m-1", "user", "hello")] }
  const session = `tmp/${project}/chats/session-2026-03-02T09-00-7b1d2f3c.json`
  for (const [path, content] of Object.entries({ ...files, [session]: document }))
    writeTo(join(home, ".gemini", path), content)
  return (await readEvents(geminiCli, findIn(geminiCli, home)[0]))[0]?.cwd
}

test("without it, the folder comes from the client's project files", async () => {
  const list = { projects: { "/work/other": "other", "/work/calendar": "calendar-1" } }
  const noted = { "tmp/calendar/.project_root": "/work/calendar\n" }
  expect(await folderOf(noted)).toBe("/work/calendar")
  expect(await folderOf({ "projects.json": list }, { project: "calendar-1" })).toBe("/work/calendar")
  expect(await folderOf({ ...noted, "projects.json": { projects: { "/work/moved": "calendar" } } })).toBe(
    "/work/calendar",
  )
})

test("the folder of an older session, stored as a hash, is found among the client's folders", async () => {
  const older = { project: sha256("/work/calendar") }
  const list = (folder: string) => ({ "projects.json": { projects: { "/work/other": "other", [folder]: "calendar" } } })
  expect(await folderOf(list("/work/calendar"), older)).toBe("/work/calendar")
  expect(await folderOf(list("/work/diary"), older)).toBeUndefined()
  expect(await folderOf({}, older)).toBeUndefined()
  expect(await folderOf({ "projects.json": "no list" }, older)).toBeUndefined()
})

test("a sub-agent's log has no events", async () => {
  const { events } = await readRecords(geminiCli, [{ ...header, kind: "subagent" }, message("m-1", "user", "look")])
  expect(events).toEqual([])
})
