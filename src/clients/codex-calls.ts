import { codexAccount } from "./codex-account.ts"
import { codexOutput } from "./codex-output.ts"
import { partsText } from "./codex-words.ts"
import type { EventCollector, Told } from "./collect-events.ts"
import { joinWords } from "./join-words.ts"
import { type JsonObject, objectOf, parseObject, textOf, textsOf } from "./json-value.ts"

export type CodexCalls = {
  /** Adds the events of a record about a call; false for any other record. `told` returns the header for an id. */
  take(kind: string, payload: JsonObject, told: (id: string) => Told): boolean
  carry(): JsonObject
}

/** What is known of a call whose output has not arrived yet. */
type Foretold = { exitCode?: number | undefined; isError?: boolean | undefined }

const mostRemembered = 200

/**
 * Combines up to three records of a Codex call: the call, a report of its outcome, and the output sent to the model.
 * Calls made by a program that the model wrote appear only in reports; a long-running command has several outputs.
 */
export function openCodexCalls(collector: EventCollector, before: JsonObject): CodexCalls {
  /** Calls by id, and which record introduced them. */
  const seen = openMemory<"call" | "account">(before.seen)
  const foretold = openMemory<Foretold>(before.foretold)
  /** Commands that are still running: the call's id by Codex's number. */
  const running = openMemory<string>(before.running)
  /** Calls that poll a running command: its number by the call's id. */
  const polls = openMemory<string>(before.polls)

  const tellCall = (payload: JsonObject, told: (id: string) => Told) => {
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
  const tellOutput = (payload: JsonObject, told: (id: string) => Told) => {
    const id = textOf(payload.call_id)
    if (id === undefined || seen.get(id) === "account") return
    const { process, ...outcome } = codexOutput(partsText(payload.output))
    const poll = polls.take(id)
    if (process !== undefined) {
      if (poll === undefined) running.set(process, id)
      return
    }
    const call = poll === undefined ? id : running.take(poll)
    if (call !== undefined) collector.answer({ ...told(`${id}:result`), call, ...foretold.take(call), ...outcome })
  }
  const tellAccount = (kind: string, payload: JsonObject, told: (id: string) => Told): boolean => {
    const account = codexAccount(kind, payload)
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
  const command = textOf(given.cmd) ?? (Array.isArray(given.command) ? joinWords(textsOf(given.command)) : undefined)
  return command === undefined ? given : { ...given, command }
}

type Memory<Value> = {
  get(key: string): Value | undefined
  keyOf(value: Value): string | undefined
  set(key: string, value: Value): void
  take(key: string): Value | undefined
  carry(): Record<string, Value>
}

/** Keeps the newest unfinished entries across readings. */
function openMemory<Value>(carried: unknown): Memory<Value> {
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
