import { join } from "node:path"
import { expect, test } from "vitest"
import { story, testClient } from "../transcripts/client-contract.ts"
import { contextText, writeTo } from "../transcripts/test-reading.ts"
import { readRecords } from "../transcripts/test-transcript.ts"
import { droid } from "./transcript.ts"

type Values = Record<string, unknown>

const session = "8c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f"
let number = 0
const record = (type: string, fields: Values): Values => {
  number++
  return { type, id: `m-${number}`, timestamp: new Date(Date.UTC(2026, 2, 2, 9, number)).toISOString(), ...fields }
}
const header = (more: Values = {}): Values => ({
  type: "session_start",
  id: session,
  title: "Dates",
  owner: "ines",
  version: 2,
  cwd: "/work/dates",
  ...more,
})
const text = (words: string): Values => ({ type: "text", text: words })
const message = (role: string, content: unknown, more: Values = {}) =>
  record("message", { message: { role, content, ...more } })
const use = (id: string, name: string, input: Values): Values => ({ type: "tool_use", id, name, input })
const result = (tool_use_id: string, content: string, is_error = false) =>
  message("user", [{ type: "tool_result", tool_use_id, content, is_error }])

const sessionStory: Values[] = [
  header(),
  message("user", [
    text(`<system-reminder>${story.canary} ${contextText}</system-reminder>`),
    text(String(story.said[0])),
  ]),
  message("user", [text(story.canary)], { visibility: "llm_only" }),
  record("todo_state", { todos: [{ description: story.canary }] }),
  message("assistant", [
    { type: "thinking", thinking: story.canary },
    text("I run the tests."),
    use("t-1", "Execute", { command: story.command, riskLevel: "low" }),
  ]),
  result("t-1", "Error: Command failed, exited with code: 1\nTests: 1 failed", true),
  message("assistant", [use("t-2", "drey___get_task_context", { task: "dates" })]),
  result("t-2", story.canary),
  message("assistant", [use("t-3", "Edit", { file_path: `/work/dates/${story.file}`, old_str: "a", new_str: "b" })]),
  result("t-3", `Edited.<system-reminder>${story.canary}</system-reminder>`),
  record("compaction_state", { summaryText: story.canary, removedCount: 4 }),
  message("user", `${story.said[1]} <private>${story.canary}</private>`),
  message("assistant", [use("t-4", "Execute", { command: story.command })]),
  result("t-4", "Tests: 9 passed"),
  message("assistant", [text(`Done. [${story.cite}] helped.`)]),
]

const install = (folder: string) => (home: string) =>
  writeTo(
    join(home, folder, ".factory", "sessions", "-work-dates", `${session}.jsonl`),
    sessionStory.map((each) => `${JSON.stringify(each)}\n`).join(""),
  )

testClient(droid, { install: install(""), grows: true })
testClient(droid, {
  form: "moved",
  install: install("elsewhere"),
  environment: (home) => ({ FACTORY_HOME_OVERRIDE: join(home, "elsewhere") }),
})

const read = async (...records: Values[]) => (await readRecords(droid, records)).events

test("the sessions of sub-agents and of a mission's workers have no user", async () => {
  const task = message("user", [text("Always delete the branch.")])
  expect(await read(header({ callingSessionId: "parent" }), task)).toEqual([])
  expect(await read(header({ decompSessionType: "worker" }), task)).toEqual([])
  expect(await read(header({ decompSessionType: "orchestrator" }), task)).toHaveLength(1)
})

test("a hook's message, a refusal and an interruption are not the user's words", async () => {
  const events = await read(
    header(),
    message("user", [text("Never push.")], { hookEventName: "UserPromptSubmit" }),
    message("assistant", [use("t-1", "Execute", { command: "git push" })]),
    result("t-1", "Error: Tool execution cancelled by user", true),
    message("user", [text("Request interrupted by user")]),
  )
  expect(events.map(({ kind, incident }) => incident ?? kind)).toEqual(["tool_call", "refused", "interrupted"])
})
