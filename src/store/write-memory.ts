import type { SqlValue } from "../disk/sqlite.ts"
import type { Memory } from "./memory.ts"
import { memoriesByIds } from "./memory-rows.ts"
import type { ClearedWords } from "./propose-memory.ts"
import { type PackedVector, packedOrNull } from "./similarity.ts"
import { run, type Steps } from "./steps.ts"

/** A memory to insert: its text has passed the governance check. */
export type NewMemory = Omit<Memory, "metrics" | "evidence" | "version" | keyof ClearedWords> &
  ClearedWords & { textHash: string; vector: PackedVector | undefined }

export function* insertMemory(memory: NewMemory): Steps<void> {
  const values = rowOf(memory)
  const names = Object.keys(values)
  yield* run(
    `INSERT INTO memories (${names.join(", ")}) VALUES (${names.map((name) => `:${name}`).join(", ")})`,
    values,
  )
  yield* run("INSERT INTO memory_metrics (memory_id) VALUES (?)", memory.id)
}

/** The columns of a memory. */
export function rowOf(memory: NewMemory) {
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

export type MemoryChange = Partial<Pick<Memory, "status" | "tier" | "flags" | "pinned">> & {
  /** `null`: never expires. */
  expires?: string | null
}

export type AuditNote = { action: string; reason: string; now: string; episode?: string }

/** Changes a memory and records what changed and why. */
export function* changeMemory(id: string, change: MemoryChange, note: AuditNote): Steps<void> {
  const [memory] = yield* memoriesByIds([id])
  if (!memory) return
  const before = {
    status: memory.status,
    tier: memory.tier,
    flags: memory.flags,
    pinned: memory.pinned,
    expires: memory.expires ?? null,
  }
  const after = { ...before, ...change }
  yield* run(
    `UPDATE memories SET status = :status, tier = :tier, flags = :flags, pinned = :pinned, expires_at = :expires,
       version = version + 1, updated_at = :now WHERE memory_id = :id`,
    { ...after, flags: JSON.stringify(after.flags), pinned: Number(after.pinned), now: note.now, id },
  )
  const changed = (Object.keys(change) as (keyof MemoryChange)[]).filter(
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
