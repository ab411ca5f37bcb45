import { editMemory } from "../../../store/edit-memory.ts"
import { forgetMemories } from "../../../store/forget-memories.ts"
import { isKeyTaken } from "../../../store/is-key-taken.ts"
import type { MemoryEdit } from "../../../store/learned-store.ts"
import type { Memory, MemoryStatus, MemoryTier } from "../../../store/memory.ts"
import { memoriesByIds } from "../../../store/memory-rows.ts"
import type { StoreEmbedder } from "../../../store/similarity.ts"
import { one, run, type Steps } from "../../../store/steps.ts"
import { trustOf } from "../../../store/trust-of.ts"
import { changeMemory } from "../../../store/write-memory.ts"
import type { TeamMemory } from "../../api.ts"
import { type Caller, canSee, isAtLeast } from "../identity/caller.ts"
import { addTeamAudit } from "../identity/team-audit.ts"
import { refuse, refuseUnknown } from "../refusal.ts"
import { liveMemoryOf } from "./live-memory.ts"
import { sharedIdOf, unconfirmed } from "./share-memory.ts"
import { toTeamMemory } from "./to-team-memory.ts"

export type TeamMemoryChange =
  | { kind: "text"; text: string }
  /** Something else in its place, which is the caller's. */
  | { kind: "replaced"; text: string; reason: string }
  | { kind: "pinned"; pinned: boolean }
  | { kind: "standing"; status?: MemoryStatus; tier?: MemoryTier }

export type Changing = {
  caller: Caller
  id: string
  /** That was read; somebody else's change in between is not overwritten. */
  version: number
  change: TeamMemoryChange
  now: string
  embed: StoreEmbedder | undefined
}

/** Does to one memory what its contributor, or who administers, wants of it; other words make it another memory, which is returned. */
export function* changeTeamMemory({ caller, id, version, change, now, embed }: Changing): Steps<TeamMemory> {
  const memory = yield* ownMemory(caller, id)
  if (memory.version !== version) return refuseChanged(memory)
  const changed = yield* apply(memory, change, { caller, now, embed })
  const isConfirmed = change.kind === "standing" && change.status === "active"
  const action = isConfirmed ? "memory confirmed" : `memory changed: ${change.kind}`
  yield* addTeamAudit({ actor: caller.member.name, action, subject: id }, now)
  const [after] = yield* memoriesByIds([changed])
  return after ? toTeamMemory(after) : refuseUnknown("memory")
}

function* apply(
  memory: Memory,
  change: TeamMemoryChange,
  { caller, now, embed }: Pick<Changing, "caller" | "now" | "embed">,
): Steps<string> {
  if (change.kind === "standing") {
    yield* changeStanding(memory, change, caller, now)
    return memory.id
  }
  if (change.kind === "text" && !administers(caller) && hasEarned(memory)) refuse(403, "not-allowed", earnedWords)
  const outcome = yield* editMemory(memory, editOf(memory, change, now), now, embed)
  if (outcome.kind === "changed") return refuseChanged(memory)
  if (outcome.kind === "refused") return refuse(422, "refused", `This cannot be done: ${outcome.reason}.`)
  if (change.kind === "replaced")
    yield* run(
      `UPDATE memories SET contributor_id = ?, contributed_by = ?, source_memory_id = NULL, origin = ?, trust = ?, confidence = ?
       WHERE memory_id = ?`,
      caller.member.id,
      caller.member.name,
      unconfirmed.origin,
      unconfirmed.trust,
      unconfirmed.confidence,
      outcome.id,
    )
  else if (outcome.id !== memory.id)
    yield* run(
      `UPDATE memories SET contributor_id = (SELECT contributor_id FROM memories WHERE memory_id = ?) WHERE memory_id = ?`,
      memory.id,
      outcome.id,
    )
  return outcome.id
}

type StandingChange = Extract<TeamMemoryChange, { kind: "standing" }>

/** That something counts as proven, or comes before all else, takes somebody who answers for it; a member may only end or demote his own. */
function* changeStanding(memory: Memory, change: StandingChange, caller: Caller, now: string): Steps<void> {
  const { kind: _, ...standing } = change
  const isConfirmed = standing.status === "active"
  if ((isConfirmed || standing.tier === "emergency") && !administers(caller)) refuse(403, "not-allowed", onlyConfirmed)
  const isRevived = standing.status !== undefined && standing.status !== "deprecated"
  if (memory.status === "deprecated" && isRevived) yield* checkRevivable(memory)
  const rests = isConfirmed ? confirmed : standing.status === "provisional" ? unconfirmed : undefined
  if (rests && memory.contributedBy !== undefined)
    yield* run("UPDATE memories SET origin = ?, trust = ? WHERE memory_id = ?", rests.origin, rests.trust, memory.id)
  const reason = isConfirmed ? `${caller.member.name} confirmed it` : "a person asked for it"
  yield* changeMemory(memory.id, standing, { action: isConfirmed ? "confirmed" : "set", reason, now })
}

