import { hash } from "node:crypto"
import { basename, dirname, join } from "node:path"
import { parseJson } from "../../disk/json.ts"
import type { Database } from "../../disk/sqlite.ts"
import { readTextFile } from "../../disk/text-files.ts"
import type { Position, SubAgent } from "../../formats/client-events.ts"
import type { Client, Transcript } from "../client.ts"
import { isoTime, type JsonObject, numberOf, objectOf, objectsOf, parseObject, textOf } from "../json-value.ts"
import { type DatabaseFormat, readDatabase, readForeignDatabaseIfPossible } from "../transcripts/client-databases.ts"
import { findFiles, listFolder, readJsonFile } from "../transcripts/client-files.ts"
import {
  collectEvents,
  countUnknown,
  type EventCollector,
  type RecordHeader,
  type TranscriptReading,
} from "../transcripts/event-collector.ts"
import { readWhole } from "../transcripts/whole-files.ts"

/** `parent`: the session whose agent started this one, a sub-agent's. */
export type OpencodeSession = { id: string; directory: string | undefined; parent?: string | undefined }
/** Parts are loaded on demand: a session may contain more output than fits in memory. */
type OpencodeMessage = { info: JsonObject; parts(): JsonObject[] }

/** Reads a session up to the first part that is still being written. */
export function readOpencodeSession(session: OpencodeSession, messages: OpencodeMessage[]): TranscriptReading {
  const collector = collectEvents("opencode", session.id)
  const account: TranscriptReading = { events: [], records: 0, unknown: {} }
  const agent = session.parent === undefined ? undefined : { parent: session.parent, ...nameIn(messages) }
  for (const [index, { info, parts: lookUp }] of messages.entries()) {
    const parts = lookUp()
    account.records += 1 + parts.length
    const isOver = index < messages.length - 1 || isFinished(info)
    for (const kind of tellMessage(collector, { ...session, agent }, info, isOver ? parts : finishedParts(parts)))
      countUnknown(account.unknown, kind)
  }
  return { ...account, events: collector.take() }
}

/** A sub-agent's name is in each message, as that of the agent or, in earlier versions, of the mode. */
function nameIn(messages: readonly OpencodeMessage[]): { name?: string } {
  const names = messages.flatMap(({ info }) => textOf(info.agent) ?? textOf(info.mode) ?? [])
  return names[0] === undefined ? {} : { name: names[0] }
}

function isFinished({ role, time, error }: JsonObject): boolean {
  return role !== "assistant" || objectOf(time)?.completed !== undefined || error !== undefined
}

/** Returns the unknown kinds. */
function tellMessage(
  collector: EventCollector,
  session: OpencodeSession & { agent: SubAgent | undefined },
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
      agent: session.agent,
    }
    if (part.type === "text") tellText(collector, part, role, told)
    else if (part.type === "tool") tellTool(collector, part, told)
    else if (part.type === "compaction") collector.mark({ ...told, mark: "compacted" })
    else return [`part/${String(part.type)}`]
    return []
  })
  if (objectOf(error)?.name === "MessageAbortedError")
    collector.interrupt({ id: idOf("aborted"), ts: isoTime(created), cwd: session.directory, agent: session.agent })
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

function tellText(collector: EventCollector, part: JsonObject, role: "user" | "assistant", told: RecordHeader): void {
  const text = textOf(part.text) ?? ""
  if (part.synthetic === true || part.ignored === true) collector.overhear(text)
  else if (told.agent !== undefined)
    collector.say({ ...told, role: "assistant", text }) // its task is its parent's text
  else collector.say({ ...told, role, text: role === "user" ? unquote(text) : text })
}

/**
 * `opencode run` stores a prompt of several words in quotes. Over several lines they stay: nobody types that on a command
 * line, so another program passed it, and what it demands is not the user's wish.
 */
function unquote(text: string): string {
  const inner = /^\s{0,20}"(.+)"\s{0,20}$/.exec(text)?.[1]
  const isQuoted = inner !== undefined && !inner.replaceAll('\\"', "").includes('"')
  return isQuoted ? inner.replaceAll('\\"', '"') : text
}

