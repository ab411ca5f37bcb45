import type { SqlValue } from "../disk/sqlite.ts"
import type { LearnedFilter } from "./learned-store.ts"
import type { Memory } from "./memory.ts"
import { currentProjectId } from "./project-id.ts"
import type { ClearedWords } from "./proposal.ts"
import { type PackedVector, packedOrNull } from "./similarity.ts"
import { all, run, type Steps } from "./steps.ts"

export type MemoryRow = {
  memory_id: string
  project_id: string | null
  scope: Memory["scope"]
  path_prefix: string | null
  owner_type: Memory["owner"]["type"]
  owner_id: string
  kind: Memory["kind"]
  tier: Memory["tier"]
  polarity: Memory["polarity"]
  key: string | null
  text: string
  status: Memory["status"]
  confidence: number
  expires_at: string | null
  pinned: number
  flags: string
  trigger_json: string
  origin: Memory["origin"]
  trust: Memory["trust"]
  derived_from: string | null
  contributed_by: string | null
  source_memory_id: string | null
  version: number
  created_at: string
  updated_at: string
  evidence: number
  use_count: number
  opportunities: number
  passed_over: number
  suspected_regret_hits: number
  regret_misses: number
  estimated_regret_saved: number
  net_regret: number
  last_used_at: string | null
  last_hit_at: string | null
  last_evaluated_at: string | null
}

export const memoryColumns = `memories.memory_id, project_id, scope, path_prefix, owner_type, owner_id, kind, tier, polarity, memories.key, text, status,
  confidence, expires_at, pinned, flags, trigger_json, origin, trust, derived_from, contributed_by, source_memory_id, version, created_at, updated_at,
  (SELECT count(*) FROM evidence WHERE evidence.memory_id = memories.memory_id) AS evidence,
  use_count, opportunities, passed_over, suspected_regret_hits, regret_misses, estimated_regret_saved, net_regret,
  last_used_at, last_hit_at, last_evaluated_at`

export function toMemory(row: MemoryRow): Memory {
  return {
    id: row.memory_id,
    project: row.project_id ?? undefined,
    scope: row.scope,
    pathPrefix: row.path_prefix ?? undefined,
    owner: { type: row.owner_type, id: row.owner_id },
    kind: row.kind,
    tier: row.tier,
    polarity: row.polarity,
    key: row.key ?? undefined,
    text: row.text,
    status: row.status,
    confidence: row.confidence,
    expires: row.expires_at ?? undefined,
    pinned: row.pinned === 1,
    flags: JSON.parse(row.flags),
    trigger: JSON.parse(row.trigger_json),
    origin: row.origin,
    trust: row.trust,
    derivedFrom: row.derived_from ?? undefined,
    contributedBy: row.contributed_by ?? undefined,
    sourceMemory: row.source_memory_id ?? undefined,
    version: row.version,
    created: row.created_at,
    updated: row.updated_at,
    metrics: {
      useCount: row.use_count,
      opportunities: row.opportunities,
      passedOver: row.passed_over,
      hits: row.suspected_regret_hits,
      misses: row.regret_misses,
      regretSaved: row.estimated_regret_saved,
      netRegret: row.net_regret,
      lastUsed: row.last_used_at ?? undefined,
      lastHit: row.last_hit_at ?? undefined,
      lastEvaluated: row.last_evaluated_at ?? undefined,
    },
    evidence: row.evidence,
  }
}

/** Memories in order of creation. */
export function* listMemories(filter: LearnedFilter): Steps<Memory[]> {
  const { project, statuses, kinds, tiers, owner, episode, after, limit } = filter
  const list = (values: readonly string[] | undefined) => (values ? JSON.stringify(values) : null)
  const rows = yield* all<MemoryRow>(
    `SELECT ${memoryColumns} FROM memories JOIN memory_metrics USING (memory_id)
     WHERE (CAST(:project AS TEXT) IS NULL OR project_id IS NULL OR project_id = :project)
       AND (CAST(:statuses AS TEXT) IS NULL OR status IN (SELECT value FROM json_each(:statuses)))
       AND (CAST(:kinds AS TEXT) IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))
       AND (CAST(:tiers AS TEXT) IS NULL OR tier IN (SELECT value FROM json_each(:tiers)))
       AND (CAST(:ownerType AS TEXT) IS NULL OR (owner_type = :ownerType AND owner_id = :ownerId))
       AND (CAST(:episode AS TEXT) IS NULL OR memory_id IN (SELECT memory_id FROM applied_ops WHERE episode_id = :episode))
       AND (created_at, memory_id) > (:afterCreated, :afterId)
     ORDER BY created_at, memory_id LIMIT :limit`,
    {
      afterCreated: after?.created ?? "", // before all others
      afterId: after?.id ?? "",
      limit: limit ?? Number.MAX_SAFE_INTEGER,
      project: project === undefined ? null : yield* currentProjectId(project),
      statuses: list(statuses),
      kinds: list(kinds),
      tiers: list(tiers),
      ownerType: owner?.type ?? null,
      ownerId: owner?.id ?? null,
      episode: episode ?? null,
    },
  )
  return rows.map(toMemory)
}

