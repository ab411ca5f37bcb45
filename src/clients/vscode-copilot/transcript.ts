import { basename, dirname, join } from "node:path"
import { parseJson } from "../../disk/json.ts"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import type { Position } from "../../formats/client-events.ts"
import type { Client, Machine } from "../client.ts"
import { isoTime, type JsonObject, numberOf, objectOf, objectsOf, parseObject, textOf } from "../json-value.ts"
import { editorFolders, findFiles, listFolder, oldestFirst, workspaceFolder } from "../transcripts/client-files.ts"
import {
  collectEvents,
  countUnknown,
  type EventCollector,
  type RecordHeader,
  type TranscriptReading,
} from "../transcripts/event-collector.ts"
import { readWhole } from "../transcripts/whole-files.ts"

/** A chat session: requests, each with the parts of its response. */
function readVscodeChat(path: string, name: string, from: Position | undefined) {
  return readWhole([path], from, () => {
    const { text, bytes } = readTextFile(path)
    const { document, unknown } = path.endsWith(".jsonl")
      ? replayLog(text)
      : { document: objectOf(parseJson(text, path)) ?? {}, unknown: {} }
    const cwd = workspaceFolder(dirname(dirname(path)))
    return { account: readRequests(textOf(document.sessionId) ?? name, document, cwd, unknown), bytes }
  })
}

function readRequests(
  session: string,
  document: JsonObject,
  cwd: string | undefined,
  unknown: Record<string, number>,
): TranscriptReading {
  const collector = collectEvents("vscode-copilot", session)
  const requests = objectsOf(document.requests)
  for (const [index, request] of requests.entries()) {
    const told = { id: `${session}:${textOf(request.requestId) ?? index}`, ts: isoTime(request.timestamp), cwd }
    collector.say({ ...told, role: "user", text: textOf(objectOf(request.message)?.text) ?? "" })
    if (index < requests.length - 1 || isFinished(request)) tellResponse(collector, request, told, unknown)
  }
  return { events: collector.take(), records: requests.length, unknown }
}

/** State 0 is waiting, 4 is asking the user; all others are final. */
function isFinished({ result, isCanceled, modelState }: JsonObject): boolean {
  const state = numberOf(objectOf(modelState)?.value)
  return objectOf(result) !== undefined || isCanceled === true || state === 1 || state === 2 || state === 3
}

function tellResponse(
  collector: EventCollector,
  request: JsonObject,
  told: RecordHeader,
  unknown: Record<string, number>,
): void {
  const parts = objectsOf(request.response)
  const tools = parts.filter(({ kind }) => kind === "toolInvocationSerialized")
  let words = ""
  const tellWords = (index: number) => {
    collector.say({ ...told, id: `${told.id}:${index}:words`, role: "assistant", text: words })
    words = ""
  }
  for (const [index, part] of parts.entries()) {
    if (isWords(part)) words += wordsOf(part)
    else if (part.kind === "toolInvocationSerialized") {
      tellWords(index)
      addVscodeTool(collector, part, tools.indexOf(part), request, { ...told, id: `${told.id}:${index}` })
    } else if (!idleParts.has(String(part.kind))) countUnknown(unknown, `response/${String(part.kind)}`)
  }
  tellWords(parts.length)
  if (request.isCanceled === true) collector.interrupt({ ...told, id: `${told.id}:canceled` })
}

function isWords({ kind }: JsonObject): boolean {
  return kind === undefined || kind === "markdownContent" || kind === "markdownVuln" || kind === "inlineReference"
}

/** A file or symbol mentioned in the text is a separate part. */
function wordsOf({ kind, value, content, name, inlineReference }: JsonObject): string {
  if (kind !== "inlineReference") return textOf(value) ?? textOf(objectOf(content ?? value)?.value) ?? ""
  const reference = objectOf(inlineReference) ?? {}
  const path =
    textOf(reference.fsPath) ?? textOf(reference.path) ?? textOf(objectOf(objectOf(reference.location)?.uri)?.path)
  const label = textOf(name) ?? textOf(reference.name) ?? path?.split(/[\\/]/).at(-1)
  return label === undefined ? "" : `\`${label}\``
}

const idleParts = new Set(
  `thinking progressMessage progressTask progressTaskSerialized prepareToolInvocation textEditGroup notebookEditGroup codeblockUri
  undoStop confirmation warning command mcpServersStarting elicitation elicitationSerialized multiDiffData pullRequest treeData
  extensions references clearToPreviousToolInvocation workspaceEdit codeCitation usedContext contentReference`.split(
    /\s+/,
  ),
)

