import { hash } from "node:crypto"
import { type Account, countUnknown } from "./account.ts"
import { collectEvents, type EventCollector, type Told } from "./collect-events.ts"
import { isoTime, type JsonObject, numberOf, objectOf, textOf } from "./json-value.ts"

export type OpencodeSession = { id: string; directory: string | undefined }
/** Parts are loaded on demand: a session may contain more output than fits in memory. */
export type OpencodeMessage = { info: JsonObject; parts(): JsonObject[] }

/** Reads a session up to the first part that is still being written. */
export function readOpencodeSession(session: OpencodeSession, messages: OpencodeMessage[]): Account {
  const collector = collectEvents("opencode", session.id)
  const account: Account = { events: [], records: 0, unknown: {} }
  for (const [index, { info, parts: lookUp }] of messages.entries()) {
    const parts = lookUp()
    account.records += 1 + parts.length
    const isOver = index < messages.length - 1 || isFinished(info)
    for (const kind of tellMessage(collector, session, info, isOver ? parts : finishedParts(parts)))
      countUnknown(account.unknown, kind)
  }
  return { ...account, events: collector.take() }
}

function isFinished({ role, time, error }: JsonObject): boolean {
  return role !== "assistant" || objectOf(time)?.completed !== undefined || error !== undefined
}

/** Returns the unknown kinds. */
function tellMessage(
  collector: EventCollector,
  session: OpencodeSession,
  info: JsonObject,
  parts: JsonObject[],
): string[] {
  const { role, error } = info
  if (role !== "user" && role !== "assistant") return [`message/${String(role)}`]
  if (info.summary === true) return [] // a compaction's summary, written by a model
  const created = numberOf(objectOf(info.time)?.created)
  // Copies in a forked session have new ids; only text and time are the same.
  const idOf = (...said: unknown[]) => hash("sha256", JSON.stringify([created, role, ...said])).slice(0, 32)
  const unknown = parts.flatMap((part, index) => {
    if (idleParts.has(String(part.type))) return []
    const told = {
      id: idOf(index, part.callID ?? part.text),
      ts: isoTime(timeOfPart(part) ?? created),
      cwd: session.directory,
    }
    if (part.type === "text") tellText(collector, part, role, told)
    else if (part.type === "tool") tellTool(collector, part, told)
    else if (part.type === "compaction") collector.mark({ ...told, mark: "compacted" })
    else return [`part/${String(part.type)}`]
    return []
  })
  if (objectOf(error)?.name === "MessageAbortedError")
    collector.interrupt({ id: idOf("aborted"), ts: isoTime(created), cwd: session.directory })
  return unknown
}

const idleParts = new Set("reasoning file patch step-start step-finish subtask agent retry snapshot".split(" "))

function finishedParts(parts: JsonObject[]): JsonObject[] {
  const unfinished = parts.findIndex((part) => !isPartFinished(part))
  return unfinished < 0 ? parts : parts.slice(0, unfinished)
}

function isPartFinished(part: JsonObject): boolean {
  const { type, time, state } = part
  if (type === "tool") return ["completed", "error"].includes(String(objectOf(state)?.status))
  return objectOf(time)?.start === undefined || objectOf(time)?.end !== undefined
}

function timeOfPart({ time, state }: JsonObject): unknown {
  return objectOf(time)?.start ?? objectOf(objectOf(state)?.time)?.start
}

function tellText(collector: EventCollector, part: JsonObject, role: "user" | "assistant", told: Told): void {
  const text = textOf(part.text) ?? ""
  if (part.synthetic === true || part.ignored === true) collector.overhear(text)
  else collector.say({ ...told, role, text: role === "user" ? unquote(text) : text })
}

/** `opencode run` stores a prompt of several words in quotes. */
function unquote(text: string): string {
  const inner = /^\s{0,20}"([\s\S]+)"\s{0,20}$/.exec(text)?.[1]
  const isQuoted = inner !== undefined && !inner.replaceAll('\\"', "").includes('"')
  return isQuoted ? inner.replaceAll('\\"', '"') : text
}

function tellTool(collector: EventCollector, part: JsonObject, told: Told): void {
  const tool = textOf(part.tool) ?? "unknown"
  const call = textOf(part.callID) ?? told.id
  const state = objectOf(part.state) ?? {}
  collector.call({ ...told, id: `${told.id}:call`, call, tool, input: objectOf(state.input) ?? {} })
  if (state.status !== "completed" && state.status !== "error") return // cut off: the outcome is unknown
  const text = textOf(state.status === "error" ? state.error : state.output) ?? ""
  const isTimeout = text.slice(-200).includes("after exceeding timeout")
  collector.answer({
    ...told,
    id: `${told.id}:result`,
    ts: isoTime(objectOf(state.time)?.end) || told.ts,
    call,
    text,
    isError: state.status === "error" || tool === "invalid" || isTimeout,
    exitCode: numberOf(objectOf(state.metadata)?.exit),
    incident: incidentIn(state.status, text),
  })
}

function incidentIn(status: unknown, text: string): "refused" | "interrupted" | undefined {
  if (status === "completed") return text.slice(-200).includes("User aborted the command") ? "interrupted" : undefined
  if (/^The user (?:rejected permission to use this specific tool call|dismissed this question)/.test(text))
    return "refused"
  return text.startsWith("Tool execution aborted") ? "interrupted" : undefined
}