/** From then on it is what a member says, and an administrator answers for. */
const confirmed = { origin: "user", trust: trustOf("user") } as const

const onlyConfirmed = "Only an administrator can confirm it; until then the work of others has to prove it."

/** Other words would inherit what these have earned. */
export function hasEarned({ status, metrics }: Memory): boolean {
  return status === "active" || metrics.hits > 0
}

export const earnedWords =
  "It is confirmed, or has proved useful: an administrator can word it anew, and you can put another in its place."

function editOf(memory: Memory, change: Exclude<TeamMemoryChange, { kind: "standing" }>, now: string): MemoryEdit {
  switch (change.kind) {
    case "text":
      return { kind: "reword", text: change.text }
    case "pinned":
      return { kind: "pin", pinned: change.pinned }
    case "replaced":
      return { kind: "replace", text: change.text, reason: change.reason, expires: expiryAfter(memory, now) }
  }
}

/** What takes its place has as much time to prove itself as it had. */
function expiryAfter({ created, expires }: Memory, now: string): string | undefined {
  if (expires === undefined) return undefined
  return new Date(Date.parse(now) + Date.parse(expires) - Date.parse(created)).toISOString()
}

/** What has ended may stand again, unless something stands in its place. */
function* checkRevivable(memory: Memory): Steps<void> {
  if (yield* one("SELECT 1 FROM memories WHERE derived_from = ? AND status <> 'deprecated'", memory.id))
    refuse(409, "replaced", "Another memory stands in its place.")
  if (yield* isKeyTaken(memory)) refuse(409, "key-taken", "The team has another fact under this key.")
}

export type Removing = {
  caller: Caller
  id: string
  version: number | undefined
  reason: string
  purge: boolean
  now: string
}

/**
 * Ends a memory; with `purge` nothing is left of it but its id and a hash. May be given the whole organisation's rows: what somebody shared
 * he can take back when he has left the team that has it.
 */
export function* removeTeamMemory(removing: Removing): Steps<void> {
  const { caller, version, reason, purge, now } = removing
  const memory = yield* ownMemory(caller, yield* meantBy(removing))
  const { id } = memory
  if (purge && !isAtLeast(caller.member.role, "admin"))
    refuse(403, "not-allowed", "Only an administrator can remove a memory for good.")
  if (version !== undefined && memory.version !== version) refuseChanged(memory)
  yield* forgetMemories([id], { purge, reason, now })
  const action = purge ? "memory removed for good" : "memory ended"
  yield* addTeamAudit({ actor: caller.member.name, action, subject: id }, now)
}

/** A copy, or the member's own memory that it was made of. What was worded anew goes under the old name, too, unless just that one is meant. */
function* meantBy({ caller, id, version, purge }: Removing): Steps<string> {
  const isHere = yield* one("SELECT 1 FROM memories WHERE memory_id = ?", id)
  const named = isHere ? id : sharedIdOf(caller, id)
  return version !== undefined || purge ? named : ((yield* liveMemoryOf(named)) ?? named)
}

/** What others have shared is theirs to change, or an administrator's. */
export function* ownMemory(caller: Caller, id: string): Steps<Memory> {
  const [memory] = yield* memoriesByIds([id])
  if (!memory) return refuseUnknown("memory")
  const row = yield* one<{ contributor: string | null }>(
    "SELECT contributor_id AS contributor FROM memories WHERE memory_id = ?",
    id,
  )
  if (mayChange(caller, row?.contributor ?? null)) return memory
  return canSee(caller, memory) ? refuse(403, "not-allowed", onlyContributor) : refuseUnknown("memory")
}

export const onlyContributor = "Only who shared it, or an administrator, can do this."

/** `contributor`: the member who shared it; null when the server learned it itself. */
export function mayChange(caller: Caller, contributor: string | null): boolean {
  return contributor === caller.member.id || administers(caller)
}

export function administers({ member, scopes }: Caller): boolean {
  return isAtLeast(member.role, "admin") && scopes.includes("admin")
}

function refuseChanged(memory: Memory): never {
  return refuse(409, "changed", "It was changed meanwhile.", toTeamMemory(memory))
}
