import { basename, dirname, join } from "node:path"
import type { Client, Machine, Transcript } from "./client.ts"
import { cursorDatabase, listCursorConversations } from "./cursor-database.ts"
import { cursorLines } from "./cursor-lines.ts"
import { editorFolders } from "./editor-folders.ts"
import { findFiles, oldestFirst } from "./find-files.ts"
import { listFolder } from "./list-folder.ts"
import { readDatabase } from "./read-database.ts"
import { readLines } from "./read-lines.ts"

/**
 * Cursor keeps conversations in its editor's database and also writes agent conversations as lines, without times and
 * mostly without results: these are read only if the database does not have them.
 */
export const cursor: Client = {
  id: "cursor",
  name: "Cursor",
  maturity: "experimental",
  find(machine) {
    const inDatabase = findConversations(machine)
    const known = new Set(inDatabase.map(({ session }) => session))
    const written = findWritten(machine).filter((path) => !known.has(basename(path, ".jsonl")))
    return [...written.map((path): Transcript => ({ client: "cursor", path })), ...inDatabase]
  },
  recognises(path, beginning) {
    if (beginning.startsWith("SQLite format 3\0"))
      return basename(path) === databaseName && !path.includes("workspaceStorage")
    return path.endsWith(".jsonl") && firstLine.test(beginning)
  },
  read(transcript, from) {
    if (transcript.path.endsWith(".jsonl")) return readLines(transcript, from, cursorLines)
    return readDatabase(transcript, from, cursorDatabase(transcript.path))
  },
}

const databaseName = "state.vscdb"

const firstLine = /^\{"role":"(?:user|assistant)","message":\{"content":/

/** `agent-transcripts/<id>/<id>.jsonl`; sub-agents' files are in a folder beside it. */
function findWritten({ home }: Machine): string[] {
  const projects = join(home, ".cursor", "projects")
  const folders = listFolder(projects).map((project) => join(projects, project, "agent-transcripts"))
  const paths = folders.flatMap((folder) => findFiles(folder, 2, (name) => name.endsWith(".jsonl")))
  return oldestFirst(paths.filter((path) => basename(dirname(path)) === basename(path, ".jsonl")))
}

function findConversations(machine: Machine): Transcript[] {
  return editorFolders(machine, ["Cursor"])
    .map((folder) => join(folder, "globalStorage", databaseName))
    .flatMap((path) =>
      listCursorConversations(path).map((session): Transcript => ({ client: "cursor", path, session })),
    )
}
