import { knownAs, projectOf, versionOfProject } from "./known-as.ts"
import type { TaskUse } from "./learned-store.ts"
import { openCurrentStore } from "./open-current-store.ts"
import type { ProjectIdentity } from "./project-id.ts"
import { runSteps } from "./steps.ts"
import { noteUse } from "./use-log.ts"

/** The part of the store that a cold process needs for one answer: no code to learn, change or migrate. */
export type Ledger = {
  /** The id a checkout is stored under. */
  projectOf(checkout: ProjectIdentity): string
  version(project: string): number
  useCounts(ids: readonly string[]): Map<string, number>
  /** Active memories, of the project or of all, whose trigger contains this failure fingerprint. */
  learnedFrom(project: string, fingerprint: string): string[]
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
        .all({ project: runSteps(database, knownAs(project)), fingerprint })
      return rows.map(({ id }) => id)
    },
    recordTask: (task) => noteUse(path, task),
    close: () => database.close(),
  }
}
