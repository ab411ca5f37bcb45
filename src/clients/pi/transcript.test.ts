import { join } from "node:path"
import { expect, test } from "vitest"
import { story, testClient } from "../transcripts/client-contract.ts"
import { contextText, writeTo } from "../transcripts/test-reading.ts"
import { readRecords } from "../transcripts/test-transcript.ts"
import { pi } from "./transcript.ts"

type Values = Record<string, unknown>

const session = "019e5c2a-0d3e-7a11-9f00-4a5b6c7d8e9f"
const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute)).toISOString()
const header = (more: Values = {}): Values => ({
  type: "session",
  version: 3,
  id: session,
  timestamp: at(0),
  cwd: "/work/dates",
  ...more,
})
let number = 0
const entry = (type: string, minute: number, fields: Values): Values => {
  number++
  return { type, id: number.toString(16).padStart(8, "0"), parentId: null, timestamp: at(minute), ...fields }
}
const message = (minute: number, fields: Values) => entry("message", minute, { message: fields })
const text = (words: string): Values => ({ type: "text", text: words })
const said = (minute: number, words: string) => message(minute, { role: "user", content: [text(words)] })
const answered = (minute: number, ...content: Values[]) =>
  message(minute, { role: "assistant", content, stopReason: "stop" })
const call = (id: string, name: string, given: Values): Values => ({ type: "toolCall", id, name, arguments: given })
const result = (minute: number, toolCallId: string, toolName: string, words: string, isError = false) =>
  message(minute, { role: "toolResult", toolCallId, toolName, content: [text(words)], isError })

const sessionStory: Values[] = [
  header(),
  entry("model_change", 0, { provider: "any", modelId: "one" }),
  entry("custom_message", 0, { customType: "drey", content: contextText, display: false }),
  entry("custom", 0, { customType: "lint", data: { seen: story.canary } }),
  said(1, `<skill name="dates" location="/s">${story.canary}</skill>\n\n${story.said[0]}`),
  answered(
    2,
    { type: "thinking", thinking: story.canary },
    text("I run the tests."),
    call("c-1", "bash", { command: story.command }),
  ),
  result(2, "c-1", "bash", "Tests: 1 failed\n\nCommand exited with code 1", true),
  answered(3, call("c-2", "bash", { command: "drey search dates" })),
  result(3, "c-2", "bash", story.canary),
  answered(4, call("c-3", "edit", { path: `/work/dates/${story.file}`, edits: [{ oldText: "a", newText: "b" }] })),
  result(4, "c-3", "edit", "Successfully replaced 1 block."),
  entry("custom_message", 5, { customType: "linter", content: story.canary, display: true }),
  entry("compaction", 5, { summary: story.canary, firstKeptEntryId: "00000003", tokensBefore: 9 }),
  said(6, `${story.said[1]} <private>${story.canary}</private>`),
  answered(7, call("c-4", "bash", { command: story.command })),
  result(7, "c-4", "bash", "Tests: 9 passed"),
  answered(8, text(`Done. [${story.cite}] helped.`)),
]

const install = (folder: string) => (home: string) =>
  writeTo(
    join(home, folder, "sessions", "--work-dates--", `2026-03-02T09-00-00-000Z_${session}.jsonl`),
    sessionStory.map((record) => `${JSON.stringify(record)}\n`).join(""),
  )

testClient(pi, { install: install(".pi/agent"), grows: true })
testClient(pi, {
  form: "moved",
  install: install("elsewhere"),
  environment: (home) => ({ PI_CODING_AGENT_DIR: join(home, "elsewhere") }),
})

const read = async (...records: Values[]) => (await readRecords(pi, records)).events

test("a fork repeats its parent's records under the same ids", async () => {
  const parent = await read(...sessionStory)
  const fork = await read(
    header({ id: "other", timestamp: at(20), parentSession: "/s/parent.jsonl" }),
    ...sessionStory.slice(1),
    said(21, "Now the other way"),
  )
  expect(fork.slice(0, -1).map(({ id }) => id)).toEqual(parent.map(({ id }) => id))
  expect(fork.at(-1)).toMatchObject({ role: "user", text: "Now the other way", session: "other" })
})

test("the task of a sub-agent is not the user's", async () => {
  const own = [said(21, "Task: Always delete the branch"), answered(22, text("Done."))]
  const fork = header({ timestamp: at(20), parentSession: "/s/parent.jsonl" })
  const agent = { parent: "parent" }
  expect(await read(fork, ...own)).toMatchObject([
    { role: "assistant", text: "Task: Always delete the branch", agent },
    { role: "assistant", text: "Done.", agent },
  ])
  expect(await read(header(), said(1, "Task: [Read from: plan.md]\n\nNever ask."), said(2, "3 turns left"))).toEqual([])
  expect(await read(header(), said(1, "Task: tidy the dates"))).toMatchObject([{ text: "Task: tidy the dates" }])
})

test("a command is refused by an extension, aborted, or timed out", async () => {
  const calls = ["c-1", "c-2", "c-3"].map((id) => call(id, "bash", { command: "make" }))
  const results = [
    result(2, "c-1", "bash", "Write a failing test first.", true),
    result(2, "c-2", "bash", "half\n\nCommand aborted", true),
    result(2, "c-3", "bash", "slow\n\nCommand timed out after 5 seconds", true),
  ]
  const events = (await read(header(), answered(1, ...calls), ...results)).filter(({ kind }) => kind === "tool_result")
  expect(events.map(({ text, isError, incident }) => ({ text, isError, incident }))).toEqual([
    { text: "half", incident: "interrupted" },
    { text: "slow", isError: true },
  ])
})

test("Drey's advice after an output does not hide its exit code", async () => {
  const output = message(2, {
    role: "toolResult",
    toolCallId: "c-1",
    toolName: "bash",
    content: [text("1 failed\n\nCommand exited with code 2"), text(contextText)],
    isError: true,
  })
  const events = await read(header(), answered(1, call("c-1", "bash", { command: "make" })), output)
  expect(events.at(-1)).toMatchObject({ text: "1 failed", exitCode: 2, contexts: [story.context] })
})

test("the user's own command and an aborted answer are events", async () => {
  const shell = { role: "bashExecution", command: "make up", output: "up", exitCode: 0, cancelled: false }
  const aborted = { role: "assistant", content: [text("I will")], stopReason: "aborted" }
  expect(await read(header(), message(1, shell), message(2, aborted))).toMatchObject([
    { kind: "tool_call", action: "run", command: "make up" },
    { kind: "tool_result", exitCode: 0, text: "up" },
    { kind: "message", role: "assistant" },
    { kind: "mark", incident: "interrupted" },
  ])
})

test("the first format, without ids and with plain text, is read", async () => {
  const old = { type: "message", timestamp: at(1), message: { role: "user", content: "Hello" } }
  expect(await read(header({ version: undefined }), old)).toMatchObject([{ text: "Hello", id: `pi:${session}:2` }])
})
