import { knownAs } from "./known-as.ts"
import type { MemoryFilter } from "./learned-store.ts"
import type { Memory } from "./memory.ts"
import { all, type Steps } from "./steps.ts"

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
export function* listMemories(filter: MemoryFilter): Steps<Memory[]> {
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
      project: project === undefined ? null : yield* knownAs(project),
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
    { from: `m-${digits}`, behind: `m-${digits}g`, project: project === undefined ? null : yield* knownAs(project) },
  )
  return rows.map(toMemory)
}
