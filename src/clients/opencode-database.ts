import type { Database } from "../disk/sqlite.ts"
import { lookIfReadable } from "./foreign-database.ts"
import { parseObject } from "./json-value.ts"
import { type OpencodeMessage, readOpencodeSession } from "./opencode-session.ts"
import type { DatabaseFormat } from "./read-database.ts"

type SessionRow = { id: string; directory: string | null; worktree: string | null }

/**
 * OpenCode's sessions, messages and their parts. The database also has accounts and credentials, which are never read.
 */
export const opencodeDatabase: DatabaseFormat<SessionRow> = {
  columns: {
    session: ["id", "project_id", "parent_id", "directory", "time_created"],
    message: ["id", "session_id", "time_created", "time_updated", "data"],
    part: ["id", "message_id", "session_id", "time_updated", "data"],
    project: ["id", "worktree"],
  },
  sessions(database, named) {
    if (named === undefined) return listSessions(database)
    return database.prepare<SessionRow>(`${ownSessions} AND session.id = ?`).all(named)
  },
  stampOf(database, { id }) {
    const counted = [countMessages, countParts].map((sql) => database.prepare<Counted>(sql).get(id))
    return counted.map((each) => `${each?.rows}.${each?.latest}`).join(".")
  },
  read(database, { id, directory, worktree }, note) {
    return readOpencodeSession({ id, directory: directory || worktree || undefined }, listMessages(database, id, note))
  },
}

/** Sessions of sub-agents have a parent. */
const ownSessions = `SELECT session.id, session.directory, project.worktree
  FROM session LEFT JOIN project ON project.id = session.project_id WHERE session.parent_id IS NULL`

type Counted = { rows: number; latest: number | null }
const countMessages = "SELECT count(*) AS rows, max(time_updated) AS latest FROM message WHERE session_id = ?"
const countParts = "SELECT count(*) AS rows, max(time_updated) AS latest FROM part WHERE session_id = ?"

/** The ids of a database's sessions, oldest first; empty if it cannot be read. */
export function listOpencodeSessions(path: string): string[] {
  return (lookIfReadable(path, opencodeDatabase.columns, listSessions) ?? []).map(({ id }) => id)
}

function listSessions(database: Database): SessionRow[] {
  return database.prepare<SessionRow>(`${ownSessions} ORDER BY session.time_created, session.id`).all()
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
