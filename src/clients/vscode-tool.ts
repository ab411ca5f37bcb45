import type { EventCollector, Told } from "./collect-events.ts"
import { type JsonObject, numberOf, objectOf, objectsOf, parseObject, textOf } from "./json-value.ts"

/**
 * One tool call. The shown part has the command and its outcome; input and output are in the request's result, under
 * the model's id for the call. The shown part may have the same id; otherwise they are matched by order.
 */
export function tellVscodeTool(
  collector: EventCollector,
  part: JsonObject,
  index: number,
  request: JsonObject,
  told: Told,
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
