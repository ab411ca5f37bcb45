import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { story, testClient } from "../transcripts/client-contract.ts"
import { contextText, findIn, readBatches, readEvents, writeTo } from "../transcripts/test-reading.ts"
import { vscodeCopilot } from "./transcript.ts"

type Values = Record<string, unknown>

const began = Date.UTC(2026, 2, 2, 9)
const sessionId = "7b1d2c3e-8f90-4a1b-9c2d-3e4f5a6b7c8d"

const words = (value: string): Values => ({ value })
const shown = (toolId: string, toolCallId: string, about: Values = {}): Values => ({
  kind: "toolInvocationSerialized",
  toolId,
  toolCallId,
  isComplete: true,
  isConfirmed: { type: 4 },
  invocationMessage: { value: "Using a tool" },
  ...about,
})
const terminal = (command: string, text: string, exitCode: number): Values => ({
  toolSpecificData: {
    kind: "terminal",
    commandLine: { original: command },
    terminalCommandOutput: { text },
    terminalCommandState: { exitCode },
  },
})
/** The model's calls and their results: name, arguments, output by the id of the call. */
const metadata = (calls: Record<string, [name: string, input: Values, output: string]>): Values => ({
  toolCallRounds: [
    {
      response: "",
      toolCalls: Object.entries(calls).map(([id, [name, input]]) => ({ id, name, arguments: JSON.stringify(input) })),
    },
  ],
  toolCallResults: Object.fromEntries(
    Object.entries(calls).map(([id, [, , output]]) => [id, { content: [{ value: output }] }]),
  ),
})
const request = (index: number, text: string, response: Values[], result: Values | undefined = {}): Values => ({
  requestId: `request_${index}`,
  timestamp: began + index * 60_000,
  message: { text, parts: [] },
  response,
  ...(result === undefined ? {} : { result }),
})

const storyRequests = [
  request(
    0,
    `${story.said[0]}\n${contextText}`,
    [
      { kind: "thinking", value: story.canary },
      words("I run the tests for "),
      { kind: "inlineReference", inlineReference: { fsPath: "/work/dates/src/parse-date.ts" } },
      words("."),
      shown("run_in_terminal", "call_1__vscode-1", terminal(story.command, "Tests: 1 failed", 1)),
      shown("mcp_drey_memory_search", "call_2"),
      shown("copilot_replaceString", "call_3"),
      { kind: "textEditGroup", uri: { fsPath: "/work/dates/x" }, edits: [[{ text: story.canary }]] },
    ],
    {
      metadata: metadata({
        call_1: ["run_in_terminal", { command: story.command }, "Tests: 1 failed"],
        call_2: ["mcp_drey_memory_search", {}, story.canary],
        call_3: ["replace_string_in_file", { filePath: `/work/dates/${story.file}` }, "The file was edited"],
      }),
    },
  ),
  request(1, `${story.said[1]} <private>${story.canary}</private>`, [
    shown("run_in_terminal", "call_4", terminal(story.command, "Tests: 9 passed", 0)),
    words(`Done. [${story.cite}] helped.`),
  ]),
]

const documentOf = (requests: Values[]): Values => ({
  version: 3,
  requesterUsername: "ada",
  responderUsername: "GitHub Copilot",
  sessionId,
  creationDate: began,
  requests,
})

describe("a session as a document", () => {
  testClient(vscodeCopilot, { install: (home) => writeTo(pathIn(home, "json"), documentOf(storyRequests)) })
})

describe("a session as a log of changes", () => {
  testClient(vscodeCopilot, { install: (home) => writeTo(pathIn(home, "jsonl"), logOf(storyLog)) })

  test("it gives the same events as the document, with the same ids", async () => {
    const [document, log] = [makeRepository({}), makeRepository({})]
    writeTo(pathIn(document, "json"), documentOf(storyRequests))
    writeTo(pathIn(log, "jsonl"), logOf(storyLog))
    const [first, second] = [findIn(vscodeCopilot, document)[0], findIn(vscodeCopilot, log)[0]]
    expect(await readEvents(vscodeCopilot, second)).toEqual(await readEvents(vscodeCopilot, first))
  })

  test("an unfinished change is ignored, and invalid ones are counted", async () => {
    const half = '{"kind":2,"k":["requests"],"v":[{"requestId":"r","mess'
    const home = makeRepository({})
    writeTo(pathIn(home, "jsonl"), `${logOf(storyLog)}{"broken\n{"kind":7,"k":["x"]}\n${half}`)
    const [batch] = await readBatches(vscodeCopilot, findIn(vscodeCopilot, home)[0])
    expect(batch?.unknown).toEqual({ unreadable: 1, "change/7": 1 })
    expect(batch?.events.at(-1)?.cites).toEqual([story.cite])
  })

  test("a list can be truncated and continued, and a value deleted", async () => {
    const events = await eventsOfLog([
      { kind: 0, v: documentOf([request(0, "First", []), request(1, "Second", []), request(2, "Third", [])]) },
      { kind: 2, k: ["requests"], i: 1, v: [request(1, "Other second", [])] },
      { kind: 3, k: ["requests", 0, "message"] },
    ])
    expect(events.map(({ text }) => text)).toEqual(["Other second"])
  })

  test("no change reaches a prototype", async () => {
    await eventsOfLog([
      { kind: 0, v: documentOf([]) },
      { kind: 1, k: ["__proto__", "polluted"], v: "yes" },
      { kind: 1, k: ["constructor", "prototype", "polluted"], v: "yes" },
      { kind: 2, k: ["toString", "polluted"], v: ["yes"] },
    ])
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
    expect(Object.hasOwn(Object, "polluted")).toBe(false)
  })

  test("an index far beyond the end of a list is invalid", async () => {
    expect(
      await eventsOfLog([
        { kind: 0, v: documentOf([]) },
        { kind: 1, k: ["requests", 4_000_000_000], v: {} },
      ]),
    ).toEqual([])
  })
})

