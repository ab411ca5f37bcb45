import type { ClientId, ToolCall } from "../formats/client-events.ts"

import { stripInjected } from "./injected-text.ts"
import { type JsonObject, objectOf, parseObject, textOf } from "./json-value.ts"
import { isOwnTool, readToolCall, toolAction } from "./tool-calls.ts"

/** An event that a client reports at one of its hooks, in the same terms for every client. */
export type HookEvent = HookPlace &
  (
    | { kind: "session-start"; source: "startup" | "resume" | "clear" | "compact" }
    | { kind: "prompt"; text: string }
    | { kind: "subagent-start" }
    | { kind: "before-compaction" }
    | { kind: "before-tool"; call: ToolCall; delegation?: Delegation | undefined }
    /** It succeeded. Sent by clients whose agents can be warned of a call only with its result. */
    | { kind: "after-tool"; call: ToolCall }
    | { kind: "after-failure"; call: ToolCall; error: string }
    | { kind: "end"; of: "turn" | "session" }
  )

/** Where the event happens. */
type HookPlace = {
  client: ClientId
  /** The client's own session id. */
  session: string | undefined
  cwd: string
  transcript: string | undefined
  /** The running sub-agent, or the agent that the session runs as, by the client's name for it. */
  agent: string | undefined
  /** Distinguishes the sub-agents of one session. */
  agentId: string | undefined
}

/** A task that an agent hands to a sub-agent: its kind, its name and the prompt. */
export type Delegation = { kind: string | undefined; name: string; task: string }

/** Text for the agent, and a line for the user alone. */
export type HookAnswer =
  | { kind: "context"; text: string; toUser?: string | undefined }
  /** Advice on a tool call; `ask`: the user configured this guard to make the client ask first. */
  | { kind: "warning"; text: string; ask: boolean }

/** The hook format of one client. One file each, one contract for all. */
export type HookClient = {
  id: ClientId
  /** The events at which it accepts text for the agent. At the others Drey only reads. */
  hears: readonly HookEvent["kind"][]
  /** It can show its user a line that the agent does not read. Otherwise the line goes to the agent. */
  showsUser: boolean
  /** Undefined when Drey does not use the event or its input. Never throws. */
  read(event: string, input: unknown): HookEvent | undefined
  /** The output on stdout, for an event in `hears`. */
  answer(event: HookEvent, answer: HookAnswer): string
}

/** Where an event happens, under the clients' various key names. Without a folder, it is the current one. */
export function readPlace(client: ClientId, input: JsonObject): HookPlace {
  const first = (...keys: string[]) =>
    keys.map((key) => textOf(firstOf(input[key]))).find((value) => value !== undefined)
  return {
    client,
    session: first("session_id", "sessionId", "conversation_id", "trajectory_id", "taskId", "session"),
    cwd: first("cwd", "workspace_roots", "workspaceRoots") ?? process.cwd(),
    transcript: first("transcript_path", "transcriptPath"),
    agent: first("agent_type", "agentType", "agentName", "agent_name", "agent"),
    agentId: first("agent_id", "agentId"),
  }
}

type EventReader = (place: HookPlace, fields: JsonObject) => HookEvent | undefined

/** Reads a client's input with the reader of its event; any other event is not used. */
export function readEvents(client: ClientId, readers: Readonly<Record<string, EventReader>>): HookClient["read"] {
  return (event, input) => {
    const fields = objectOf(input) ?? {}
    const read = Object.hasOwn(readers, event) ? readers[event] : undefined
    return read?.(readPlace(client, fields), fields)
  }
}

/** The events of Claude Code whose names and fields other clients have taken over. */
export const sharedEvents = {
  SessionStart: (place, { source }) => sessionStart(place, source),
  UserPromptSubmit: (place, fields) => prompt(place, fields.prompt),
  SubagentStart: (place) => subagentStart(place),
  PreCompact: (place) => beforeCompaction(place),
  PreToolUse: (place, { tool_name, tool_input }) => beforeTool(place, tool_name, tool_input),
  Stop: (place) => end(place, "turn"),
  SessionEnd: (place) => end(place, "session"),
} satisfies Record<string, EventReader>

/** The names of these events in an answer. */
export const sharedEventNames = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "subagent-start": "SubagentStart",
  "before-compaction": "PreCompact",
  "before-tool": "PreToolUse",
  "after-tool": "PostToolUse",
  "after-failure": "PostToolUse",
  end: "SessionEnd",
} satisfies Record<HookEvent["kind"], string>

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value
}

/** A session start; any source other than resume, clear or compact counts as a start. */
export function sessionStart(place: HookPlace, source: unknown): HookEvent {
  const known = (["resume", "clear", "compact"] as const).find((each) => each === source)
  return { ...place, kind: "session-start", source: known ?? "startup" }
}

/** The user's text, without injected and private parts. */
export function prompt(place: HookPlace, words: unknown): HookEvent | undefined {
  const text = stripInjected(textOf(words) ?? "").text.trim()
  return text === "" ? undefined : { ...place, kind: "prompt", text }
}