/** Copilot Chat in VS Code: each session is a document, or a log of the changes to it. */
export const vscodeCopilot: Client = {
  id: "vscode-copilot",
  name: "VS Code Copilot Chat",
  maturity: "experimental",
  find(machine) {
    const paths = sessionFolders(machine).flatMap((folder) => findFiles(folder, 1, (name) => /\.jsonl?$/.test(name)))
    const logged = new Set(paths.filter((path) => path.endsWith(".jsonl")))
    // A session that was converted to a log leaves its document behind.
    return oldestFirst(paths.filter((path) => !logged.has(`${path}l`))).map((path) => ({
      client: "vscode-copilot",
      path,
    }))
  },
  recognises(path, beginning) {
    if (path.endsWith(".jsonl")) return /^\{"kind":0,"v":\{[\s\S]{0,60000}"requests"/.test(beginning)
    return (
      path.endsWith(".json") &&
      /"(?:requesterUsername|responderUsername)"/.test(beginning) &&
      /"requests"/.test(beginning)
    )
  },
  read: ({ path }, from) => readVscodeChat(path, basename(path).replace(/\.jsonl?$/, ""), from),
}

function sessionFolders(machine: Machine): string[] {
  return editorFolders(machine, ["Code", "Code - Insiders", "VSCodium"]).flatMap((folder) => [
    join(folder, "globalStorage", "emptyWindowChatSessions"),
    ...listFolder(join(folder, "workspaceStorage")).map((name) =>
      join(folder, "workspaceStorage", name, "chatSessions"),
    ),
  ])
}

/**
 * One tool call. The shown part has the command and its outcome; input and output are in the request's result, under
 * the model's id for the call. The shown part may have the same id; otherwise they are matched by order.
 */
function addVscodeTool(
  collector: EventCollector,
  part: JsonObject,
  index: number,
  request: JsonObject,
  told: RecordHeader,
): void {
  const metadata = objectOf(objectOf(request.result)?.metadata) ?? {}
  const made = objectsOf(metadata.toolCallRounds).flatMap((round) => objectsOf(round.toolCalls))
  const shownId = textOf(part.toolCallId)?.split("__vscode")[0]
  const model = made.find(({ id }) => textOf(id)?.split("__vscode")[0] === shownId) ?? made[index]
  const terminal = terminalOf(part)
  const call = shownId ?? told.id
  const tool = textOf(part.toolId) ?? textOf(model?.name) ?? "unknown"
  const server = textOf(objectOf(part.source)?.label) ?? textOf(objectOf(part.source)?.serverLabel)
  const input = {
    ...parseObject(model?.arguments),
    ...(terminal.command === undefined ? {} : { command: terminal.command }),
  }
  collector.call({ ...told, id: `${told.id}:call`, call, tool, server, input })

  const output = textOf(terminal.output) ?? outputOf(objectOf(metadata.toolCallResults)?.[textOf(model?.id) ?? ""])
  const isRefused = wasRefused(part.isConfirmed)
  if (output === undefined && terminal.exitCode === undefined && !isRefused) return // the outcome is unknown
  collector.answer({
    ...told,
    id: `${told.id}:result`,
    call,
    text: output ?? "",
    exitCode: terminal.exitCode ?? exitCodeIn(output ?? ""),
    isError: /^(?:ERROR|Error):? /.test(output ?? ""),
    incident: isRefused ? "refused" : undefined,
  })
}

function terminalOf({ toolSpecificData }: JsonObject) {
  const data = objectOf(toolSpecificData) ?? {}
  const line = objectOf(data.commandLine) ?? {}
  return {
    command: textOf(line.userEdited) ?? textOf(line.toolEdited) ?? textOf(line.original) ?? textOf(data.command),
    output: objectOf(data.terminalCommandOutput)?.text,
    exitCode: numberOf(objectOf(data.terminalCommandState)?.exitCode),
  }
}

/** False or a kind: 0 was denied, 5 skipped; the others permitted it. */
function wasRefused(isConfirmed: unknown): boolean {
  const kind = objectOf(isConfirmed)?.type
  return isConfirmed === false || kind === 0 || kind === 5
}

function outputOf(result: unknown): string | undefined {
  const texts = objectsOf(objectOf(result)?.content).flatMap(({ value }) => textOf(value) ?? [])
  return texts.length === 0 ? undefined : texts.join("\n")
}

function exitCodeIn(output: string): number | undefined {
  const code = /^Command exited with code (\d{1,9})\b/m.exec(output)?.[1]
  return code === undefined ? undefined : Number(code)
}

/**
 * Builds a document from the log of its changes: each line sets a value (0: the whole, 1: at a path), appends to a list
 * (2, from `i` on), or deletes (3). An unfinished last line is ignored. Invalid changes are counted.
 */
function replayLog(text: string): { document: JsonObject; lines: number; unknown: Record<string, number> } {
  const lines = text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line.trim() !== "")
  const unknown: Record<string, number> = {}
  let document: JsonObject | undefined
  for (const line of lines) {
    const change = parseObject(line)
    const kind = change === undefined ? "unreadable" : `change/${String(change.kind)}`
    if (change?.kind === 0 && objectOf(change.v) !== undefined) document = objectOf(change.v)
    else if (!(change && document && applyChange(document, change))) countUnknown(unknown, kind)
  }
  if (document === undefined) throw new DreyError("the log does not begin with a document")
  return { document, lines: lines.length, unknown }
}

/** False for a change that does not apply. */
function applyChange(document: JsonObject, { kind, k, v, i }: JsonObject): boolean {
  if (!Array.isArray(k) || k.length === 0) return false
  const place = k.slice(0, -1).reduce(step, document)
  const key = k.at(-1)
  if (kind === 1) return setAt(place, key, v)
  if (kind === 2) {
    const list = step(place, key)
    if (!Array.isArray(v)) return false
    if (!Array.isArray(list)) return list === undefined && setAt(place, key, v)
    if (typeof i === "number" && i >= 0 && i < list.length) list.length = Math.floor(i)
    list.push(...v)
    return true
  }
  if (kind !== 3) return false
  const object = objectOf(place)
  if (object !== undefined) delete object[String(key)]
  return object !== undefined
}

/** Own properties only: a path never leads into a prototype. */
function step(place: unknown, key: unknown): unknown {
  if (Array.isArray(place)) return typeof key === "number" ? place[key] : undefined
  const object = objectOf(place)
  return object !== undefined && Object.hasOwn(object, String(key)) ? object[String(key)] : undefined
}

function setAt(place: unknown, key: unknown, value: unknown): boolean {
  if (Array.isArray(place)) {
    const isInside = typeof key === "number" && Number.isInteger(key) && key >= 0 && key <= place.length
    if (isInside) place[key] = value
    return isInside
  }
  const object = objectOf(place)
  if (object !== undefined) object[String(key)] = value
  return object !== undefined
}
