import type { Database } from "../disk/sqlite.ts"
import { type Account, joinAccounts } from "./account.ts"
import type { Batch, Position, Transcript } from "./client.ts"
import { lookInto } from "./foreign-database.ts"
import { readWhole } from "./read-whole.ts"

/** How to read one client's database. */
export type DatabaseFormat<Session> = {
  /** The required columns of each table; no other table is queried. */
  columns: Record<string, string[]>
  /** The named session, or all of them. */
  sessions(database: Database, named: string | undefined): Session[]
  /** Changes whenever the session changes. */
  stampOf(database: Database, session: Session): string
  /** Reads a session, reporting the bytes read. */
  read(database: Database, session: Session, note: (bytes: number) => void): Account
}

/** Reads a session of a database, or the whole database, if it changed. */
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
