import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Client } from "../../../../src/clients/client.ts"
import { listCursorConversations } from "../../../../src/clients/cursor/database.ts"
import { cursor } from "../../../../src/clients/cursor/transcript.ts"
import { listOpencodeSessions, opencode } from "../../../../src/clients/opencode/transcript.ts"
import { type Database, openDatabase } from "../../../../src/disk/sqlite.ts"
import type { Reader } from "../reader.ts"
import { cursorRows, opencodeRows } from "./transcript-examples.ts"
import { readTranscript } from "./transcripts.ts"

type Kind = {
  client: Client
  file: string
  rows: string
  list: (path: string) => string[]
  create: string
  fill: (database: Database, rows: string[]) => void
}

const kinds: readonly Kind[] = [
  {
    client: opencode,
    file: "opencode.db",
    rows: opencodeRows,
    list: listOpencodeSessions,
    create: `CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT NOT NULL);
      CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER);
      CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
      CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
      INSERT INTO project VALUES ('p_1', '/work/dates'); INSERT INTO session VALUES ('ses_1', 'p_1', NULL, '/work/dates', 'Dates', 1)`,
    fill(database, rows) {
      database.exec("DELETE FROM message; DELETE FROM part")
      for (const [index, row] of rows.entries()) {
        const { info, parts } = (parse(row) ?? {}) as { info?: unknown; parts?: unknown }
        const data = info === undefined ? row : JSON.stringify(info)
        database.prepare("INSERT INTO message VALUES (?, 'ses_1', ?, ?, ?)").run(`msg_${index}`, index, index, data)
        for (const [at, part] of (Array.isArray(parts) ? parts : []).entries())
          database
            .prepare("INSERT INTO part VALUES (?, ?, 'ses_1', 1, 1, ?)")
            .run(`prt_${index}_${at}`, `msg_${index}`, JSON.stringify(part))
      }
    },
  },
  {
    client: cursor,
    file: "state.vscdb",
    rows: cursorRows,
    list: listCursorConversations,
    create: "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
    fill(database, rows) {
      database.exec("DELETE FROM cursorDiskKV")
      for (const [index, row] of rows.entries())
        database
          .prepare("INSERT INTO cursorDiskKV VALUES (?, ?)")
          .run(index === 0 ? "composerData:c" : `bubbleId:c:${index}`, index % 2 === 0 ? row : Buffer.from(row))
    },
  },
]

/** Other programs' databases, sound ones whose rows say odd things: a row a line. */
export const databaseRows: readonly Reader[] = kinds.map((kind) => ({
  name: `rows-${kind.client.id}`,
  share: 6,
  examples: () => [kind.rows],
  patience: 200,
  largest: 128 * 1024,
  open() {
    const { path, database } = create(kind)
    return {
      read(input) {
        database.transaction("immediate", () => kind.fill(database, input.toString("utf8").split("\n")))
        return readTranscript(kind.client, { client: kind.client.id, path })
      },
      close() {
        database.close()
        rmSync(dirname(path), { recursive: true, force: true })
      },
    }
  },
}))

/** The same databases with damaged bytes. */
export const databaseFiles: readonly Reader[] = kinds.map((kind) => ({
  name: `database-${kind.client.id}`,
  share: 6,
  binary: true,
  patience: 2000,
  largest: 0,
  examples: () => [soundDatabase(kind)],
  open() {
    const folder = mkdtempSync(join(tmpdir(), "drey-fuzz-"))
    let number = 0
    return {
      async read(input) {
        const path = join(folder, String(number++), kind.file)
        mkdirSync(dirname(path))
        writeFileSync(path, input)
        try {
          kind.list(path)
          return await readTranscript(kind.client, { client: kind.client.id, path })
        } finally {
          rmSync(dirname(path), { recursive: true, force: true })
        }
      },
      close: () => rmSync(folder, { recursive: true, force: true }),
    }
  },
}))

const sound = new Map<string, string>()

function soundDatabase(kind: Kind): string {
  const known = sound.get(kind.file)
  if (known !== undefined) return known
  const { path, database } = create(kind)
  kind.fill(database, kind.rows.trim().split("\n"))
  database.close()
  const bytes = readFileSync(path, "latin1")
  rmSync(dirname(path), { recursive: true, force: true })
  sound.set(kind.file, bytes)
  return bytes
}

function create({ file, create }: Kind): { path: string; database: Database } {
  const path = join(mkdtempSync(join(tmpdir(), "drey-fuzz-")), file)
  const database = openDatabase(path)
  database.exec(`PRAGMA synchronous = OFF; PRAGMA page_size = 1024; ${create}`)
  return { path, database }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // then the row holds the text as it is
  }
}
