import { hash } from "node:crypto"
import { basename, dirname, join } from "node:path"
import { parseJson } from "../../disk/json.ts"
import { readTextFile } from "../../disk/text-files.ts"
import type { Position } from "../../formats/client-events.ts"

import { cutBlocks, textInTag } from "../injected-text.ts"
import { isoTime, type JsonObject, numberOf, objectOf, objectsOf, parseObject, textOf } from "../json-value.ts"
import { readJsonFile } from "../transcripts/client-files.ts"
import {
  collectEvents,
  countUnknown,
  type EventCollector,
  type RecordHeader,
  type TranscriptReading,
} from "../transcripts/event-collector.ts"
import { readWhole } from "../transcripts/whole-files.ts"

/**
 * A task of the extension: the messages sent to the model. Calls are in the model's text, in tags, or in their own
 * blocks; the user's text is between tags in messages written by the extension.
 */
export function readClineTask(path: string, from: Position | undefined) {
  return readWhole([path], from, () => {
    const { text, bytes } = readTextFile(path)
    const messages = objectsOf(parseJson(text, path))
    const shown = objectsOf(readJsonFile(join(dirname(path), "ui_messages.json")))
    return { account: readMessages(basename(dirname(path)), messages, shown), bytes }
  })
}

function readMessages(session: string, messages: JsonObject[], shown: JsonObject[]): TranscriptReading {
  const collector = collectEvents("cline", session)
  const confirmed = feedbackIn(shown)
  const account: TranscriptReading = { events: [], records: messages.length, unknown: {} }
  let cwd: string | undefined
  let call: string | undefined
  for (const [index, { role, content, ts }] of messages.entries()) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content)
    const time = isoTime(ts ?? shownAt(shown, role === "assistant" ? index - 1 : index))
    cwd = blocks.flatMap(({ text }) => folderIn(textOf(text) ?? "") ?? [])[0] ?? cwd
    const toldBlocks = blocks.map((block, at) => {
      // Restoring a checkpoint puts other messages at the same indexes.
      const said = hash("sha256", JSON.stringify(block)).slice(0, 12)
      return { block, told: { id: `${session}:${index}:${at}:${said}`, ts: time, cwd } }
    })
    if (role === "assistant") call = tellAssistant(collector, toldBlocks)
    else if (role === "user") tellUser(collector, toldBlocks, call, confirmed)
    else countUnknown(account.unknown, `message/${String(role)}`)
  }
  return { ...account, events: collector.take() }
}

/** The user's feedback on calls, from the extension's own list; undefined if there is no list. */
type Confirmed = ReadonlySet<string> | undefined

function feedbackIn(shown: JsonObject[]): Confirmed {
  if (shown.length === 0) return undefined
  const said = shown.filter((each) => each.say === "user_feedback" || each.say === "user_feedback_diff")
  return new Set(said.flatMap(({ text }) => textOf(text)?.trim() ?? []))
}

type TimedBlock = { block: JsonObject; told: RecordHeader }

/** The extension's own list has the time at which each message was shown. */
function shownAt(shown: JsonObject[], index: number): unknown {
  return shown.find((each) => (numberOf(each.conversationHistoryIndex) ?? -1) >= index)?.ts
}

function folderIn(text: string): string | undefined {
  return /^# Current (?:Working|Workspace) Directory \((.{1,400}?)\) Files/m.exec(text)?.[1]
}

/** Returns the call that the next message answers. */
function tellAssistant(collector: EventCollector, blocks: TimedBlock[]): string | undefined {
  let answered: string | undefined
  const tellCall = (call: ClineCall, id: string, told: RecordHeader) => {
    const spoken = userTextIn(call)
    if (spoken === undefined) collector.call({ ...told, ...unwrapCall(call), id: `${told.id}:call`, call: id })
    else collector.say({ ...told, id: `${told.id}:spoken`, role: "assistant", text: spoken })
    answered = spoken === undefined ? id : undefined
  }
  for (const { block, told } of blocks) {
    if (block.type === "tool_use")
      tellCall(
        { tool: textOf(block.name) ?? "unknown", input: objectOf(block.input) ?? {} },
        textOf(block.id) ?? told.id,
        told,
      )
    if (block.type !== "text") continue
    const { words, call } = clineCallIn(textOf(block.text) ?? "")
    collector.say({ ...told, role: "assistant", text: words })
    if (call !== undefined) tellCall(call, told.id, told)
  }
  return answered
}

/** A result is below its heading, or in the next block. */
function tellUser(
  collector: EventCollector,
  blocks: TimedBlock[],
  call: string | undefined,
  confirmed: Confirmed,
): void {
  let isHeaded = false
  for (const { block, told } of blocks) {
    if (block.type === "tool_result")
      tellResult(collector, outputOf(block.content), textOf(block.tool_use_id) ?? call, told, confirmed)
    if (block.type !== "text") continue
    const text = textOf(block.text) ?? ""
    const heading = resultHeading.exec(text)?.[0]
    const result: string = heading === undefined ? (isHeaded ? text : "") : text.slice(heading.length).trim()
    isHeaded = heading !== undefined && result === ""
    if (result !== "") tellResult(collector, result, call, told, confirmed)
    else if (isTyped.test(text)) tellTyped(collector, text, told)
    else collector.overhear(text)
  }
}

