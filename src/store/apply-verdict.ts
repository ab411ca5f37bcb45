import { sha256 } from "../disk/sha256.ts"
import type { Database } from "../disk/sqlite.ts"
import { alreadyStored, type Cleared } from "../governance/cleared.ts"
import { addEvidence, copyEvidence } from "./add-evidence.ts"
import { addFlag } from "./add-flag.ts"
import type { Known, Verdict } from "./judge-proposal.ts"
import type { Commit, OperationOutcome, StoredEpisode } from "./learned-store.ts"
import type { Memory } from "./memory.ts"
import { memoriesByIds } from "./memory-rows.ts"
import type { ClearedWords, Proposal } from "./propose-memory.ts"
import { refreshMetrics } from "./refresh-metrics.ts"
import { type Comparable, packVector } from "./similarity.ts"
import { joinTriggers } from "./trigger.ts"
import { addAudit, changeMemory, insertMemory } from "./write-memory.ts"

/** Where an operation comes from. */
export type Occasion = { commit: Commit; episode: StoredEpisode; index: number }

type New = { proposal: Proposal; comparable: Comparable }

export function applyVerdict(database: Database, occasion: Occasion, verdict: Verdict, given: New): OperationOutcome {
  const { commit, episode } = occasion
  const audit = (action: string, reason: string) => ({ action, reason, now: commit.now, episode: episode.id })
  if (verdict.kind === "review") {
    addFlag(database, verdict.old.id, "review", audit("flagged", verdict.reason))
    return { kind: "flagged", id: verdict.old.id, flag: "review" }
  }
  if (verdict.kind === "duplicate") {
    const { of, ends } = verdict
    if (addEvidence(database, of.id, occasion, given.proposal))
      renew(database, of.id, given.proposal, audit("confirmed", "it was learned again"))
    if (ends) changeMemory(database, ends.id, { status: "deprecated" }, audit("replaced", `${of.id} says it already`))
    return { kind: "duplicate", of: of.id }
  }
  const id = memoryIdOf(episode.id, occasion.index)
  if (isTaken(database, id)) return { kind: "dropped", reason: `${id} was purged` }
  const { conflicts } = verdict
  if (verdict.kind === "add") write(database, occasion, { ...given, id, conflicts })
  else if (verdict.kind === "refine") refine(database, occasion, { ...given, id, conflicts, old: verdict.old })
  else {
    changeMemory(database, verdict.old.id, { status: "deprecated" }, audit("replaced", `${id} took its place`))
    write(database, occasion, { ...given, id, conflicts })
    addAudit(database, id, audit("replaces", `it took the place of ${verdict.old.id}`))
  }
  for (const other of conflicts) addFlag(database, other.id, "conflict", audit("flagged", `${id} says the opposite`))
  if (verdict.kind !== "add")
    return { kind: verdict.kind === "refine" ? "refined" : "replaced", id, old: verdict.old.id }
  return conflicts[0] ? { kind: "added", id, note: `it is in conflict with ${conflicts[0].id}` } : { kind: "added", id }
}

/** Derived, so that a repeated run gives the same rows. */
export function memoryIdOf(episode: string, index: number): string {
  return `m-${sha256(`${episode}\n${index}`).slice(0, 16)}`
}

function isTaken(database: Database, id: string): boolean {
  return database.prepare("SELECT 1 FROM tombstones WHERE memory_id = ?").get(id) !== undefined
}

type Writing = New & { id: string; conflicts: readonly Known[]; inherited?: Partial<Omit<Memory, keyof ClearedWords>> }

function write(
  database: Database,
  occasion: Occasion,
  { proposal, comparable, id, conflicts, inherited }: Writing,
): void {
  const { commit, episode } = occasion
  const { evidence: _, ...memory } = proposal
  const flags = [...(inherited?.flags ?? []), ...proposal.flags, ...(conflicts.length > 0 ? ["conflict"] : [])]
  insertMemory(database, {
    status: "provisional",
    pinned: false,
    derivedFrom: undefined,
    ...memory,
    ...inherited,
    id,
    text: proposal.text,
    key: freeKey(database, proposal),
    flags: [...new Set(flags)],
    created: episode.end || commit.now,
    updated: commit.now,
    vector: packVector(comparable),
  })
  addAudit(database, id, { action: "added", reason: proposal.evidence.source, now: commit.now, episode: episode.id })
  addEvidence(database, id, occasion, proposal)
}

/** The better words of the same thing go on where the old ones were: nothing that was earned is lost, and no trust is won by whoever found them. */
function refine(
  database: Database,
  occasion: Occasion,
  { old: { id: oldId }, ...given }: Writing & { old: Known },
): void {
  const { commit, episode } = occasion
  const { proposal, id } = given
  const [old] = memoriesByIds(database, [oldId])
  if (!old) throw new Error(`there is no memory ${oldId}`)
  const note = { now: commit.now, episode: episode.id }
  changeMemory(
    database,
    oldId,
    { status: "deprecated" },
    { action: "refined", reason: `${id} says it better`, ...note },
  )
  write(database, occasion, {
    ...given,
    proposal: { ...proposal, key: proposal.key ?? (old.key === undefined ? undefined : alreadyStored(old.key)) },
    inherited: {
      status: old.status,
      tier: old.tier,
      pinned: old.pinned,
      flags: old.flags,
      confidence: Math.max(old.confidence, proposal.confidence),
      expires: laterOf(old.expires, proposal.expires),
      trigger: joinTriggers(old.trigger, proposal.trigger),
      origin: old.origin,
      trust: old.trust,
      derivedFrom: oldId,
    },
  })
  copyEvidence(database, oldId, id)
  refreshMetrics(database, [id])
}

/** New evidence gives it the time that a new memory would have. */
function renew(database: Database, id: string, proposal: Proposal, note: Parameters<typeof changeMemory>[3]): void {
  const [memory] = memoriesByIds(database, [id])
  if (memory) changeMemory(database, id, { expires: laterOf(memory.expires, proposal.expires) ?? null }, note)
}

/** undefined: never. */
function laterOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return undefined
  return one > other ? one : other
}

/** A fact that updates another one does not take the key of a third. */
function freeKey(database: Database, { kind, key, project, owner, pathPrefix }: Proposal): Cleared | undefined {
  const taken = database
    .prepare(
      `SELECT 1 FROM memories WHERE key = ? AND project_id IS ? AND owner_type = ? AND owner_id = ? AND path_prefix IS ?
         AND status <> 'deprecated' AND kind IN ('invariant', 'preference') AND ? IN ('invariant', 'preference')`,
    )
    .get(key ?? null, project ?? null, owner.type, owner.id, pathPrefix ?? null, kind)
  return taken === undefined ? key : undefined
}
