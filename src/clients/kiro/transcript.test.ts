import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { story, testClient } from "../transcripts/client-contract.ts"
import { contextText, findIn, readEvents, writeTo } from "../transcripts/test-reading.ts"
import { kiro } from "./transcript.ts"

type Values = Record<string, unknown>

const session = "5d7f0f0a-4b7e-4d9b-8a51-1c2d3e4f5a6b"
const began = Date.UTC(2026, 2, 2, 9) / 1000
const lines = (records: Values[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("")

const text = (data: string): Values => ({ kind: "text", data })
const use = (toolUseId: string, name: string, input: Values): Values => ({
  kind: "toolUse",
  data: { toolUseId, name, input },
})
let number = 0
const entry = (kind: string, content: Values[], more: Values = {}): Values => ({
  version: "v1",
  kind,
  data: { message_id: `message-${number++}`, content, ...more },
})
const said = (minute: number, words: string) =>
  entry("Prompt", [text(words)], { meta: { timestamp: began + minute * 60 } })
const answered = (...content: Values[]) => entry("AssistantMessage", content)
const result = (toolUseId: string, data: unknown, status = "success") =>
  entry("ToolResults", [{ kind: "toolResult", data: { toolUseId, status, content: [data] } }])
const shell = (id: string, exit_status: string, stdout: string) =>
  result(id, { kind: "json", data: { exit_status, stdout, stderr: "" } })

const olderStory: Values[] = [
  said(0, `${contextText}${story.said[0]}`),
  answered(
    { kind: "thinking", data: { text: story.canary } },
    text("I run them."),
    use("t-1", "shell", { command: story.command }),
  ),
  shell("t-1", "exit status: 1", "Tests: 1 failed"),
  answered(use("t-2", "drey_get_task_context", { task: "dates" })),
  result("t-2", text(story.canary)),
  answered(use("t-3", "write", { command: "strReplace", path: `/work/dates/${story.file}`, oldStr: "a", newStr: "b" })),
  result("t-3", text("Replaced.")),
  said(6, `${story.said[1]} <private>${story.canary}</private>`),
  answered(use("t-4", "shell", { command: story.command })),
  shell("t-4", "0", "Tests: 9 passed"),
  answered(text(`Done. [${story.cite}] helped.`)),
]

testClient(kiro, {
  form: "a file for each session",
  install(home) {
    const path = join(home, ".kiro", "sessions", "cli", session)
    writeTo(`${path}.json`, { session_id: session, cwd: "/work/dates" })
    writeTo(`${path}.jsonl`, lines(olderStory))
  },
})

const payload = (id: number, type: string, fields: Values): Values => ({
  id: `record-${id}`,
  timestamp: new Date((began + id * 60) * 1000).toISOString(),
  payload: { type, ...fields },
})
const called = (id: number, toolCallId: string, toolName: string, args: Values) =>
  payload(id, "tool_call", { toolCallId, toolName, args })

testClient(kiro, {
  form: "a folder for each session",
  install(home) {
    const folder = join(home, ".kiro", "sessions", "dates", `sess_${session}`)
    writeTo(join(folder, "session.json"), { title: "Dates", workspacePaths: ["/work/dates"] })
    const output = (exit_status: number, stdout: string) => [
      { kind: "json", data: { exit_status, stdout, stderr: "" } },
    ]
    writeTo(
      join(folder, "messages.jsonl"),
      lines([
        payload(0, "user", { content: `${contextText}${story.said[0]}` }),
        payload(1, "assistant", { content: "I run them." }),
        called(2, "t-1", "shell", { command: story.command }),
        payload(3, "tool_result", { toolCallId: "t-1", content: output(1, "Tests: 1 failed") }),
        called(4, "t-2", "drey_get_task_context", { task: "dates" }),
        payload(5, "tool_result", { toolCallId: "t-2", content: story.canary }),
        called(6, "t-3", "write", { path: `/work/dates/${story.file}`, content: "b" }),
        payload(7, "tool_result", { toolCallId: "t-3", content: "Written." }),
        payload(8, "user", { content: `${story.said[1]} <private>${story.canary}</private>` }),
        called(9, "t-4", "shell", { command: story.command }),
        payload(10, "tool_result", { toolCallId: "t-4", content: output(0, "Tests: 9 passed") }),
        payload(11, "assistant", { content: `Done. [${story.cite}] helped.` }),
      ]),
    )
  },
})

test("a session is in the directory that the file beside it names, and answers have the time of their prompt", async () => {
  const home = makeRepository({})
  const path = join(home, ".kiro", "sessions", "cli", session)
  writeTo(`${path}.json`, { session_id: "named", cwd: "/work/dates" })
  writeTo(`${path}.jsonl`, lines(olderStory))
  const [first, second] = await readEvents(kiro, findIn(kiro, home)[0])
  expect(first).toMatchObject({ session: "named", cwd: "/work/dates", ts: "2026-03-02T09:00:00.000Z" })
  expect(second?.ts).toBe(first?.ts)
})
