import { basename, join } from "node:path"
import { parseJson } from "../../disk/json.ts"
import { readTextFile } from "../../disk/text-files.ts"
import type { Position } from "../../formats/client-events.ts"
import type { Client, Machine } from "../client.ts"
import { cutBlocks } from "../injected-text.ts"
import { isoTime, type JsonObject, objectOf, objectsOf, parseObject, textOf } from "../json-value.ts"
import { commandsOf, toolAction } from "../tool-calls.ts"
import { editorFolders, listFolder, oldestFirst, readJsonFile } from "../transcripts/client-files.ts"
import {
  collectEvents,
  countUnknown,
  type EventCollector,
  type RecordHeader,
  type TranscriptReading,
} from "../transcripts/event-collector.ts"
import { readWhole } from "../transcripts/whole-files.ts"
import { readClineTask } from "./task-files.ts"

/** A session of the command line: `<id>.messages.json`, with the folder and branch in `<id>.json`. */
function readClineSession(path: string, from: Position | undefined) {
  return readWhole([path], from, () => {
    const { text, bytes } = readTextFile(path)
    const document = objectOf(parseJson(text, path)) ?? {}
    const about = objectOf(readJsonFile(path.replace(/\.messages\.json$/, ".json"))) ?? {}
    return { account: readMessages(basename(path, ".messages.json"), document, about), bytes }
  })
}

function readMessages(session: string, document: JsonObject, about: JsonObject): TranscriptReading {
  const account: TranscriptReading = { events: [], records: 0, unknown: {} }
  if (document.agent !== undefined && document.agent !== "lead") return account // a sub-agent's
  const collector = collectEvents("cline", session)
  const cwd = textOf(about.cwd) ?? textOf(about.workspace_root)
  const branch = textOf(objectOf(objectOf(about.metadata)?.git)?.branch)
  for (const [index, message] of objectsOf(document.messages).entries()) {
    account.records += 1
    const record = `${session}:${textOf(message.id) ?? index}`
    for (const [at, block] of objectsOf(message.content).entries()) {
      const told = { id: `${record}:${at}`, ts: isoTime(message.ts), cwd, branch }
      const kind = tellBlock(collector, message.role, block, told)
      if (kind !== undefined) countUnknown(account.unknown, kind)
    }
  }
  return { ...account, events: collector.take() }
}

/** Returns the kind of an unknown block. */
function tellBlock(
  collector: EventCollector,
  role: unknown,
  block: JsonObject,
  told: RecordHeader,
): string | undefined {
  const text = textOf(block.text) ?? ""
  if (block.type === "text" && role === "user") tellTyped(collector, text, told)
  else if (block.type === "text" && role === "assistant") collector.say({ ...told, role, text })
  else if (block.type === "tool_use") tellCalls(collector, block, told)
  else if (block.type === "tool_result") tellResults(collector, block, told)
  else if (!idleBlocks.includes(String(block.type))) return `block/${String(block.type)}`
  return undefined
}

const idleBlocks = ["thinking", "redacted_thinking", "image", "document", "file"]