function outputOf(content: unknown): string {
  return (
    textOf(content) ??
    objectsOf(content)
      .flatMap(({ text }) => textOf(text) ?? [])
      .join("\n")
  )
}

const resultHeading = /^\[\w{1,40}(?: for '[\s\S]{0,4000}?')?\] Result:/

/** Messages in which the extension wraps the user's text; such a tag inside a file or an output does not count. */
const isTyped =
  /^(?:<task>|<answer>|\[TASK RESUMPTION\]|New (?:instructions|message) |The user (?:denied this operation and |has )?provided |You seem to be having trouble)/

function tellTyped(collector: EventCollector, text: string, told: RecordHeader): void {
  const typed = ["task", "answer", "user_message", "feedback"].flatMap((tag) => textInTag(text, tag) ?? [])
  collector.say({ ...told, id: `${told.id}:typed`, role: "user", text: typed[0] ?? "" })
}

/**
 * The user may comment while refusing or permitting a call. A file, a page, a command or a server may contain the same
 * text: without confirmation in the extension's own list, it counts only for tools that print no foreign text.
 */
function tellResult(
  collector: EventCollector,
  text: string,
  call: string | undefined,
  told: RecordHeader,
  confirmed: Confirmed,
): void {
  const tool = call === undefined ? undefined : collector.toolOf(call)
  const isExtensions = call === undefined || (tool !== undefined && extensionsTools.has(tool))
  const isRefused = isExtensions && text.startsWith("The user denied this operation")
  const exit = /^(?:\[Command exited with code|Exit code:) (\d{1,9})\]?/im.exec(text.slice(0, 500))?.[1]
  const feedback = text.indexOf("\n<feedback>\n")
  if (call !== undefined)
    collector.answer({
      ...told,
      id: `${told.id}:result`,
      call,
      text: feedback < 0 ? text : text.slice(0, feedback),
      isError: text.startsWith("The tool execution failed") || text.startsWith("[ERROR]"),
      exitCode: exit === undefined ? undefined : Number(exit),
      incident: isRefused ? "refused" : undefined,
    })
  const words = feedback < 0 ? undefined : textInTag(text.slice(text.lastIndexOf("\n<feedback>\n")), "feedback")
  if (words !== undefined && (confirmed?.has(words) ?? (isExtensions && isTyped.test(text))))
    collector.say({ ...told, id: `${told.id}:typed`, role: "user", text: words })
  else if (words === undefined && isExtensions && isTyped.test(text)) tellTyped(collector, text, told)
}

/** An answer to a question has no call; a command's output has a header that no command prints. */
const extensionsTools = new Set(
  "execute_command replace_in_file write_to_file apply_patch editor new_rule plan_mode_respond ask_followup_question attempt_completion condense new_task".split(
    " ",
  ),
)

type ClineCall = { tool: string; server?: string | undefined; input: JsonObject }

/**
 * Splits the model's output into its text and the one call that may follow: a tag for the tool and one for each value.
 */
function clineCallIn(text: string): { words: string; call?: ClineCall } {
  const said = cutBlocks(text, { open: "<thinking>", close: "</thinking>" })
  const tool = callingTag.exec(said)?.[1]
  if (tool === undefined) return { words: said }
  const start = said.indexOf(`<${tool}>`)
  const body = said.slice(start)
  const values = valueTags.map((name) => [name, textInTag(body, name)] as const)
  const input = Object.fromEntries(values.filter(([, value]) => value !== undefined))
  return { words: said.slice(0, start), call: { tool, input } }
}

/** At the start of a line, so that a tag mentioned in prose does not count. */
const callingTag =
  /^<(execute_command|read_file|write_to_file|replace_in_file|apply_diff|insert_content|search_files|list_files|list_code_definition_names|browser_action|web_fetch|use_mcp_tool|access_mcp_resource|ask_followup_question|attempt_completion|plan_mode_respond|new_task|condense)>/m

const valueTags = "command path regex url question result response server_name tool_name arguments".split(" ")

/** The text of a call whose only purpose is a message to the user. */
function userTextIn({ tool, input }: ClineCall): string | undefined {
  const place = spokenIn.get(tool)
  return place && (textOf(input[place]) ?? "")
}

const spokenIn = new Map([
  ["ask_followup_question", "question"],
  ["attempt_completion", "result"],
  ["plan_mode_respond", "response"],
])

/** The call of an MCP tool, which the extension wraps in one of its own tools. */
function unwrapCall(call: ClineCall): ClineCall {
  if (call.tool !== "use_mcp_tool") return call
  const { tool_name, server_name, arguments: values } = call.input
  return { tool: textOf(tool_name) ?? call.tool, server: textOf(server_name), input: parseObject(values) ?? {} }
}
