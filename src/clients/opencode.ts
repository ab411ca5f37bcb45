import { basename, join } from "node:path"
import type { Client, Transcript } from "./client.ts"
import { listFolder } from "./list-folder.ts"
import { listOpencodeSessions, opencodeDatabase } from "./opencode-database.ts"
import { findStoredSessions, readOpencodeFile } from "./opencode-files.ts"
import { readDatabase } from "./read-database.ts"

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
    return path.endsWith(".json") && sessionDocument.test(beginning)
  },
  read(transcript, from) {
    if (transcript.path.endsWith(".json")) return readOpencodeFile(transcript.path, from)
    return readDatabase(transcript, from, opencodeDatabase)
  },
}

/** Unreleased versions have their own database: `opencode-dev.db`. */
const databaseName = /^opencode(?:-[\w.-]{1,64})?\.db$/

const sessionDocument = /^\s{0,20}\{\s{0,20}(?:"info"\s{0,20}:\s{0,20}\{\s{0,20})?"id"\s{0,20}:\s{0,20}"ses_/
