import type { Database } from "../disk/sqlite.ts"
import type { MemoryHistory } from "./learned-store.ts"
import type { Evidence } from "./memory.ts"
import { usesOfMemory } from "./tasks-of.ts"

/** Where a memory comes from, what became of it, and when it was of use. */
export function readHistory(database: Database, id: string): MemoryHistory {
  const evidence = database
    .prepare<Evidence>(
      `SELECT evidence_id AS id, memory_id AS memory, episode_id AS episode, project_id AS project, source, frustration,
         created_at AS created, transcript, line, quote
       FROM evidence WHERE memory_id = ? ORDER BY created_at, evidence_id`,
    )
    .all(id)
  const audit = database
    .prepare<{ ts: string; action: string; reason: string; episode: string | null }>(
      "SELECT ts, action, reason, episode_id AS episode FROM memory_audit WHERE memory_id = ? ORDER BY audit_id",
    )
    .all(id)
  return {
    evidence: evidence.map((row) => ({ ...row })),
    uses: usesOfMemory(database, id),
    audit: audit.map((row) => ({ ...row, episode: row.episode ?? undefined })),
  }
}