/** The user's text is in `<user_input>`; other tags and brackets are the client's. */
function tellTyped(collector: EventCollector, text: string, told: RecordHeader): void {
  const words = cutBlocks(text, { open: "<mode_notice", close: "</mode_notice>" }).trim()
  const typed = /^<user_input[^>]{0,100}>([\s\S]*?)<\/user_input>/.exec(words)?.[1] // file contents may follow
  if (typed === undefined && /^[<[]/.test(words)) collector.overhear(words)
  else collector.say({ ...told, role: "user", text: typed ?? words })
}

/** One call may run several commands, each with its own result: each becomes a call. */
function tellCalls(collector: EventCollector, block: JsonObject, told: RecordHeader): void {
  const tool = textOf(block.name) ?? "unknown"
  const call = textOf(block.id) ?? told.id
  const input = objectOf(block.input) ?? {}
  if (!Array.isArray(input.commands)) collector.call({ ...told, id: `${told.id}:call`, call, tool, input })
  else
    for (const [index, command] of commandsOf(input).entries())
      collector.call({ ...told, id: `${told.id}:${index}:call`, call: partOf(call, index), tool, input: { command } })
}

function partOf(call: string, index: number): string {
  return index === 0 ? call : `${call}#${index}`
}

function tellResults(collector: EventCollector, block: JsonObject, told: RecordHeader): void {
  const call = textOf(block.tool_use_id) ?? told.id
  const several = objectsOf(block.content).filter(({ query }) => query !== undefined)
  const isOfCommands = toolAction(textOf(block.name) ?? "") === "run"
  const results = several.length === 0 ? [resultOf(block)] : isOfCommands ? several : [joinResults(several)]
  for (const [index, result] of results.entries())
    tellResult(collector, result, partOf(call, index), { ...told, id: `${told.id}:${index}:result` })
}

function joinResults(results: JsonObject[]): JsonObject {
  return {
    result: results.flatMap(({ result }) => textOf(result) ?? []).join("\n"),
    error: results.flatMap(({ error }) => textOf(error) ?? []).join("\n"),
    success: results.every(({ success }) => success !== false),
  }
}

/** The result of one command, patch or similar; JSON in a string, or plain text from other tools. */
function resultOf({ content, is_error }: JsonObject): JsonObject {
  const texts = objectsOf(content).flatMap(({ text }) => textOf(text) ?? [])
  const plain = textOf(content) ?? texts.join("\n")
  return parseObject(plain) ?? { result: plain, success: is_error !== true }
}

function tellResult(collector: EventCollector, answer: JsonObject, call: string, told: RecordHeader): void {
  const { result, error, success, content } = answer
  const parts = objectsOf(content).flatMap(({ text }) => textOf(text) ?? [])
  const text =
    textOf(result) ?? textOf(error) ?? (parts.join("\n") || (result === undefined ? "" : JSON.stringify(result)))
  const exit = /^\[Command exited with code (\d{1,9})\]\s{0,9}/.exec(text)
  collector.answer({
    ...told,
    call,
    text: exit === null ? text : text.slice(exit[0].length),
    isError: success === false || textOf(error) !== undefined,
    exitCode: exit === null ? undefined : Number(exit[1]),
  })
}

/** Cline, on the command line (sessions) and in editors (tasks). Both are documents that it rewrites. */
export const cline: Client = {
  id: "cline",
  name: "Cline",
  maturity: "experimental",
  find(machine) {
    const data = machine.environment.CLINE_DATA_DIR || join(machine.home, ".cline", "data")
    const sessions = listFolder(join(data, "sessions")).flatMap((id) =>
      named(join(data, "sessions", id), `${id}.messages.json`),
    )
    const tasks = [join(data, "tasks"), ...editorTasks(machine)].flatMap((folder) =>
      listFolder(folder).flatMap((id) => named(join(folder, id), taskFile)),
    )
    return oldestFirst([...tasks, ...sessions]).map((path) => ({ client: "cline", path }))
  },
  recognises(path, beginning) {
    if (path.endsWith(taskFile)) return /^\s{0,20}\[\s{0,20}\{[\s\S]{0,2000}"role"/.test(beginning)
    return path.endsWith(".messages.json") && /"(?:sessionId|messages)"/.test(beginning)
  },
  read({ path }, from) {
    return path.endsWith(taskFile) ? readClineTask(path, from) : readClineSession(path, from)
  },
}

const taskFile = "api_conversation_history.json"

function editorTasks(machine: Machine): string[] {
  const editors = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"]
  const remote = join(machine.home, ".vscode-server", "data", "User")
  return [...editorFolders(machine, editors), remote].map((folder) =>
    join(folder, "globalStorage", "saoudrizwan.claude-dev", "tasks"),
  )
}

function named(folder: string, name: string): string[] {
  return listFolder(folder).includes(name) ? [join(folder, name)] : []
}
