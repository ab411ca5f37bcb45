type Values = Record<string, unknown>

const lines = (...records: Values[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("")
const began = Date.UTC(2026, 2, 2, 9)
const context = '<drey-context task="t-0a1b2c3d">known</drey-context>'
const text = (words: string): Values => ({ type: "text", text: words })
const use = (id: string, name: string, input: Values): Values => ({ type: "tool_use", id, name, input })
const result = (id: string, name: string, content: unknown): Values => ({
  type: "tool_result",
  tool_use_id: id,
  name,
  content,
})
const patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** End Patch\n"

export const cursorLines = lines(
  {
    role: "user",
    message: { content: [text(`<timestamp>Monday</timestamp>\n${context}<user_query>\nFix the dates\n</user_query>`)] },
  },
  {
    role: "assistant",
    message: {
      content: [
        { type: "thinking", thinking: "hm" },
        text("I run them."),
        use("t_1", "Shell", { command: "npm test" }),
      ],
    },
  },
  { role: "user", message: { content: [{ ...result("t_1", "Shell", [text("2 failed")]), is_error: true }] } },
  { type: "turn_ended", status: "success" },
  {
    role: "assistant",
    message: { content: [use("t_2", "StrReplace", { path: "/work/a.ts" }), text("Done. [m:4f2a91] helped.")] },
  },
)

const request = (index: number, words: string, response: Values[]): Values => ({
  requestId: `request_${index}`,
  timestamp: began + index,
  message: { text: words, parts: [] },
  response,
  result: {
    metadata: {
      toolCallRounds: [
        { response: "", toolCalls: [{ id: "call_1", name: "run_in_terminal", arguments: '{"command":"npm test"}' }] },
      ],
      toolCallResults: { call_1: { content: [{ value: "1 failed" }] } },
    },
  },
})
const shown: Values = {
  kind: "toolInvocationSerialized",
  toolId: "run_in_terminal",
  toolCallId: "call_1__vscode-1",
  isComplete: true,
  isConfirmed: { type: 4 },
  toolSpecificData: {
    kind: "terminal",
    commandLine: { original: "npm test" },
    terminalCommandOutput: { text: "1 failed" },
    terminalCommandState: { exitCode: 1 },
  },
}
const chat: Values = {
  version: 3,
  requesterUsername: "ada",
  responderUsername: "GitHub Copilot",
  sessionId: "7b1d2c3e-8f90-4a1b-9c2d-3e4f5a6b7c8d",
  creationDate: began,
  requests: [
    request(0, `Fix it\n${context}`, [
      { value: "I run " },
      { kind: "inlineReference", inlineReference: { fsPath: "/work/a.ts" } },
      shown,
    ]),
  ],
}

export const vscodeDocument = JSON.stringify(chat)
export const vscodeLog = lines(
  { kind: 0, v: chat },
  { kind: 1, k: ["requests", 0, "message", "text"], v: "Fix all" },
  { kind: 2, k: ["requests"], i: 1, v: [request(1, "Go on", [{ value: "Done. [m:4f2a91] helped." }])] },
  { kind: 3, k: ["requests", 0, "result"] },
)

const message = (role: string, ...content: Values[]): Values => ({ role, content })

export const clineTask = JSON.stringify([
  message(
    "user",
    text(`<task>\nFix the dates\n${context}\n</task>`),
    text("<environment_details>\n# Current Working Directory (/work/dates) Files\n</environment_details>"),
  ),
  message(
    "assistant",
    text("<thinking>hm</thinking>\n\nI run.\n\n<execute_command>\n<command>npm test</command>\n</execute_command>"),
  ),
  message("user", text("[execute_command for 'npm test'] Result:"), text("[Command exited with code 1]\n1 failed")),
  message("assistant", use("t_1", "replace_in_file", { path: "src/a.ts", diff: "-a\n+b" })),
  message(
    "user",
    result("t_1", "replace_in_file", "The user provided the following feedback:\n<feedback>\nNo, keep it\n</feedback>"),
  ),
  message(
    "assistant",
    text("<attempt_completion>\n<result>\nDone. [m:4f2a91] helped.\n</result>\n</attempt_completion>"),
  ),
])

export const clineSession = JSON.stringify({
  version: 1,
  agent: "lead",
  sessionId: "1772442000000_a1b2c",
  messages: [
    message("user", text('<user_input mode="act">Fix the dates</user_input>')),
    message("assistant", text("I run."), use("c_1", "run_commands", { commands: ["npm test"] })),
    message(
      "user",
      result("c_1", "run_commands", [
        { query: "npm test", result: "[Command exited with code 1]\n1 failed", success: false },
      ]),
    ),
    message("assistant", use("c_2", "apply_patch", { input: patch })),
    message("user", result("c_2", "apply_patch", '{"query":"apply_patch","result":"Applied","success":true}')),
  ].map((each, index) => ({ id: `msg_${index}`, ts: began + index, ...each })),
  system_prompt: "Be kind",
})

const step = (type: string, content: Values): Values => ({ status: "done", type, [type]: content })

export const windsurfLines = lines(
  step("user_input", { rules_applied: { always_on: ["team.md"] }, user_response: `Fix the dates\n\n${context}` }),
  step("planner_response", { response: "I run the tests." }),
  step("run_command", { command: "npm test", cwd: "/work/dates", output: "1 failed", exit_code: 1 }),
  step("mcp_tool", { server_name: "drey", tool_name: "memory_search", arguments: "{}", result: "known" }),
  step("code_action", { path: "/work/dates/src/a.ts", new_content: "export const week = 1\n" }),
)

/** A row a line: of OpenCode's messages and parts, as its database and its tree of files hold them. */
export const opencodeRows = lines(
  {
    id: "msg_1",
    info: { role: "user", time: { created: began }, agent: "build" },
    parts: [{ type: "text", text: `Fix the dates ${context}` }],
  },
  {
    id: "msg_2",
    info: {
      role: "assistant",
      time: { created: began, completed: began + 5 },
      path: { cwd: "/work/dates", root: "/work" },
    },
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "hm" },
      {
        type: "tool",
        tool: "bash",
        callID: "call_1",
        state: {
          status: "completed",
          input: { command: "npm test" },
          output: "1 failed",
          metadata: { exit: 1 },
          time: { start: began, end: began + 1 },
        },
      },
      {
        type: "tool",
        tool: "edit",
        callID: "call_2",
        state: { status: "error", input: { filePath: "/work/a.ts" }, error: "no match" },
      },
      { type: "text", text: "Done. [m:4f2a91] helped.", time: { start: began, end: began } },
      { type: "step-finish", reason: "stop" },
    ],
  },
)

