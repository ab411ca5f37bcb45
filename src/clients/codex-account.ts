import { partsText } from "./codex-words.ts"
import { joinWords } from "./join-words.ts"
import { type JsonObject, numberOf, objectOf, textOf, textsOf } from "./json-value.ts"

/** A call and its outcome, as Codex shows it to the user. */
export type CodexAccount = {
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
export function codexAccount(kind: string, payload: JsonObject): CodexAccount | undefined {
  const reader = Object.hasOwn(readers, kind) ? readers[kind] : undefined
  const told = objectOf(payload.item) ?? payload
  const id = textOf(told.id) ?? textOf(told.call_id)
  if (reader === undefined) return undefined
  const isRefused = told.status === "declined"
  return { id: id ?? "", ...reader(told), ...(isRefused ? { incident: "refused" } : {}) }
}

type Reader = (told: JsonObject) => Omit<CodexAccount, "id" | "incident">

const readCommand: Reader = (told) => ({
  tool: "exec_command",
  input: { command: joinWords(textsOf(told.command)) },
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
  text: partsText(objectOf(told.result)?.content),
  isError: told.status === "failed",
})

const readEventOfServer: Reader = ({ invocation, result }) => {
  const { server, tool, arguments: input } = objectOf(invocation) ?? {}
  const { Ok: done, Err: failure } = objectOf(result) ?? {}
  return {
    tool: textOf(tool) ?? "unknown",
    server: textOf(server),
    input: objectOf(input) ?? {},
    text: textOf(failure) ?? partsText(objectOf(done)?.content),
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
