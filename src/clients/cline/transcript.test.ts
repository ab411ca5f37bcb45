import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import type { Machine } from "../client.ts"
import { story, testClient } from "../transcripts/client-contract.ts"
import { contextText, findIn, readEvents, writeTo } from "../transcripts/test-reading.ts"
import { cline } from "./transcript.ts"

test.each<[string, Partial<Machine>, string[]]>([
  ["macOS", { platform: "darwin" }, ["Library", "Application Support", "VSCodium", "User", "globalStorage"]],
  ["Linux, in a server of VS Code", { platform: "linux" }, [".vscode-server", "data", "User", "globalStorage"]],
])("tasks are found on %s", (_name, machine, folders) => {
  const home = makeRepository({})
  writeTo(join(home, ...folders, "saoudrizwan.claude-dev", "tasks", "1", "api_conversation_history.json"), [])
  expect(cline.find({ home, environment: {}, platform: "linux", ...machine })).toHaveLength(1)
})

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

const messages = (...contents: [role: "user" | "assistant", ...blocks: Block[]][]) =>
  contents.map(([role, ...content], index) => ({ id: `msg_${index}`, role, content, ts: began + index * 1000 }))
const typed = (words: string) => text(`<user_input mode="act">${words}</user_input>`)

const sessionStory = messages(
  ["user", typed(`${story.said[0]}\n${contextText}`)],
  ["assistant", text("I run the tests."), use("c_1", "run_commands", { commands: [story.command] })],
  [
    "user",
    result("c_1", "run_commands", [
      {
        query: story.command,
        result: "[Command exited with code 1]\nTests: 1 failed",
        error: "Command exited with code 1",
        success: false,
      },
    ]),
  ],
  ["assistant", use("c_2", "drey__memory_search", { q: "dates" })],
  ["user", result("c_2", "drey__memory_search", JSON.stringify({ content: [{ type: "text", text: story.canary }] }))],
  [
    "assistant",
    use("c_3", "apply_patch", {
      input: `*** Begin Patch\n*** Update File: ${story.file}\n@@\n-a\n+b\n*** End Patch\n`,
    }),
  ],
  ["user", result("c_3", "apply_patch", JSON.stringify({ query: "apply_patch", result: "Applied", success: true }))],
  ["user", typed(`${story.said[1]} <private>${story.canary}</private>`)],
  [
    "assistant",
    { type: "thinking", thinking: story.canary },
    use("c_4", "run_commands", { commands: [story.command] }),
  ],
  ["user", result("c_4", "run_commands", [{ query: story.command, result: "Tests: 9 passed", success: true }])],
  ["assistant", text(`Done. [${story.cite}] helped.`)],
)

testClient(cline, { install: (home) => writeSession(home, sessionStory) })

test("the folder and the branch come from the file beside it", async () => {
  const [event] = await eventsOf(sessionStory)
  expect(event).toMatchObject({ cwd: "/work/dates", branch: "fix/weeks" })
})

test("each command of one call has its own result", async () => {
  const events = await eventsOf(
    messages(
      ["assistant", use("c_1", "run_commands", { commands: ["npm run build", "npm test"] })],
      [
        "user",
        result("c_1", "run_commands", [
          { query: "npm run build", result: "built", success: true },
          { query: "npm test", result: "[Command exited with code 2]\n2 failed", success: false },
        ]),
      ],
    ),
  )
  expect(events.map(({ kind, command, exitCode }) => [kind, command, exitCode])).toEqual([
    ["tool_call", "npm run build", undefined],
    ["tool_call", "npm test", undefined],
    ["tool_result", "npm run build", undefined],
    ["tool_result", "npm test", 2],
  ])
  expect(events[1]?.call).toBe(events[3]?.call)
})

test("files read by one call are one result", async () => {
  const files = { files: [{ path: "a.ts" }, { path: "b.ts" }] }
  const events = await eventsOf(
    messages(
      ["assistant", use("c_1", "read_files", files)],
      [
        "user",
        result("c_1", "read_files", [
          { query: "a.ts", result: "A", success: true },
          { query: "b.ts", result: "B", success: true },
        ]),
      ],
    ),
  )
  expect(events).toMatchObject([{ files: ["a.ts", "b.ts"] }, { kind: "tool_result", tool: "read_files", text: "A\nB" }])
})

test("a failed tool is an error with its message", async () => {
  const events = await eventsOf(
    messages(
      ["assistant", use("c_1", "editor", { path: "a.ts" })],
      [
        "user",
        result(
          "c_1",
          "editor",
          JSON.stringify({ query: "edit", result: "", error: "no match in a.ts", success: false }),
        ),
      ],
    ),
  )
  expect(events[1]).toMatchObject({ isError: true, text: "no match in a.ts" })
})

test("the system prompt, notices and sub-agents' messages are not read", async () => {
  const notice = '<mode_notice mode="act">CANARY</mode_notice>'
  const events = await eventsOf(
    messages(["user", text(`<user_input mode="plan">Go ${notice}</user_input>`), text("<env>CANARY</env>")]),
  )
  expect(events.map((event) => event.text)).toEqual(["Go"])
  expect(await eventsOf(messages(["user", typed("Go")]), { agent: "reviewer" })).toEqual([])
})

async function eventsOf(messages: unknown[], about: Block = {}) {
  const home = makeRepository({})
  writeSession(home, messages, about)
  return readEvents(cline, findIn(cline, home)[0])
}

function writeSession(home: string, messages: unknown[], about: Block = {}): void {
  const folder = join(home, ".cline", "data", "sessions", "1772442000000_a1b2c")
  writeTo(join(folder, "1772442000000_a1b2c.messages.json"), {
    version: 1,
    agent: "lead",
    sessionId: "1772442000000_a1b2c",
    ...about,
    messages,
    system_prompt: story.canary,
  })
  writeTo(join(folder, "1772442000000_a1b2c.json"), {
    cwd: "/work/dates",
    metadata: { git: { branch: "fix/weeks" } },
  })
}