test("the folder is that of the workspace; an empty window has none", async () => {
  const home = makeRepository({})
  writeTo(pathIn(home, "json"), documentOf([request(0, "Go", [])]))
  writeTo(join(home, ".config", "Code", "User", "workspaceStorage", "0a1b", "workspace.json"), {
    folder: "file:///work/dates",
  })
  const empty = join(home, ".config", "Code", "User", "globalStorage", "emptyWindowChatSessions", "e.json")
  writeTo(empty, documentOf([request(0, "Hello", [])]))
  const told = await Promise.all(findIn(vscodeCopilot, home).map((each) => readEvents(vscodeCopilot, each)))
  expect(Object.fromEntries(told.flat().map(({ text, cwd }) => [text, cwd]))).toEqual({
    Hello: undefined,
    Go: "/work/dates",
  })
})

test("a session that became a log is read once", () => {
  const home = makeRepository({})
  writeTo(pathIn(home, "json"), documentOf(storyRequests))
  writeTo(pathIn(home, "jsonl"), logOf(storyLog))
  expect(findIn(vscodeCopilot, home).map(({ path }) => path)).toEqual([pathIn(home, "jsonl")])
})

test("an unfinished response is read later", async () => {
  const unfinished = { ...request(0, "Go", [words("Half an ans")]), result: undefined }
  expect((await eventsOf([unfinished])).map(({ text }) => text)).toEqual(["Go"])
  expect((await eventsOf([unfinished, request(1, "And?", [])])).map(({ text }) => text)).toEqual([
    "Go",
    "Half an ans",
    "And?",
  ])
})

test("a response that the user stopped is an interruption", async () => {
  const events = await eventsOf([{ ...request(0, "Go", [words("I will")]), result: undefined, isCanceled: true }])
  expect(events.filter(({ incident }) => incident === "interrupted")).toHaveLength(1)
})

test.each([false, { type: 0 }, { type: 5 }])("a call with the confirmation %j was refused", async (isConfirmed) => {
  const [, , result] = await eventsOf([request(0, "Go", [shown("run_in_terminal", "c", { isConfirmed })])])
  expect(result).toMatchObject({ kind: "tool_result", incident: "refused" })
})

test("input and output are matched by order if the ids differ", async () => {
  const events = await eventsOf([
    request(0, "Go", [shown("copilot_readFile", "shown-1"), shown("run_in_terminal", "shown-2")], {
      metadata: metadata({
        toolu_1: ["read_file", { filePath: "/work/a.ts" }, "text of a"],
        toolu_2: ["run_in_terminal", { command: "make" }, "make: failed\nCommand exited with code 2"],
      }),
    }),
  ])
  expect(events.slice(1)).toMatchObject([
    { files: ["/work/a.ts"] },
    { text: "text of a" },
    { command: "make" },
    { command: "make", exitCode: 2 },
  ])
})

test("unknown kinds of parts are counted", async () => {
  const home = makeRepository({})
  writeTo(pathIn(home, "json"), documentOf([request(0, "Go", [{ kind: "hologram" }, words("Hi")])]))
  const [batch] = await readBatches(vscodeCopilot, findIn(vscodeCopilot, home)[0])
  expect(batch?.unknown).toEqual({ "response/hologram": 1 })
})

const storyLog: Values[] = [
  { kind: 0, v: { ...documentOf([]), inputState: {} } },
  { kind: 1, k: ["inputState", "inputText"], v: "Make the d" },
  { kind: 2, k: ["requests"], v: [{ ...storyRequests[0], response: [], result: undefined }] },
  { kind: 2, k: ["requests", 0, "response"], v: storyRequests[0]?.response },
  { kind: 1, k: ["requests", 0, "result"], v: storyRequests[0]?.result },
  { kind: 2, k: ["requests"], v: [storyRequests[1]] },
]

function logOf(changes: Values[]): string {
  return changes.map((change) => `${JSON.stringify(change)}\n`).join("")
}

async function eventsOf(requests: Values[]) {
  const home = makeRepository({})
  writeTo(pathIn(home, "json"), documentOf(requests))
  return readEvents(vscodeCopilot, findIn(vscodeCopilot, home)[0])
}

async function eventsOfLog(changes: Values[]) {
  const home = makeRepository({})
  writeTo(pathIn(home, "jsonl"), logOf(changes))
  return readEvents(vscodeCopilot, findIn(vscodeCopilot, home)[0])
}

function pathIn(home: string, extension: string): string {
  return join(home, ".config", "Code", "User", "workspaceStorage", "0a1b", "chatSessions", `${sessionId}.${extension}`)
}
