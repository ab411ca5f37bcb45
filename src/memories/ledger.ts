import { existsSync, readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { appendToHome, renameInHome } from "../disk/home-files.ts"
import { fileError } from "../disk/text-files.ts"
import { conversationMonths } from "./conversations.ts"
import { openCurrentStore } from "./current-store.ts"
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
