import { allHookClients, findHookClient } from "../../../../src/clients/hook-clients.ts"
import type { ClientId } from "../../../../src/formats/client-events.ts"
import { expectThat, type Reader } from "../reader.ts"

type Told = [event: string, input: Record<string, unknown>]

const place = {
  session_id: "0b1f6c1e",
  transcript_path: "/home/ines/a.jsonl",
  cwd: "/work/dates",
  hook_event_name: "x",
}
const edit = { file_path: "/work/dates/src/a.ts", old_string: "a", new_string: "b" }
const output = "<untrusted_context>\nOutput: AssertionError\nExit Code: 1\n</untrusted_context>"
const patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** End Patch\n"

const plugin: readonly Told[] = [
  ["prompt", { session: "s", cwd: "/work", prompt: "Fix it" }],
  [
    "before-tool",
    { session: "s", cwd: "/work", tool: "edit", args: { filePath: "a.ts", oldString: "a", newString: "b" } },
  ],
  [
    "after-failure",
    { session: "s", cwd: "/work", tool: "bash", args: { command: "make" }, error: { message: "no rule" } },
  ],
]

const examples: Partial<Record<ClientId, readonly Told[]>> = {
  "claude-code": [
    ["SessionStart", { ...place, source: "compact" }],
    [
      "UserPromptSubmit",
      { ...place, prompt: "<ide_opened_file>a.ts</ide_opened_file>\nFix the dates <private>x</private>" },
    ],
    ["PreToolUse", { ...place, tool_name: "Edit", tool_input: edit }],
    ["PreToolUse", { ...place, tool_name: "Bash", tool_input: { command: "npm test && rm -rf dist" } }],
    [
      "PostToolUseFailure",
      {
        ...place,
        tool_name: "Bash",
        tool_input: { command: "make" },
        error: "Exit code 2\nno rule",
        is_interrupt: false,
      },
    ],
    ["Stop", { ...place, stop_hook_active: false }],
  ],
  codex: [
    ["UserPromptSubmit", { ...place, prompt: "Fix the dates" }],
    ["PreToolUse", { ...place, tool_name: "apply_patch", tool_input: { command: patch } }],
    [
      "PostToolUse",
      { ...place, tool_name: "Bash", tool_input: { command: "npm test" }, tool_response: "not ok 1 - weeks\n" },
    ],
  ],
  "gemini-cli": [
    ["BeforeAgent", { ...place, prompt: "<hook_context>x</hook_context>\n\nFix the dates" }],
    ["BeforeTool", { ...place, tool_name: "replace", tool_input: edit }],
    [
      "AfterTool",
      {
        ...place,
        tool_name: "run_shell_command",
        tool_input: { command: "npm test" },
        tool_response: { llmContent: output, returnDisplay: "" },
      },
    ],
  ],
  "copilot-cli": [
    ["sessionStart", { sessionId: "s", cwd: "/work/dates", source: "resume" }],
    ["preToolUse", { sessionId: "s", cwd: "/work/dates", toolName: "bash", toolArgs: '{"command":"npm test"}' }],
    [
      "postToolUse",
      {
        sessionId: "s",
        cwd: "/work",
        toolName: "bash",
        toolArgs: { command: "make" },
        toolResult: { resultType: "success", textResultForLlm: "x\n<shellId: 0 completed with exit code 1>" },
      },
    ],
  ],
  "vscode-copilot": [
    ["UserPromptSubmit", { sessionId: "s", hookEventName: "UserPromptSubmit", cwd: "/work", prompt: "Fix it" }],
    [
      "PostToolUse",
      {
        sessionId: "s",
        hookEventName: "PostToolUse",
        tool_name: "run_in_terminal",
        tool_input: { command: "make" },
        tool_response: "no\nCommand exited with code 1\n",
      },
    ],
  ],
  cursor: [
    ["beforeSubmitPrompt", { conversation_id: "c", workspace_roots: ["/work"], prompt: "Fix it", attachments: [] }],
    [
      "preToolUse",
      {
        conversation_id: "c",
        workspace_roots: ["/work"],
        tool_name: "Write",
        tool_input: { file_path: "a.ts", content: "b" },
      },
    ],
    ["beforeShellExecution", { conversation_id: "c", command: "npm test", cwd: "/work" }],
  ],
  windsurf: [
    ["pre_user_prompt", { agent_action_name: "x", trajectory_id: "t", tool_info: { user_prompt: "Fix it" } }],
    ["post_cascade_response", { trajectory_id: "t", tool_info: { response: "Done." } }],
  ],
  cline: [
    ["TaskStart", { taskId: "t", workspaceRoots: ["/work"], taskStart: { taskMetadata: { initialTask: "Fix it" } } }],
    [
      "PreToolUse",
      {
        taskId: "t",
        workspaceRoots: ["/work"],
        preToolUse: { toolName: "write_to_file", parameters: { path: "a.ts", content: "b" } },
      },
    ],
    [
      "PostToolUse",
      {
        taskId: "t",
        postToolUse: {
          toolName: "execute_command",
          parameters: { command: "make" },
          result: "no rule",
          success: false,
        },
      },
    ],
  ],
  opencode: plugin,
  pi: plugin,
}

/** What each client sends to its hooks: the event's name on the first line, its input as JSON below. */
export const hooks: readonly Reader[] = allHookClients.map(({ id }) => ({
  name: `hook-${id}`,
  share: 30,
  examples: () => (examples[id] ?? []).map(([event, input]) => `${event}\n${JSON.stringify(input)}`),
  largest: 128 * 1024,
  open: () => ({
    read(input) {
      const [event = "", ...rest] = input.toString("utf8").split("\n")
      const told = parse(rest.join("\n"))
      const speaker = findHookClient(id, event, told)
      const read = speaker?.client.read(speaker.event, told)
      if (!speaker || !read) return undefined
      expectThat(
        typeof read.cwd === "string" && ["string", "undefined"].includes(typeof read.session),
        "an event has its place",
      )
      if ("call" in read)
        expectThat(
          read.call.paths.every((path) => typeof path === "string"),
          "a call has its paths",
        )
      if (speaker.client.hears.includes(read.kind))
        JSON.parse(speaker.client.answer(read, { kind: "warning", text: event, ask: true }))
      return read
    },
  }),
}))

/** As `readInput` has it: what is no JSON is nothing. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
