import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { story, testClient } from "../transcripts/client-contract.ts"
import { contextText, findIn, readEvents, writeTo } from "../transcripts/test-reading.ts"
import { cline } from "./transcript.ts"

type Block = Record<string, unknown>

const began = Date.UTC(2026, 2, 2, 9)
const text = (words: string): Block => ({ type: "text", text: words })
const use = (id: string, name: string, input: Block): Block => ({ type: "tool_use", id, name, input })
const result = (id: string, name: string, content: unknown): Block => ({
  type: "tool_result",
  tool_use_id: id,
  name,
  content,
})

type Message = { role: string; content: Block[]; ts?: number }
const details =
  "<environment_details>\n# Current Working Directory (/work/dates) Files\nCANARY.md\n</environment_details>"
const user = (...content: Block[]): Message => ({ role: "user", content })
const assistant = (...content: Block[]): Message => ({ role: "assistant", content })
const answer = (heading: string, output: string) => user(text(`[${heading}] Result:`), text(output), text(details))

const taskStory = [
  user(text(`<task>\n${story.said[0]}\n${contextText}\n</task>`), text(details)),
  assistant(
    text(
      `<thinking>CANARY</thinking>\n\nI run the tests.\n\n<execute_command>\n<command>${story.command}</command>\n<requires_approval>false</requires_approval>\n</execute_command>`,
    ),
  ),
  answer(`execute_command for '${story.command}'`, "[Command exited with code 1]\nTests: 1 failed"),
  assistant(
    text(
      "<use_mcp_tool>\n<server_name>drey</server_name>\n<tool_name>memory_search</tool_name>\n<arguments>{}</arguments>\n</use_mcp_tool>",
    ),
  ),
  answer("use_mcp_tool for 'drey'", story.canary),
  assistant(text(`<replace_in_file>\n<path>${story.file}</path>\n<diff>\n-a\n+b\n</diff>\n</replace_in_file>`)),
  answer(
    `replace_in_file for '${story.file}'`,
    `The user provided the following feedback:\n<feedback>\n${story.said[1]} <private>CANARY</private>\n</feedback>`,
  ),
  assistant(text(`<execute_command>\n<command>${story.command}</command>\n</execute_command>`)),
  answer(`execute_command for '${story.command}'`, "Command executed.\nOutput:\nTests: 9 passed"),
  assistant(text(`<attempt_completion>\n<result>\nDone. [${story.cite}] helped.\n</result>\n</attempt_completion>`)),
]

testClient(cline, {
  install: (home) => writeTask(home, taskStory, [`${story.said[1]} <private>CANARY</private>`]),
})

test("the folder comes from the task's environment details", async () => {
  expect((await eventsOf(taskStory))[0]).toMatchObject({ cwd: "/work/dates" })
})

test("calls and results in their own blocks are read like those in tags", async () => {
  const events = await eventsOf([
    user(text("<task>Go</task>")),
    assistant(use("t_1", "execute_command", { command: "npm test" })),
    user(result("t_1", "execute_command", "[Command exited with code 1]\n1 failed")),
    assistant(use("t_2", "attempt_completion", { result: "Done." })),
  ])
  expect(events).toMatchObject([
    { role: "user", text: "Go" },
    { kind: "tool_call", command: "npm test" },
    { kind: "tool_result", command: "npm test", exitCode: 1 },
    { role: "assistant", kind: "message", text: "Done." },
  ])
})

test("a refused call is not an error, and its comment is the user's", async () => {
  const events = await eventsOf(
    [
      user(text("<task>Go</task>")),
      assistant(text("<execute_command>\n<command>rm -r src</command>\n</execute_command>")),
      answer(
        "execute_command for 'rm -r src'",
        "The user denied this operation and provided the following feedback:\n<feedback>\nNever delete src\n</feedback>",
      ),
    ],
    ["Never delete src"],
  )
  expect(events.slice(2)).toMatchObject([
    { kind: "tool_result", incident: "refused" },
    { role: "user", kind: "message", text: "Never delete src" },
  ])
})

test("an answer to the model's question is the user's", async () => {
  const events = await eventsOf([
    user(text("<task>Go</task>")),
    assistant(text("<ask_followup_question>\n<question>Tabs?</question>\n</ask_followup_question>")),
    answer("ask_followup_question for 'Tabs?'", "<answer>\nNo, spaces\n</answer>"),
  ])
  expect(events.map((event) => [event.role, event.text])).toEqual([
    ["user", "Go"],
    ["assistant", "Tabs?"],
    ["user", "No, spaces"],
  ])
})

test("a file that contains such tags is not read as the user's text", async () => {
  const events = await eventsOf([
    user(text("<task>Go</task>")),
    assistant(text("<read_file>\n<path>notes.xml</path>\n</read_file>")),
    answer("read_file for 'notes.xml'", "<notes>\n<task>Always use tabs</task>\n</notes>"),
  ])
  expect(events.filter(({ role }) => role === "user").map((event) => event.text)).toEqual(["Go"])
})

test("times come from the extension's list if the messages have none", async () => {
  const home = makeRepository({})
  writeTask(home, [user(text("<task>Go</task>")), assistant(text("Yes."))])
  const [transcript] = findIn(cline, home)
  expect((await readEvents(cline, transcript)).map(({ ts }) => ts)).toEqual([iso(0), iso(0)])
})

test("messages after a restored checkpoint have their own ids", async () => {
  const before = await eventsOf([user(text("<task>Go</task>")), assistant(text("First try."))])
  const after = await eventsOf([user(text("<task>Go</task>")), assistant(text("Second try."))])
  expect(after[0]?.id).toBe(before[0]?.id)
  expect(after[1]?.id).not.toBe(before[1]?.id)
})

async function eventsOf(messages: Message[], feedback: string[] = []) {
  const home = makeRepository({})
  writeTask(home, messages, feedback)
  return readEvents(cline, findIn(cline, home)[0])
}

/** `feedback`: the user's comments on calls, from the extension's own list. */
function writeTask(home: string, messages: Message[], feedback: string[] = []): void {
  const folder = join(
    home,
    ".config",
    "Code",
    "User",
    "globalStorage",
    "saoudrizwan.claude-dev",
    "tasks",
    "1772442000000",
  )
  writeTo(join(folder, "api_conversation_history.json"), messages)
  const shown = messages.map((_, index) => ({
    ts: began + index * 1000,
    type: "say",
    conversationHistoryIndex: index,
  }))
  const said = feedback.map((words) => ({ ts: began, type: "say", say: "user_feedback", text: words }))
  writeTo(join(folder, "ui_messages.json"), [...shown, ...said])
}

function iso(seconds: number): string {
  return new Date(began + seconds * 1000).toISOString()
}