export function beforeTool(place: HookPlace, tool: unknown, input: unknown): HookEvent | undefined {
  const call = readToolCall(tool, input)
  return call && { ...place, kind: "before-tool", call, delegation: readDelegation(tool, input) }
}

const delegating = /^(?:task|agent|delegate|spawn_?agent|(?:run_?)?sub_?agent|new_?task)$/i

/** The task that a call hands to a sub-agent; undefined for any other call. */
function readDelegation(tool: unknown, input: unknown): Delegation | undefined {
  if (!delegating.test(textOf(tool) ?? "")) return undefined
  const given = parseObject(input) ?? {}
  const first = (...keys: string[]) => keys.map((key) => textOf(given[key])).find((value) => value !== undefined)
  const task = first("prompt", "message", "task", "instructions", "query")
  if (task === undefined) return undefined
  const name = [first("name", "agent_name"), first("description", "title")].filter(Boolean).join(" ")
  return { kind: first("subagent_type", "agent_type", "agentName", "agent", "mode"), name, task }
}

export function afterTool(place: HookPlace, tool: unknown, input: unknown): HookEvent | undefined {
  const call = readToolCall(tool, input)
  return call && { ...place, kind: "after-tool", call }
}

const longestError = 6000

/** The failure is at the end of a long output. */
export function afterFailure(place: HookPlace, tool: unknown, input: unknown, error: unknown): HookEvent | undefined {
  const text = (textOf(error) ?? textOf(objectOf(error)?.message) ?? "").trim().slice(-longestError)
  const name = textOf(tool)
  if (text === "" || name === undefined || isOwnTool(name)) return undefined
  const call = readToolCall(tool, input) ?? { tool: name, command: undefined, paths: [], text: undefined }
  return { ...place, kind: "after-failure", call, error: text }
}

export function subagentStart(place: HookPlace): HookEvent {
  return { ...place, kind: "subagent-start" }
}

export function beforeCompaction(place: HookPlace): HookEvent {
  return { ...place, kind: "before-compaction" }
}

export function end(place: HookPlace, of: "turn" | "session"): HookEvent {
  return { ...place, kind: "end", of }
}

/**
 * The output of a failed command; undefined for all others. For clients that send no exit code to this hook: some print
 * it in the text, for others only the text shows the failure.
 */
export function failedOutput(tool: unknown, output: unknown): string | undefined {
  const text = textOf(output)
  const name = textOf(tool)
  if (text === undefined || name === undefined || toolAction(name) !== "run") return undefined
  const code = exitCode.exec(text.slice(-endLength))?.[1] ?? exitCode.exec(text.slice(0, endLength))?.[1]
  if (code !== undefined) return Number(code) === 0 ? undefined : text
  return signs.test(text.slice(-mostLookedAt)) ? text : undefined
}

const endLength = 400
const mostLookedAt = 20_000
const exitCode = /\bexit(?:ed)?(?: with)?(?: exit)? code:? (-?\d{1,9})\b/i

/** How compilers, test runners and languages start the line that reports a failure. */
const signs =
  /^[ \t]{0,8}(?:\S{1,200}:\d{1,6}(?::\d{1,6})?:? (?:fatal )?error\b|(?:fatal|error|panic|npm error)\b|npm ERR!|error\[E\d|Traceback \(most recent|not ok \d|FAIL(?:ED|URES)?\b|[\w.]{0,80}(?:Error|Exception)(?::|$)|.{0,120}: command not found$|\d{1,6} failed\b|BUILD FAILED)/im

/** The field in which several clients accept a line for their user. */
export function systemMessage(answer: HookAnswer): { systemMessage?: string } {
  const line = answer.kind === "context" ? answer.toUser : undefined
  return line === undefined ? {} : { systemMessage: textForUser(line) }
}

/** The agent's part of an answer; empty if all of it is for the user. */
export function additionalContext({ text }: HookAnswer): { additionalContext?: string } {
  return text === "" ? {} : { additionalContext: text }
}

/** An answer in the form of Claude Code, where a warning may make the client ask its user. */
export function askingAnswer(hookEventName: string, answer: HookAnswer): string {
  const isAsked = answer.kind === "warning" && answer.ask
  return JSON.stringify({
    ...systemMessage(answer),
    hookSpecificOutput: { hookEventName, ...(isAsked ? askFirst(answer.text) : {}), ...additionalContext(answer) },
  })
}

/** Makes the client ask its user before the call. */
export function askFirst(text: string): { permissionDecision: "ask"; permissionDecisionReason: string } {
  return { permissionDecision: "ask", permissionDecisionReason: textForUser(text) }
}

/**
 * An answer as the user reads it: prefixed with Drey's name, without the wrapper that marks Drey's text in a
 * transcript.
 */
export function textForUser(text: string): string {
  return `Drey · ${text.replace(/^<drey-context[^>\n]*>\n|\n+<\/drey-context>$/g, "")}`
}
