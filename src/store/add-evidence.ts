import { sha256 } from "../disk/sha256.ts"
import type { Database } from "../disk/sqlite.ts"
import type { Occasion } from "./apply-verdict.ts"
import type { Proposal } from "./propose-memory.ts"

const evidenceColumns =
  "evidence_id, memory_id, episode_id, project_id, source, frustration, created_at, transcript, line, quote"

/** Notes what speaks for a memory, and where it stands. */
export function addEvidence(
  database: Database,
  id: string,
  { episode, commit, index }: Occasion,
  { evidence }: Proposal,
): void {
  database
    .prepare(`INSERT OR IGNORE INTO evidence (${evidenceColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    .run(
      evidenceIdOf(id, episode.id, index),
      id,
      episode.id,
      episode.project,
      evidence.source,
      evidence.frustration,
      episode.end || commit.now,
      episode.transcript,
      evidence.line,
      evidence.quote,
    )
}

function evidenceIdOf(memory: string, episode: string, part: number | string): string {
  return `e-${sha256(`${memory}\n${episode}\n${part}`).slice(0, 16)}`
}

/** What spoke for a memory speaks for its better words as well. */
export function copyEvidence(database: Database, from: string, to: string): void {
  const old = database
    .prepare<{ evidence_id: string; episode_id: string }>(
      "SELECT evidence_id, episode_id FROM evidence WHERE memory_id = ? ORDER BY evidence_id",
    )
    .all(from)
  const copy = database.prepare(
    `INSERT OR IGNORE INTO evidence (${evidenceColumns})
     SELECT ?, ?, episode_id, project_id, source, frustration, created_at, transcript, line, quote FROM evidence WHERE evidence_id = ?`,
  )
  for (const { evidence_id, episode_id } of old) copy.run(evidenceIdOf(to, episode_id, evidence_id), to, evidence_id)
}
