import { dirname, join } from "node:path"
import type { Database } from "../../disk/sqlite.ts"
import { isoTime, type JsonObject, numberOf, objectOf, objectsOf, parseObject, textOf, textsOf } from "../json-value.ts"
import { type DatabaseFormat, readForeignDatabaseIfPossible } from "../transcripts/client-databases.ts"
import { listFolder, workspaceFolder } from "../transcripts/client-files.ts"
import {
  collectEvents,
  countUnknown,
  type EventCollector,
  type RecordHeader,
  type TranscriptReading,
} from "../transcripts/event-collector.ts"
import { fileStamp } from "../transcripts/whole-files.ts"
import { cursorServer, cursorUserText } from "./transcript.ts"

const columns = { cursorDiskKV: ["key", "value"] }

/** Cursor's conversations: a row for each, and one for each of its bubbles, among other rows. */
export function cursorDatabase(path: string): DatabaseFormat<string> {
  return {
    columns,
    sessions: (database, named) => (named === undefined ? conversationsIn(database) : [named]),
    stampOf(database, id) {
      const rows = database.prepare<{ rows: number; size: number | null }>(
        "SELECT count(*) AS rows, sum(length(value)) AS size FROM cursorDiskKV WHERE key >= ? AND key < ?",
      )
      const [own, bubbles] = [
        rows.get(`composerData:${id}`, `composerData:${id}\u0001`),
        rows.get(`bubbleId:${id}:`, `bubbleId:${id};`),
      ]
      return [own?.size, bubbles?.rows, bubbles?.size].join(".")
    },
    read(database, id, note) {
      const rows = database.prepare<{ value: unknown }>("SELECT value FROM cursorDiskKV WHERE key = ?")
      const look = (key: string) => {
        const value = rows.get(key)?.value
        note(typeof value === "string" || value instanceof Uint8Array ? value.length : 0)
        return parseValue(value) ?? {}
      }
      const data = look(`composerData:${id}`)
      return readCursorConversation({
        id,
        data,
        cwd: folderOf(data) ?? cursorWorkspace(dirname(dirname(path)), id),
        bubbles: objectsOf(data.fullConversationHeadersOnly).map(({ bubbleId }) => () => ({
          bubbleId,
          ...look(`bubbleId:${id}:${String(bubbleId)}`),
        })),
      })
    },
  }
}

/** The ids of a database's conversations; empty if it cannot be read. Only keys are read: a watcher asks often. */
export function listCursorConversations(path: string): string[] {
  return readForeignDatabaseIfPossible(path, columns, conversationsIn) ?? []
}

function conversationsIn(database: Database): string[] {
  return database
    .prepare<{ id: string }>(
      `SELECT substr(key, 14) AS id FROM cursorDiskKV AS conversation
       WHERE key > 'composerData:' AND key < 'composerData;' AND EXISTS (
         SELECT 1 FROM cursorDiskKV AS bubble
         WHERE bubble.key > 'bubbleId:' || substr(conversation.key, 14) || ':'
           AND bubble.key < 'bubbleId:' || substr(conversation.key, 14) || ';')
       ORDER BY rowid`,
    )
    .all()
    .map(({ id }) => id)
}

function folderOf({ workspaceIdentifier }: JsonObject): string | undefined {
  return textOf(objectOf(objectOf(workspaceIdentifier)?.uri)?.fsPath)
}

/** A conversation of the editor; its bubbles are loaded on demand. */
export type CursorConversation = {
  id: string
  data: JsonObject
  cwd: string | undefined
  bubbles: (() => JsonObject)[]
}

export function readCursorConversation({ id, data, cwd, bubbles }: CursorConversation): TranscriptReading {
  const collector = collectEvents("cursor", id)
  const account: TranscriptReading = { events: [], records: bubbles.length, unknown: {} }
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

function tellTyped(collector: EventCollector, text: string, told: RecordHeader): void {
  const { words, isWrapped } = cursorUserText(text)
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

function tellTool(collector: EventCollector, data: JsonObject, told: RecordHeader): void {
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

/** The folder of a conversation that does not name it: each workspace of the editor lists its conversations. */
function cursorWorkspace(userFolder: string, conversation: string): string | undefined {
  const storage = join(userFolder, "workspaceStorage")
  const workspace = listFolder(storage)
    .map((name) => join(storage, name))
    .find((path) => conversationsOf(join(path, "state.vscdb")).has(conversation))
  return workspace && workspaceFolder(workspace)
}

/** Cached per workspace until its file changes: hundreds of conversations query every workspace. */
const answers = new Map<string, { look: string; conversations: Set<string> }>()

function conversationsOf(path: string): Set<string> {
  const look = fileStamp(path) + fileStamp(`${path}-wal`)
  const known = answers.get(path)
  if (known?.look === look) return known.conversations
  const conversations = new Set(look === "" ? [] : listConversations(path))
  answers.set(path, { look, conversations })
  return conversations
}

/** Conversations of a workspace with an unreadable database have no folder. */
function listConversations(path: string): string[] {
  const row = readForeignDatabaseIfPossible(path, { ItemTable: ["key", "value"] }, (database) =>
    database.prepare<{ value: unknown }>("SELECT value FROM ItemTable WHERE key = 'composer.composerData'").get(),
  )
  const data = parseValue(row?.value)
  const listed = objectsOf(data?.allComposers).flatMap(({ composerId }) => textOf(composerId) ?? [])
  return [...listed, ...textsOf(data?.selectedComposerIds)]
}

/** A value of an editor's database: JSON, stored as text or as bytes. */
function parseValue(value: unknown): JsonObject | undefined {
  return parseObject(value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : value)
}
