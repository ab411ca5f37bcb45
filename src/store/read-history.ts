import type { MemoryHistory } from "./learned-store.ts"
import type { Evidence } from "./memory.ts"
import { all, type Steps } from "./steps.ts"
import { usesOfMemory } from "./tasks-of.ts"

/** A memory's evidence, changes and uses. */
export function* readHistory(id: string): Steps<MemoryHistory> {
  const evidence = yield* all<Evidence>(
    `SELECT evidence_id AS id, memory_id AS memory, episode_id AS episode, project_id AS project, source, frustration,
       created_at AS created, transcript, line, quote
     FROM evidence WHERE memory_id = ? ORDER BY created_at, evidence_id`,
    id,
  )
  const audit = yield* all<{ ts: string; action: string; reason: string; episode: string | null }>(
    "SELECT ts, action, reason, episode_id AS episode FROM memory_audit WHERE memory_id = ? ORDER BY audit_id",
    id,
  )
  return {
    evidence: evidence.map((row) => ({ ...row })),
    uses: yield* usesOfMemory(id),
    audit: audit.map((row) => ({ ...row, episode: row.episode ?? undefined })),
  }
}