export function* memoriesByIds(ids: readonly string[]): Steps<Memory[]> {
  const rows = yield* all<MemoryRow>(
    `SELECT ${memoryColumns} FROM json_each(?) AS wanted JOIN memories ON memories.memory_id = wanted.value
     JOIN memory_metrics USING (memory_id) ORDER BY wanted.key`,
    JSON.stringify(ids),
  )
  return rows.map(toMemory)
}

/** By id, by handle, or by id prefix. */
export function* findMemories(name: string, project?: string): Steps<Memory[]> {
  const digits = /^\[?(?:m[-:])?([0-9a-f]{1,16})\]?$/i.exec(name.trim())?.[1]?.toLowerCase()
  if (digits === undefined) return []
  const rows = yield* all<MemoryRow>(
    `SELECT ${memoryColumns} FROM memories JOIN memory_metrics USING (memory_id)
     WHERE memory_id >= :from AND memory_id < :behind AND (CAST(:project AS TEXT) IS NULL OR project_id IS NULL OR project_id = :project)
     ORDER BY memory_id`,
    {
      from: `m-${digits}`,
      behind: `m-${digits}g`,
      project: project === undefined ? null : yield* currentProjectId(project),
    },
  )
  return rows.map(toMemory)
}

/** A memory to insert: its text has passed the governance check. */
export type MemoryInsert = Omit<Memory, "metrics" | "evidence" | "version" | keyof ClearedWords> &
  ClearedWords & { textHash: string; vector: PackedVector | undefined }

export function* insertMemory(memory: MemoryInsert): Steps<void> {
  const values = rowOf(memory)
  const names = Object.keys(values)
  yield* run(
    `INSERT INTO memories (${names.join(", ")}) VALUES (${names.map((name) => `:${name}`).join(", ")})`,
    values,
  )
  yield* run("INSERT INTO memory_metrics (memory_id) VALUES (?)", memory.id)
}

/** The columns of a memory. */
export function rowOf(memory: MemoryInsert) {
  return {
    memory_id: memory.id,
    project_id: memory.project ?? null,
    scope: memory.scope,
    path_prefix: memory.pathPrefix ?? null,
    owner_type: memory.owner.type,
    owner_id: memory.owner.id,
    kind: memory.kind,
    tier: memory.tier,
    polarity: memory.polarity,
    key: memory.key ?? null,
    text: memory.text,
    text_hash: memory.textHash,
    status: memory.status,
    confidence: memory.confidence,
    expires_at: memory.expires ?? null,
    pinned: Number(memory.pinned),
    flags: JSON.stringify(memory.flags),
    trigger_json: JSON.stringify(memory.trigger),
    ...packedOrNull(memory.vector),
    origin: memory.origin,
    trust: memory.trust,
    derived_from: memory.derivedFrom ?? null,
    contributed_by: memory.contributedBy ?? null,
    source_memory_id: memory.sourceMemory ?? null,
    created_at: memory.created,
    updated_at: memory.updated,
  } satisfies Record<string, SqlValue>
}

export type MemoryUpdate = Partial<Pick<Memory, "status" | "tier" | "flags" | "pinned" | "confidence">> & {
  /** `null`: never expires. */
  expires?: string | null
}

export type AuditNote = { action: string; reason: string; now: string; episode?: string }

