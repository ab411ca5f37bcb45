import { basename, dirname, join } from "node:path"
import type { Client, Machine } from "../client.ts"
import { isoTime, type JsonObject, numberOf, objectOf, objectsOf, parseObject, textOf, textsOf } from "../json-value.ts"
import { findFiles, readJsonFile } from "../transcripts/client-files.ts"
import { collectEvents, type EventCollector, type RecordHeader } from "../transcripts/event-collector.ts"
import { type LineFormat, readLines } from "../transcripts/line-files.ts"

/**
 * Kiro's records, in its command line's two formats: `{ kind, data }` with a block for every text, call and result, and
 * `{ payload: { type } }` with one record for each. Session and directory are in a file beside them.
 */
const kiroLines: LineFormat = {
  open({ path }, carried) {
    const before = parseObject(carried) ?? {}
    const { id, cwd } = sessionOf(path)
    const collector = collectEvents("kiro", id, textOf(before.events))
    let ts = textOf(before.ts) ?? "" // only prompts have a time in the older format
    return {
      take(record, line) {
        const data = objectOf(record.data) ?? {}
        ts = timeOf(record, data) || ts
        const own = textOf(data.message_id) ?? textOf(record.id) ?? String(line)
        const told = { id: `${id}:${own}`, session: id, ts, line, cwd }
        const kind = textOf(record.kind) ?? textOf(objectOf(record.payload)?.type) ?? "untyped"
        if (record.payload !== undefined && currentKinds.has(kind))
          addCurrent(collector, objectOf(record.payload), told)
        else if (olderKinds.has(kind)) addOlder(collector, kind, objectsOf(data.content), told)
        else return { unknown: kind }
        return collector.take()
      },
      carry: () => JSON.stringify({ ts, events: collector.carry() }),
    }
  },
}

const olderKinds = new Set(["Prompt", "AssistantMessage", "ToolResults", "Clear", "Compaction"])
const currentKinds = new Set(["user", "assistant", "tool_call", "tool_result"])

function timeOf(record: JsonObject, data: JsonObject): string {
  const seconds = numberOf(objectOf(data.meta)?.timestamp)
  return seconds === undefined ? isoTime(record.timestamp) : isoTime(seconds * 1000)
}

function addOlder(collector: EventCollector, kind: string, blocks: JsonObject[], told: RecordHeader): void {
  if (kind === "Clear") collector.mark({ ...told, mark: "clear" })
  if (kind === "Compaction") collector.mark({ ...told, mark: "compacted" })
  const role = kind === "Prompt" ? "user" : "assistant"
  for (const [index, block] of blocks.entries()) {
    const here = { ...told, id: `${told.id}:${index}` }
    const data = objectOf(block.data) ?? {}
    if (block.kind === "text" && kind !== "ToolResults")
      collector.say({ ...here, role, text: textOf(block.data) ?? "" })
    if (block.kind === "toolUse") addCall(collector, data.toolUseId, data.name, data.input, here)
    if (block.kind === "toolResult") addResult(collector, data.toolUseId, data, here)
  }
}

function addCurrent(collector: EventCollector, payload: JsonObject = {}, told: RecordHeader): void {
  const { type, content, toolCallId, toolName, args } = payload
  if (type === "user" || type === "assistant") collector.say({ ...told, role: type, text: textOf(content) ?? "" })
  if (type === "tool_call") addCall(collector, toolCallId, toolName, args, told)
  if (type === "tool_result") addResult(collector, toolCallId, payload, told)
}

function addCall(collector: EventCollector, id: unknown, name: unknown, input: unknown, told: RecordHeader): void {
  const call = textOf(id) ?? told.id
  collector.call({ ...told, call, tool: textOf(name) ?? "unknown", input: parseObject(input) ?? {} })
}

/** The output of a command is JSON with its exit status. */
function addResult(collector: EventCollector, id: unknown, data: JsonObject, told: RecordHeader): void {
  const parts = Array.isArray(data.content) ? data.content : [data.content]
  const values = parts.map((part) => objectOf(part)?.data ?? objectOf(part)?.text ?? part)
  const shell = values.map(parseObject).find((value) => value?.stdout !== undefined || value?.exit_status !== undefined)
  const text = shell
    ? [shell.stdout, shell.stderr].flatMap((output) => textOf(output) ?? []).join("\n")
    : values.map((value) => textOf(value) ?? JSON.stringify(value) ?? "").join("\n")
  const exit = /-?\d{1,9}$/.exec(String(shell?.exit_status ?? ""))
  collector.answer({
    ...told,
    call: textOf(id) ?? told.id,
    text,
    isError: data.status === "error" || data.isError === true,
    ...(exit === null ? {} : { exitCode: Number(exit[0]) }),
  })
}

function sessionOf(path: string): { id: string; cwd: string | undefined } {
  const isCurrent = basename(path) === "messages.jsonl"
  const beside = isCurrent ? join(dirname(path), "session.json") : path.replace(/\.jsonl$/, ".json")
  const about = objectOf(readJsonFile(beside)) ?? {}
  const name = isCurrent ? basename(dirname(path)) : basename(path, ".jsonl")
  return { id: textOf(about.session_id) ?? name, cwd: textOf(about.cwd) ?? textsOf(about.workspacePaths)[0] }
}

/** Sessions are `sessions/<workspace>/sess_<id>/messages.jsonl`, formerly `sessions/cli/<id>.jsonl`. */
export const kiro: Client = {
  id: "kiro",
  name: "Kiro",
  maturity: "experimental",
  find: (machine) => findSessions(machine).map((path) => ({ client: "kiro", path })),
  recognises: (path, beginning) => path.endsWith(".jsonl") && ownRecord.test(beginning),
  read: (transcript, from) => readLines(transcript, from, kiroLines),
}

const ownRecord =
  /^\{[^\n]{0,40}"kind":\s?"(?:Prompt|AssistantMessage|ToolResults)",|^\{[^\n]{0,200}"payload":\s?\{"type":\s?"(?:user|assistant|tool_call)",[^\n]{0,40}"(?:content|toolName|toolCallId)":/m

function findSessions({ home, environment }: Machine): string[] {
  const folder = join(environment.KIRO_HOME || join(home, ".kiro"), "sessions")
  const isOld = (name: string) => name.endsWith(".jsonl") && name !== "messages.jsonl"
  return [...findFiles(folder, 2, isOld), ...findFiles(folder, 3, (name) => name === "messages.jsonl")]
}
