import { sha256 } from "../disk/sha256.ts"
import type { Occasion } from "./apply-verdict.ts"
import type { Proposal } from "./propose-memory.ts"
import { all, run, type Steps } from "./steps.ts"

const columns =
  "evidence_id, memory_id, episode_id, project_id, source, frustration, created_at, transcript, line, quote"

/** One session counts as evidence for a memory once, however often it repeats the statement. */
const isNewSession = `NOT EXISTS (
  SELECT 1 FROM evidence AS known JOIN episodes AS old ON old.episode_id = known.episode_id JOIN episodes AS new ON new.episode_id = :episode
  WHERE known.memory_id = :memory AND old.client = new.client AND old.session_id = new.session_id)`

/**
 * Records evidence for a memory with its place in the transcript; returns false when the session is already counted.
 */
export function* addEvidence(id: string, { episode, commit, index }: Occasion, { evidence }: Proposal): Steps<boolean> {
  const added = yield* run(
    `INSERT INTO evidence (${columns})
     SELECT :id, :memory, :episode, :project, :source, :frustration, :created, :transcript, :line, :quote WHERE ${isNewSession}
     ON CONFLICT DO NOTHING`,
    {
      id: evidenceIdOf(id, episode.id, index),
      memory: id,
      episode: episode.id,
      project: episode.project,
      source: evidence.source,
      frustration: evidence.frustration,
      created: episode.end || commit.now,
      transcript: episode.transcript,
      line: evidence.line,
      quote: evidence.quote,
    },
  )
  return added > 0
}

function evidenceIdOf(memory: string, episode: string, part: number | string): string {
  return `e-${sha256(`${memory}\n${episode}\n${part}`).slice(0, 16)}`
}

/** Evidence for a memory also counts for its refined wording. */
export function* copyEvidence(from: string, to: string): Steps<void> {
  const old = yield* all<{ evidence_id: string; episode_id: string }>(
    "SELECT evidence_id, episode_id FROM evidence WHERE memory_id = ? ORDER BY evidence_id",
    from,
  )
  for (const { evidence_id, episode_id } of old)
    yield* run(
      `INSERT INTO evidence (${columns})
       SELECT :id, :memory, episode_id, project_id, source, frustration, created_at, transcript, line, quote
       FROM evidence WHERE evidence_id = :old AND ${isNewSession}
       ON CONFLICT DO NOTHING`,
      { id: evidenceIdOf(to, episode_id, evidence_id), memory: to, episode: episode_id, old: evidence_id },
    )
}