/** Changes a memory and records what changed and why. */
export function* changeMemory(id: string, change: MemoryUpdate, note: AuditNote): Steps<void> {
  const [memory] = yield* memoriesByIds([id])
  if (!memory) return
  const before = {
    status: memory.status,
    tier: memory.tier,
    flags: memory.flags,
    pinned: memory.pinned,
    confidence: memory.confidence,
    expires: memory.expires ?? null,
  }
  const after = { ...before, ...change }
  yield* run(
    `UPDATE memories SET status = :status, tier = :tier, flags = :flags, pinned = :pinned, confidence = :confidence,
       expires_at = :expires, version = version + 1, updated_at = :now WHERE memory_id = :id`,
    { ...after, flags: JSON.stringify(after.flags), pinned: Number(after.pinned), now: note.now, id },
  )
  const changed = (Object.keys(change) as (keyof MemoryUpdate)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const only = (values: typeof before) =>
    JSON.stringify(Object.fromEntries(changed.map((name) => [name, values[name]])))
  yield* addAudit(id, note, changed.length === 0 ? undefined : { old: only(before), new: only(after) })
}

export function* addAudit(id: string, note: AuditNote, json?: { old: string; new: string }): Steps<void> {
  yield* run(
    "INSERT INTO memory_audit (memory_id, ts, action, reason, old_json, new_json, episode_id) VALUES (?, ?, ?, ?, ?, ?, ?)",
    id,
    note.now,
    note.action,
    note.reason,
    json?.old ?? null,
    json?.new ?? null,
    note.episode ?? null,
  )
}

/** Flags a memory for review; an existing flag is left unchanged. */
export function* addFlag(id: string, flag: string, note: AuditNote): Steps<void> {
  const [memory] = yield* memoriesByIds([id])
  if (memory && !memory.flags.includes(flag)) yield* changeMemory(id, { flags: [...memory.flags, flag] }, note)
}

/**
 * Metrics of memories and their refinements, each including everything it refines, computed from the recorded uses; a
 * task counts once, and so does a hit per episode.
 */
const sums = `
WITH RECURSIVE heirs (id) AS (
  SELECT memory_id FROM memories WHERE memory_id IN (SELECT value FROM json_each(?))
  UNION SELECT memory_id FROM memories JOIN heirs ON derived_from = heirs.id
), line (id, part) AS (
  SELECT id, id FROM heirs
  UNION SELECT id, (SELECT derived_from FROM memories WHERE memory_id = line.part) FROM line WHERE part IS NOT NULL
)
INSERT INTO memory_metrics (memory_id, use_count, opportunities, passed_over, suspected_regret_hits, regret_misses,
  estimated_regret_saved, net_regret, last_used_at, last_hit_at)
SELECT line.id,
  count(DISTINCT CASE WHEN injected = 1 THEN task_id END),
  count(DISTINCT task_id),
  count(DISTINCT CASE WHEN asked = 1 AND injected = 0 THEN task_id END),
  count(DISTINCT CASE WHEN outcome IN ('hit', 'helped') THEN coalesce(episode_id, task_id) END),
  count(DISTINCT CASE WHEN outcome IN ('miss', 'wrong') THEN coalesce(episode_id, task_id) END),
  coalesce(sum(regret_saved), 0), coalesce(sum(net_regret), 0),
  max(CASE WHEN injected = 1 THEN ts END),
  max(CASE WHEN outcome IN ('hit', 'helped') THEN settled_at END)
FROM line LEFT JOIN memory_uses ON memory_uses.memory_id = line.part WHERE TRUE GROUP BY line.id
ON CONFLICT (memory_id) DO UPDATE SET use_count = excluded.use_count, opportunities = excluded.opportunities,
  passed_over = excluded.passed_over, suspected_regret_hits = excluded.suspected_regret_hits, regret_misses = excluded.regret_misses,
  estimated_regret_saved = excluded.estimated_regret_saved, net_regret = excluded.net_regret,
  last_used_at = excluded.last_used_at, last_hit_at = excluded.last_hit_at`

/** Recomputes the metrics of these memories and of their refinements. */
export function* refreshMetrics(ids: readonly string[]): Steps<void> {
  yield* run(sums, JSON.stringify(ids))
}

/** Recomputes all metrics; a no-op if they were maintained correctly. */
export function* rebuildMetrics(): Steps<void> {
  const rows = yield* all<{ id: string }>("SELECT memory_id AS id FROM memories")
  yield* refreshMetrics(rows.map(({ id }) => id))
}
