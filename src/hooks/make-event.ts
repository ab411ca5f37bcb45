import { objectOf, parseObject, textOf } from "../clients/json-value.ts"
import { isOwnTool } from "../clients/own-tools.ts"
import { stripInjected } from "../clients/strip-injected.ts"
import type { Delegation, HookEvent, HookPlace } from "./hook-event.ts"
import { readToolCall } from "./read-tool-call.ts"

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
