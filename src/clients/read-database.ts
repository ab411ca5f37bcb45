import type { Database } from "../disk/sqlite.ts"
import { type Account, joinAccounts } from "./account.ts"
import type { Batch, Position, Transcript } from "./client.ts"
import { lookInto } from "./foreign-database.ts"
import { readWhole } from "./read-whole.ts"

/** How one client's database is to be understood. */
export type DatabaseFormat<Session> = {
  /** What is needed of each table; no other is ever asked for. */
  columns: Record<string, string[]>
  /** The session that is named, or all of them. */
  sessions(database: Database, named: string | undefined): Session[]
  /** Tells one state of a session from another. */
  stampOf(database: Database, session: Session): string
  /** Reads it, noting the bytes that were looked at. */
  read(database: Database, session: Session, note: (bytes: number) => void): Account
}

/** Reads a session of a database, or the whole database, when something in it changed. */
export function readDatabase<Session>(
  { path, session }: Transcript,
  from: Position | undefined,
  format: DatabaseFormat<Session>,
): AsyncIterable<Batch> {
  return readWhole([path, `${path}-wal`], from, (before) =>
    lookInto(path, format.columns, (database) => {
      const sessions = format.sessions(database, session)
      const stamp = sessions.map((each) => format.stampOf(database, each)).join(" ")
      if (stamp === before) return { account: "unchanged" as const, bytes: 0, stamp }
      let bytes = 0
      const note = (read: number) => {
        bytes += read
      }
      return { account: joinAccounts(sessions.map((each) => format.read(database, each, note))), bytes, stamp }
    }),
  )
}