/** The same for Cursor: a conversation and its bubbles. */
export const cursorRows = lines(
  {
    createdAt: 10,
    fullConversationHeadersOnly: [
      { bubbleId: "1", type: 1 },
      { bubbleId: "2", type: 2 },
      { bubbleId: "3", type: 2 },
    ],
    workspaceIdentifier: { uri: { fsPath: "/work/dates" } },
  },
  {
    bubbleId: "1",
    type: 1,
    text: `<rules>x</rules>${context}<user_query>Fix it</user_query>`,
    createdAt: "2026-03-02T09:00:00.000Z",
  },
  {
    bubbleId: "2",
    type: 2,
    text: "",
    capabilityType: 15,
    createdAt: "2026-03-02T09:01:00.000Z",
    toolFormerData: {
      name: "run_terminal_command_v2",
      rawArgs: '{"command":"npm test"}',
      status: "completed",
      toolCallId: "call_1",
      result: '{"output":"1 failed","exitCodeV2":1,"rejected":false}',
    },
  },
  { bubbleId: "3", type: 2, text: "Done. [m:4f2a91] helped.", thinking: { text: "hm" } },
)

const piSaid = (id: string, message: Values): Values => ({
  type: "message",
  id,
  parentId: null,
  timestamp: "2026-03-02T09:00:00.000Z",
  message,
})
export const piLines = lines(
  { type: "session", version: 3, id: "019e", timestamp: "2026-03-02T09:00:00.000Z", cwd: "/work" },
  { type: "custom_message", id: "0a", customType: "drey", content: context, display: false },
  piSaid("0b", { role: "user", content: [text('<skill name="x" location="/s">y</skill>\nFix the dates')] }),
  piSaid("0c", {
    role: "assistant",
    content: [text("I run them."), { type: "toolCall", id: "t_1", name: "bash", arguments: { command: "npm test" } }],
  }),
  piSaid("0d", {
    role: "toolResult",
    toolCallId: "t_1",
    toolName: "bash",
    content: [text("1 failed\n\nCommand exited with code 1")],
    isError: true,
  }),
  piSaid("0e", { role: "bashExecution", command: "make", output: "ok", exitCode: 0, cancelled: false }),
)

const kiroPart = (kind: string, data: unknown): Values => ({ kind, data })
const kiroSaid = (kind: string, ...content: Values[]): Values => ({
  version: "v1",
  kind,
  data: { message_id: kind, content, meta: { timestamp: began / 1000 } },
})
export const kiroLines = [
  lines(
    kiroSaid("Prompt", kiroPart("text", `${context}Fix the dates`)),
    kiroSaid("AssistantMessage", kiroPart("toolUse", { toolUseId: "t_1", name: "shell", input: { command: "make" } })),
    kiroSaid(
      "ToolResults",
      kiroPart("toolResult", {
        toolUseId: "t_1",
        status: "success",
        content: [kiroPart("json", { exit_status: "exit status: 1", stdout: "1 failed", stderr: "" })],
      }),
    ),
  ),
  lines(
    { id: "a", timestamp: "2026-03-02T09:00:00.000Z", payload: { type: "user", content: "Fix the dates" } },
    { id: "b", payload: { type: "tool_call", toolCallId: "t_1", toolName: "shell", args: { command: "make" } } },
    { id: "c", payload: { type: "tool_result", toolCallId: "t_1", content: "1 failed" } },
  ),
]

const droidSaid = (id: string, message: Values): Values => ({
  type: "message",
  id,
  timestamp: "2026-03-02T09:00:00.000Z",
  message,
})
export const droidLines = lines(
  { type: "session_start", id: "8c1d", title: "Dates", owner: "ines", version: 2, cwd: "/work" },
  droidSaid("a", {
    role: "user",
    content: [text(`<system-reminder>${context}</system-reminder>`), text("Fix the dates")],
  }),
  droidSaid("b", { role: "assistant", content: [text("I run them."), use("t_1", "Execute", { command: "npm test" })] }),
  droidSaid("c", {
    role: "user",
    content: [{ ...result("t_1", "Execute", "exited with code: 1\n1 failed"), is_error: true }],
  }),
)
