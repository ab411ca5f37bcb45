import { existsSync, readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { appendToHome, renameInHome } from "../disk/home-files.ts"
import { type Database, openDatabase } from "../disk/sqlite.ts"
import { fileError } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import { conversationMonths } from "./conversations.ts"
import type { TaskUse } from "./learned-store.ts"
import { currentProjectId, type ProjectIdentity, projectOf, versionOfProject } from "./project-id.ts"
import { runSteps } from "./steps.ts"

/** The part of the store that a cold process needs for one answer: no code to learn, change or migrate. */
export type Ledger = {
  /** The id a checkout is stored under. */
  projectOf(checkout: ProjectIdentity): string
  version(project: string): number
  useCounts(ids: readonly string[]): Map<string, number>
  /** Active memories, of the project or of all, whose trigger contains this failure fingerprint. */
  learnedFrom(project: string, fingerprint: string): string[]
  /** The months of a project's conversations, each with a stamp. */
  conversationMonths(project: string): Map<string, string>
  /** Appends the use to a log that the next process opening the store imports. */
  recordTask(task: TaskUse): void
  close(): void
}

/** How long a hook's answer may wait for a lock. */
const longestWaitMs = 300

/** Undefined when there is no database yet, or it needs a migration first. */
export function openLedger(path: string): Ledger | undefined {
  const database = openCurrentStore(path, { timeoutMs: longestWaitMs })
  if (!database) return undefined
  return {
    projectOf: (checkout) => runSteps(database, projectOf(checkout)),
    version: (project) => runSteps(database, versionOfProject(project)),
    useCounts(ids) {
      const rows = database
        .prepare<{ id: string; uses: number }>(
          "SELECT memory_id AS id, use_count AS uses FROM memory_metrics WHERE memory_id IN (SELECT value FROM json_each(?))",
        )
        .all(JSON.stringify(ids))
      return new Map(rows.map(({ id, uses }) => [id, uses]))
    },
    learnedFrom(project, fingerprint) {
      const rows = database
        .prepare<{ id: string }>(
          `SELECT memory_id AS id FROM memories
           WHERE (project_id IS NULL OR project_id = :project) AND status <> 'deprecated'
             AND EXISTS (SELECT 1 FROM json_each(trigger_json, '$.fingerprints') WHERE value = :fingerprint)
           ORDER BY status, confidence DESC, memory_id`,
        )
        .all({ project: runSteps(database, currentProjectId(project)), fingerprint })
      return rows.map(({ id }) => id)
    },
    conversationMonths: (project) => runSteps(database, conversationMonths(project)),
    recordTask: (task) => noteUse(path, task),
    close: () => database.close(),
  }
}

/**
 * Appends a task to a log beside the database with a single write; the next process that opens the database imports it.
 * A hook must end with its answer: locking the database, updating metrics and syncing the disk would take longer than
 * that.
 */
function noteUse(databasePath: string, use: TaskUse): void {
  const path = notesPath(databasePath)
  try {
    appendToHome(path, `${JSON.stringify(use)}\n`)
  } catch (error) {
    throw fileError(path, error)
  }
}

export function hasNotedUses(databasePath: string): boolean {
  return existsSync(notesPath(databasePath))
}

/**
 * Renames the log so that it is no longer appended to, and returns all such files, including those left by killed
 * processes.
 */
export function setNotesAside(databasePath: string, makeId: () => string): string[] {
  const path = notesPath(databasePath)
  const [folder, start] = [dirname(path), `${basename(path, ".jsonl")}-`]
  try {
    renameInHome(path, join(folder, `${start}${makeId()}.jsonl`))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileError(path, error) // otherwise another process was first
  }
  return readdirSync(folder)
    .filter((name) => name.startsWith(start) && name.endsWith(".jsonl"))
    .map((name) => join(folder, name))
}

function notesPath(databasePath: string): string {
  return `${databasePath}-uses.jsonl`
}

/** The database of a user's learned memory, in Drey's home folder. */
export function learnedPath(home: string): string {
  return join(home, "drey.db")
}

/** Opens an existing database with the current schema; undefined when it is missing or needs a migration. */
export function openCurrentStore(path: string, { timeoutMs = 10_000 } = {}): Database | undefined {
  if (!existsSync(path)) return undefined
  const database = openDatabase(path, { timeoutMs })
  try {
    if (versionOf(database, path) === schemaVersion) return setPragmas(database)
  } catch (error) {
    database.close()
    throw error
  }
  database.close()
  return undefined
}

/**
 * The schema version; 0 for an empty file. Rejects databases of other programs or of a later Drey without changing
 * them.
 */
export function versionOf(database: Database, path: string): number {
  const marks = database
    .prepare<{ application_id: number; user_version: number; tables: number }>(
      "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id, pragma_user_version",
    )
    .get()
  const { application_id: application, user_version: version, tables } = marks ?? {}
  if (application === applicationId && version !== undefined && version <= schemaVersion) return version
  if (tables === 0 && version === 0 && application === 0) return 0
  if (application !== applicationId) throw new DreyError(`${path} is not a database of Drey's learned memory`)
  throw new DreyError(
    `${path} was written by a later version of Drey: its schema version is ${version}, this version supports ${schemaVersion}`,
    { hint: "Update Drey. The database was not changed." },
  )
}

export function setPragmas(database: Database): Database {
  // Learned memory cannot be rebuilt, so a committed write must survive a power cut.
  database.exec(
    "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 8388608; PRAGMA cache_size = -16384",
  )
  return database
}

/** "Dreb" in ASCII: distinguishes this database from other programs' files and from an index. */
export const applicationId = 0x44726562

/** The schema version this code works with, which is the number of migrations. */
export const schemaVersion = 6