function tellTool(collector: EventCollector, part: JsonObject, told: RecordHeader): void {
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

type OpenCodeSessionRow = { id: string; parent: string | null; directory: string | null; worktree: string | null }

/**
 * OpenCode's sessions, messages and their parts. The database also has accounts and credentials, which are never read.
 */
const opencodeDatabase: DatabaseFormat<OpenCodeSessionRow> = {
  columns: {
    session: ["id", "project_id", "parent_id", "directory", "time_created"],
    message: ["id", "session_id", "time_created", "time_updated", "data"],
    part: ["id", "message_id", "session_id", "time_updated", "data"],
    project: ["id", "worktree"],
  },
  sessions(database, named) {
    if (named === undefined) return listSessions(database)
    return database.prepare<OpenCodeSessionRow>(`${sessionRows} WHERE session.id = ?`).all(named)
  },
  stampOf(database, { id }) {
    const counted = [countMessages, countParts].map((sql) => database.prepare<Counted>(sql).get(id))
    return counted.map((each) => `${each?.rows}.${each?.latest}`).join(".")
  },
  read(database, { id, parent, directory, worktree }, note) {
    const session = { id, parent: parent ?? undefined, directory: directory || worktree || undefined }
    return readOpencodeSession(session, listMessages(database, id, note))
  },
}

/** Sessions of sub-agents have a parent. */
const sessionRows = `SELECT session.id, session.parent_id AS parent, session.directory, project.worktree
  FROM session LEFT JOIN project ON project.id = session.project_id`

type Counted = { rows: number; latest: number | null }
const countMessages = "SELECT count(*) AS rows, max(time_updated) AS latest FROM message WHERE session_id = ?"
const countParts = "SELECT count(*) AS rows, max(time_updated) AS latest FROM part WHERE session_id = ?"

/** The ids of a database's sessions, oldest first; empty if it cannot be read. */
export function listOpencodeSessions(path: string): string[] {
  return (readForeignDatabaseIfPossible(path, opencodeDatabase.columns, listSessions) ?? []).map(({ id }) => id)
}

function listSessions(database: Database): OpenCodeSessionRow[] {
  return database.prepare<OpenCodeSessionRow>(`${sessionRows} ORDER BY session.time_created, session.id`).all()
}

function listMessages(database: Database, session: string, note: (bytes: number) => void): OpencodeMessage[] {
  const parts = database.prepare<{ data: unknown }>("SELECT data FROM part WHERE message_id = ? ORDER BY id")
  const parse = ({ data }: { data: unknown }) => {
    note(typeof data === "string" ? data.length : 0)
    return parseObject(data) ?? {}
  }
  return database
    .prepare<{ id: string; data: unknown }>(
      "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id",
    )
    .all(session)
    .map((row) => ({ info: parse(row), parts: () => parts.all(row.id).map(parse) }))
}

/** OpenCode stores its sessions in a database; earlier versions used a tree of files. */
export const opencode: Client = {
  id: "opencode",
  name: "OpenCode",
  maturity: "proven",
  find({ home, environment }) {
    const root = join(environment.XDG_DATA_HOME || join(home, ".local", "share"), "opencode")
    const inDatabases = listFolder(root)
      .filter((name) => databaseName.test(name))
      .map((name) => join(root, name))
      .flatMap((path) =>
        listOpencodeSessions(path).map((session): Transcript => ({ client: "opencode", path, session })),
      )
    const known = new Set(inDatabases.map(({ session }) => session))
    const inFiles = findStoredSessions(join(root, "storage")).filter((path) => !known.has(basename(path, ".json")))
    return [...inFiles.map((path): Transcript => ({ client: "opencode", path })), ...inDatabases]
  },
  recognises(path, beginning) {
    if (beginning.startsWith("SQLite format 3\0")) return databaseName.test(basename(path))
    return sessionDocument.test(beginning)
  },
  read(transcript, from) {
    if (databaseName.test(basename(transcript.path))) return readDatabase(transcript, from, opencodeDatabase)
    return readOpencodeFile(transcript.path, from)
  },
}

/** Unreleased versions have their own database: `opencode-dev.db`. */
const databaseName = /^opencode(?:-[\w.-]{1,64})?\.db$/

/** A session's file, or what `opencode export` prints, under any name; its progress may have been written there too. */
const sessionDocument =
  /^(?:Exporting session: \w{1,80})?\s{0,20}\{(?:\s{0,20}"info"\s{0,20}:\s{0,20}\{)?[^{}]{0,2000}?"id"\s{0,20}:\s{0,20}"ses_/

/** Sessions that versions before the database stored as a tree of files, oldest first. */
function findStoredSessions(storage: string): string[] {
  return findFiles(join(storage, "session"), 2, (name) => name.endsWith(".json"))
}

/** A session of that tree, by its file, or a document written by `opencode export`. */
function readOpencodeFile(path: string, from: Position | undefined) {
  return readWhole([path, ...latestFiles(path)], from, () => {
    const { text, bytes } = readTextFile(path)
    const document = objectOf(parseJson(text.slice(Math.max(0, text.indexOf("{"))), path)) ?? {}
    const info = objectOf(document.info) ?? document
    const id = textOf(info.id)
    const messages = document.messages === undefined ? storedMessages(path) : exportedMessages(document)
    const session = { id: id ?? "", parent: textOf(info.parentID), directory: textOf(info.directory) }
    return { account: readOpencodeSession(session, id === undefined ? [] : messages), bytes }
  })
}

/** New content of a session goes into its last message, or after it. */
function latestFiles(path: string): string[] {
  const message = listFolder(messageFolder(path)).at(-1)
  if (message === undefined) return []
  const parts = join(storageOf(path), "part", basename(message, ".json"))
  return [join(messageFolder(path), message), ...listFolder(parts).map((name) => join(parts, name))]
}

function exportedMessages({ messages }: JsonObject): OpencodeMessage[] {
  return objectsOf(messages).map(({ info, parts }) => ({ info: objectOf(info) ?? {}, parts: () => objectsOf(parts) }))
}

function storedMessages(path: string): OpencodeMessage[] {
  return readFolder(messageFolder(path))
    .sort((a, b) => createdOf(a.content) - createdOf(b.content))
    .map(({ id, content }) => ({
      info: content,
      parts: () => readFolder(join(storageOf(path), "part", id)).map((part) => part.content),
    }))
}

/** In the order of their ids, which is the order of creation. */
function readFolder(folder: string): { id: string; content: JsonObject }[] {
  return listFolder(folder).map((name) => ({
    id: basename(name, ".json"),
    content: objectOf(readJsonFile(join(folder, name))) ?? {},
  }))
}

function createdOf(info: JsonObject): number {
  return numberOf(objectOf(info.time)?.created) ?? 0
}

/** A session's file is `storage/session/<project>/<session>.json`. */
function storageOf(path: string): string {
  return dirname(dirname(dirname(path)))
}

function messageFolder(path: string): string {
  return join(storageOf(path), "message", basename(path, ".json"))
}
