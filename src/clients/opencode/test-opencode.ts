import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Database, openDatabase } from "../../disk/sqlite.ts"
import { story } from "../transcripts/client-contract.ts"
import { contextText, writeTo } from "../transcripts/test-reading.ts"

export type Part = Record<string, unknown>
export type Message = { id: string; info: Record<string, unknown>; parts: Part[] }

export const began = Date.UTC(2026, 2, 2, 9)

export const said = (id: string, minute: number, ...parts: Part[]): Message => ({
  id,
  info: { role: "user", time: { created: began + minute * 60_000 }, agent: "build" },
  parts,
})
export const answered = (id: string, minute: number, ...parts: Part[]): Message => ({
  id,
  info: {
    role: "assistant",
    time: { created: began + minute * 60_000, completed: began + minute * 60_000 + 5000 },
    path: { cwd: "/work/dates", root: "/work/dates" },
  },
  parts: [{ type: "step-start" }, ...parts, { type: "step-finish", reason: "stop" }],
})
export const words = (text: string): Part => ({ type: "text", text, time: { start: began, end: began + 1 } })
export const tool = (name: string, call: string, state: Part): Part => ({
  type: "tool",
  tool: name,
  callID: call,
  state,
})
const done = (input: Part, output: string, metadata: Part = {}): Part => ({
  status: "completed",
  input,
  output,
  metadata,
  time: { start: began, end: began + 1000 },
})

export const sessionStory: Message[] = [
  said(
    "msg_1",
    0,
    { type: "text", text: `"${story.said[0]}"` },
    { type: "text", synthetic: true, text: `Called a tool: ${story.canary}\n${contextText}` },
  ),
  answered(
    "msg_2",
    1,
    { type: "reasoning", text: story.canary },
    words("I run the tests."),
    tool("bash", "call_1", done({ command: story.command }, "Tests: 1 failed", { exit: 1 })),
    tool("drey_get_task_context", "call_2", done({ task: "dates" }, story.canary)),
    tool(
      "edit",
      "call_3",
      done({ filePath: `/work/dates/${story.file}`, oldString: "a" }, "Edit applied successfully."),
    ),
  ),
  said("msg_3", 2, { type: "text", text: `${story.said[1]} <private>${story.canary}</private>` }),
  answered(
    "msg_4",
    3,
    tool("bash", "call_4", done({ command: story.command }, "Tests: 9 passed", { exit: 0 })),
    words(`Done. [${story.cite}] helped.`),
  ),
]

export function databasePath(home: string): string {
  return join(home, ".local", "share", "opencode", "opencode.db")
}

export function makeDatabase(home: string, sessions: Record<string, Message[]>): Database {
  mkdirSync(dirname(databasePath(home)), { recursive: true })
  const database = openDatabase(databasePath(home))
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT NOT NULL);
    CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE session_share (session_id TEXT, secret TEXT);
    INSERT INTO project VALUES ('p_1', '/work/dates')`)
  for (const [index, [id, messages]] of Object.entries(sessions).entries()) {
    database.prepare("INSERT INTO session VALUES (?, 'p_1', NULL, '/work/dates', 'Dates', ?)").run(id, began + index)
    for (const message of messages) addMessage(database, id, message)
  }
  return database
}

export function addMessage(database: Database, session: string, { id, info, parts }: Message): void {
  const { created } = info.time as { created: number }
  database
    .prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)")
    .run(id, session, created, created, JSON.stringify(info))
  for (const [index, part] of parts.entries())
    database
      .prepare("INSERT INTO part VALUES (?, ?, ?, 1, 1, ?)")
      .run(`prt_${session}_${id}_${index}`, id, session, JSON.stringify(part))
}

export function makeTree(home: string, session: string, messages: Message[]): void {
  const storage = join(home, ".local", "share", "opencode", "storage")
  const info = { id: session, projectID: "p_1", directory: "/work/dates", time: { created: began } }
  writeTo(join(storage, "session", "p_1", `${session}.json`), info)
  for (const { id, info, parts } of messages) {
    writeTo(join(storage, "message", session, `${id}.json`), { id, sessionID: session, ...info })
    for (const [index, part] of parts.entries()) writeTo(join(storage, "part", id, `prt_${index}.json`), part)
  }
}
