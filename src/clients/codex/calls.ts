import { type JsonObject, numberOf, objectOf, parseObject, textOf, textsOf } from "../json-value.ts"
import type { EventCollector, RecordHeader } from "../transcripts/event-collector.ts"
import { codexPartsText } from "./transcript.ts"

export type CodexCalls = {
  /** Adds the events of a record about a call; false for any other record. `told` returns the header for an id. */
  take(kind: string, payload: JsonObject, told: (id: string) => RecordHeader): boolean
  carry(): JsonObject
}

/** What is known of a call whose output has not arrived yet. */
type AnnouncedCall = { exitCode?: number | undefined; isError?: boolean | undefined }

const mostRemembered = 200

/**
 * Combines up to three records of a Codex call: the call, a report of its outcome, and the output sent to the model.
 * Calls made by a program that the model wrote appear only in reports; a long-running command has several outputs.
 */
export function openCodexCalls(collector: EventCollector, before: JsonObject): CodexCalls {
  /** Calls by id, and which record introduced them. */
  const seen = openMemory<"call" | "account">(before.seen)
  const foretold = openMemory<AnnouncedCall>(before.foretold)
  /** Commands that are still running: the call's id by Codex's number. */
  const running = openMemory<string>(before.running)
  /** Calls that poll a running command: its number by the call's id. */
  const polls = openMemory<string>(before.polls)

  const tellCall = (payload: JsonObject, told: (id: string) => RecordHeader) => {
    const id = textOf(payload.call_id) ?? textOf(payload.id)
    if (id === undefined || seen.get(id) !== undefined) return
    const tool = textOf(payload.name) ?? toolOfKind[String(payload.type)] ?? "unknown"
    const input = inputOf(payload)
    if (tool === "write_stdin") {
      polls.set(id, String(input.session_id))
      return
    }
    seen.set(id, "call")
    const command = textOf(input.command)
    const isPatch = command !== undefined && patchCommand.test(command)
    const what = isPatch ? { tool: "apply_patch", input: { input: command } } : { tool, input }
    collector.call({ ...told(id), call: id, server: textOf(payload.namespace), ...what })
  }
  const tellOutput = (payload: JsonObject, told: (id: string) => RecordHeader) => {
    const id = textOf(payload.call_id)
    if (id === undefined || seen.get(id) === "account") return
    const { process, ...outcome } = codexOutput(codexPartsText(payload.output))
    const poll = polls.take(id)
    if (process !== undefined) {
      if (poll === undefined) running.set(process, id)
      return
    }
    const call = poll === undefined ? id : running.take(poll)
    if (call !== undefined) collector.answer({ ...told(`${id}:result`), call, ...foretold.take(call), ...outcome })
  }
  const tellAccount = (kind: string, payload: JsonObject, told: (id: string) => RecordHeader): boolean => {
    const account = readCodexReport(kind, payload)
    if (account === undefined) return false
    const { id, tool, server, input, ...outcome } = account
    const process = running.keyOf(id)
    if (process !== undefined) running.take(process)
    else if (seen.get(id) !== undefined) {
      foretold.set(id, { exitCode: outcome.exitCode, isError: outcome.isError })
      return true
    } else {
      seen.set(id, "account")
      collector.call({ ...told(id), call: id, tool, server, input })
    }
    collector.answer({ ...told(`${id}:result`), call: id, ...outcome })
    return true
  }

  return {
    take(kind, payload, told) {
      if (callKinds.has(kind)) tellCall(payload, told)
      else if (outputKinds.has(kind)) tellOutput(payload, told)
      else return tellAccount(kind, payload, told)
      return true
    },
    carry: () => ({ seen: seen.carry(), foretold: foretold.carry(), running: running.carry(), polls: polls.carry() }),
  }
}

const callKinds = new Set(
  ["function_call", "custom_tool_call", "local_shell_call", "web_search_call"].map((name) => `response_item/${name}`),
)
const outputKinds = new Set(["function_call_output", "custom_tool_call_output"].map((name) => `response_item/${name}`))
const toolOfKind: Record<string, string> = { local_shell_call: "local_shell", web_search_call: "web_search" }

/** A patch passed to the shell: `apply_patch <<'EOF'`, also after `cd x &&`. */
const patchCommand = /^\s{0,20}(?:cd\s[^;&|\n]{1,300}&&\s{0,20})?apply_?patch\s/

/** The arguments, with a command as one line; the plain text of a custom tool is under `input`. */
function inputOf(payload: JsonObject): JsonObject {
  const text = textOf(payload.input)
  const given =
    parseObject(payload.arguments ?? payload.input) ?? objectOf(payload.action) ?? (text ? { input: text } : {})
  const command =
    textOf(given.cmd) ?? (Array.isArray(given.command) ? joinCommandWords(textsOf(given.command)) : undefined)
  return command === undefined ? given : { ...given, command }
}

type KeyedCache<Value> = {
  get(key: string): Value | undefined
  keyOf(value: Value): string | undefined
  set(key: string, value: Value): void
  take(key: string): Value | undefined
  carry(): Record<string, Value>
}

