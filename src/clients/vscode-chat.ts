import { dirname } from "node:path"
import { parseJson } from "../disk/parse-json.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import { type Account, countUnknown } from "./account.ts"
import type { Position } from "./client.ts"
import { collectEvents, type EventCollector, type Told } from "./collect-events.ts"
import { isoTime, type JsonObject, numberOf, objectOf, objectsOf, textOf } from "./json-value.ts"
import { readWhole } from "./read-whole.ts"
import { replayLog } from "./replay-log.ts"
import { tellVscodeTool } from "./vscode-tool.ts"
import { workspaceFolder } from "./workspace-folder.ts"

/** A chat session: requests, each with the parts of its response. */
export function readVscodeChat(path: string, name: string, from: Position | undefined) {
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
): Account {
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
  told: Told,
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
      tellVscodeTool(collector, part, tools.indexOf(part), request, { ...told, id: `${told.id}:${index}` })
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
