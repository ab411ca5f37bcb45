import { type Account, countUnknown } from "./account.ts"
import { collectEvents, type EventCollector, type Told } from "./collect-events.ts"
import { cursorServer } from "./cursor-server.ts"
import { cursorWords } from "./cursor-words.ts"
import { isoTime, type JsonObject, numberOf, objectOf, parseObject, textOf } from "./json-value.ts"

/** A conversation of the editor; its bubbles are loaded on demand. */
export type CursorConversation = {
  id: string
  data: JsonObject
  cwd: string | undefined
  bubbles: (() => JsonObject)[]
}

export function readCursorConversation({ id, data, cwd, bubbles }: CursorConversation): Account {
  const collector = collectEvents("cursor", id)
  const account: Account = { events: [], records: bubbles.length, unknown: {} }
  if (objectOf(data.subagentInfo) !== undefined) return account
  const finished = data.status === "generating" ? bubbles.slice(0, -1) : bubbles // the last one is still being written
  for (const [index, lookUp] of finished.entries()) {
    const bubble = lookUp()
    const told = { id: `${id}:${textOf(bubble.bubbleId) ?? index}`, ts: timeOf(bubble), cwd }
    const tool = objectOf(bubble.toolFormerData)
    if (bubble.type === 1) tellTyped(collector, textOf(bubble.text) ?? "", told)
    else if (bubble.type === 2) {
      collector.say({ ...told, role: "assistant", text: textOf(bubble.text) ?? "" })
      if (tool !== undefined) tellTool(collector, tool, told)
    } else if (bubble.type !== undefined) countUnknown(account.unknown, `bubble/${String(bubble.type)}`)
  }
  return { ...account, events: collector.take() }
}

function tellTyped(collector: EventCollector, text: string, told: Told): void {
  const { words, isWrapped } = cursorWords(text)
  if (isWrapped) collector.overhear(text)
  collector.say({ ...told, role: "user", text: words })
}

/** Values counted from the editor's start are not times. */
function timeOf({ createdAt, timingInfo }: JsonObject): string {
  const timing = objectOf(timingInfo) ?? {}
  const times = [timing.clientRpcSendTime, timing.clientSettleTime, timing.clientEndTime, timing.clientStartTime]
  const real = times.flatMap((time) => numberOf(time) ?? []).find((time) => time > 946_684_800_000)
  return isoTime(createdAt) || isoTime(real && Math.floor(real))
}

function tellTool(collector: EventCollector, data: JsonObject, told: Told): void {
  const name = textOf(data.name)
  if (name === undefined) return
  const call = textOf(data.toolCallId) ?? told.id
  const input = { ...parseObject(data.rawArgs), ...parseObject(data.params) }
  collector.call({ ...told, id: `${told.id}:call`, call, tool: name, server: cursorServer(input), input })
  const status = String(data.status)
  if (!["completed", "success", "error", "cancelled", "rejected"].includes(status)) return // the outcome is unknown
  const result = parseObject(data.result) ?? {}
  const error = textOf(data.error) ?? textOf(objectOf(data.error)?.clientVisibleErrorMessage)
  collector.answer({
    ...told,
    id: `${told.id}:result`,
    call,
    text: textOf(result.output) ?? textOf(result.contents) ?? error ?? textOf(data.result) ?? "",
    isError: status === "error" || error !== undefined,
    exitCode: numberOf(result.exitCodeV2) ?? numberOf(result.exitCode),
    incident: incidentIn(data.userDecision === "rejected" || result.rejected === true || status === "rejected", status),
  })
}

function incidentIn(isRefused: boolean, status: string): "refused" | "interrupted" | undefined {
  if (isRefused) return "refused"
  return status === "cancelled" ? "interrupted" : undefined
}