/** Keeps the newest unfinished entries across readings. */
function openMemory<Value>(carried: unknown): KeyedCache<Value> {
  const kept = new Map(Object.entries(objectOf(carried) ?? {}) as [string, Value][])
  return {
    get: (key) => kept.get(key),
    keyOf: (value) => [...kept].find(([, each]) => each === value)?.[0],
    set(key, value) {
      kept.set(key, value)
      const [oldest = ""] = kept.keys()
      if (kept.size > mostRemembered) kept.delete(oldest)
    },
    take(key) {
      const value = kept.get(key)
      kept.delete(key)
      return value
    },
    carry: () => Object.fromEntries(kept),
  }
}

export type CodexOutput = {
  text: string
  exitCode?: number
  isError?: true
  incident?: "refused" | "interrupted"
  /** The number of a command that is still running. */
  process?: string
}

/** A call's output as sent to the model: the text, and the values of its header. */
function codexOutput(text: string): CodexOutput {
  const packed = parseObject(text)
  const exitCode = numberOf(objectOf(packed?.metadata)?.exit_code)
  if (exitCode !== undefined) return { text: textOf(packed?.output) ?? "", exitCode }
  if (abort.test(text)) return { text: "", incident: "interrupted" }
  if (refusal.test(text)) return { text: "", incident: "refused" }
  if (failure.test(text)) return { text, isError: true }
  const head = heading.exec(text)
  if (head === null) return { text }
  const [whole, early, late, process] = head
  const code = early ?? late
  const rest = text.slice(whole.length)
  return { text: rest, ...(code ? { exitCode: Number(code) } : {}), ...(process ? { process } : {}) }
}

const heading =
  /^(?:Exit code: (-?\d{1,9})\n)?(?:Chunk ID: [^\n]{1,60}\n)?(?:Wall time: [^\n]{1,60}\n)(?:Process exited with code (-?\d{1,9})\n|Process running with session ID (\d{1,12})\n)?(?:[^\n]{1,100}\n){0,3}?Output:(?:\n|$)/
const abort = /^(?:Wall time: [^\n]{1,60}\n)?aborted by user/
const refusal = /^[\w ]{0,40}rejected by user/
const failure =
  /^(?:apply_patch verification failed|failed to parse function arguments|unsupported call|patch rejected: )/

/**
 * Joins a command stored as a list of words; a shell's script replaces it: `["bash", "-lc", "npm test"]` is `npm test`.
 */
export function joinCommandWords(words: readonly string[]): string | undefined {
  const [program = "", flag = "", script] = words
  if (script !== undefined && isShell.test(program) && isScriptFlag.test(flag)) return script
  return words.length === 0 ? undefined : words.join(" ")
}

const isShell = /(?:^|[\\/])(?:(?:ba|z|da|k|fi)?sh|pwsh|powershell|cmd)(?:\.exe)?$/i
const isScriptFlag = /^(?:-[a-z]{0,6}c|-Command|\/c)$/i

/** A call and its outcome, as Codex shows it to the user. */
export type CodexReport = {
  id: string
  tool: string
  server?: string | undefined
  input: JsonObject
  text: string
  exitCode?: number | undefined
  isError?: boolean | undefined
  incident?: "refused" | undefined
}

/** Reads an item of the newer format, or the equivalent event of the older one; undefined for other records. */
function readCodexReport(kind: string, payload: JsonObject): CodexReport | undefined {
  const reader = Object.hasOwn(readers, kind) ? readers[kind] : undefined
  const told = objectOf(payload.item) ?? payload
  const id = textOf(told.id) ?? textOf(told.call_id)
  if (reader === undefined) return undefined
  const isRefused = told.status === "declined"
  return { id: id ?? "", ...reader(told), ...(isRefused ? { incident: "refused" } : {}) }
}

type Reader = (told: JsonObject) => Omit<CodexReport, "id" | "incident">

const readCommand: Reader = (told) => ({
  tool: "exec_command",
  input: { command: joinCommandWords(textsOf(told.command)) },
  text: textOf(told.aggregated_output) ?? "",
  exitCode: numberOf(told.exit_code),
  isError: told.exit_code === undefined && told.status === "failed",
})

const readChange: Reader = (told) => ({
  tool: "apply_patch",
  input: { files: Object.keys(objectOf(told.changes) ?? {}) },
  text: `${textOf(told.stdout) ?? ""}${textOf(told.stderr) ?? ""}`,
  isError: told.status === "failed" || told.success === false,
})

const readItemOfServer: Reader = (told) => ({
  tool: textOf(told.tool) ?? "unknown",
  server: textOf(told.server),
  input: objectOf(told.arguments) ?? {},
  text: codexPartsText(objectOf(told.result)?.content),
  isError: told.status === "failed",
})

const readEventOfServer: Reader = ({ invocation, result }) => {
  const { server, tool, arguments: input } = objectOf(invocation) ?? {}
  const { Ok: done, Err: failure } = objectOf(result) ?? {}
  return {
    tool: textOf(tool) ?? "unknown",
    server: textOf(server),
    input: objectOf(input) ?? {},
    text: textOf(failure) ?? codexPartsText(objectOf(done)?.content),
    isError: failure !== undefined || objectOf(done)?.isError === true,
  }
}

const readers: Record<string, Reader> = {
  "event_msg/item_completed/CommandExecution": readCommand,
  "event_msg/exec_command_end": readCommand,
  "event_msg/item_completed/FileChange": readChange,
  "event_msg/patch_apply_end": readChange,
  "event_msg/item_completed/McpToolCall": readItemOfServer,
  "event_msg/mcp_tool_call_end": readEventOfServer,
}
