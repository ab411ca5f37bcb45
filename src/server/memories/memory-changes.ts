import { forgetMemories } from "../../memories/forgetting.ts"
import type { MemoryEdit } from "../../memories/learned-store.ts"
import type { Memory, MemoryStatus, MemoryTier } from "../../memories/memory.ts"
import { editMemory } from "../../memories/memory-edits.ts"
import { changeMemory, memoriesByIds } from "../../memories/memory-rows.ts"
import { trustOf } from "../../memories/proposal.ts"
import { isKeyTaken } from "../../memories/proposal-verdict.ts"
import type { StoreEmbedder } from "../../memories/similarity.ts"
import { one, run, type Steps } from "../../memories/steps.ts"
import type { TeamMemory } from "../api.ts"
import { canSee, isAtLeast, type TeamCaller } from "../identity/caller.ts"
import { addTeamAudit } from "../identity/team-audit.ts"
import { refuse, refuseUnknown } from "../refusal.ts"
import { sharedIdOf, unconfirmed } from "./sharing.ts"
import { liveMemoryOf, toTeamMemory } from "./team-memories.ts"

export type TeamMemoryChange =
  | { kind: "text"; text: string }
  /** Replaced by a memory of the caller's. */
  | { kind: "replaced"; text: string; reason: string }
  | { kind: "pinned"; pinned: boolean }
  | { kind: "standing"; status?: MemoryStatus; tier?: MemoryTier }

export type Changing = {
  caller: TeamCaller
  id: string
  /** The version that was read: concurrent changes are not overwritten. */
  version: number
  change: TeamMemoryChange
  now: string
  embed: StoreEmbedder | undefined
}

/** Changes a memory as its contributor or an administrator. New words make it another memory, which is returned. */
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
  if (outcome.kind === "refused") return refuse(422, "refused", `Not changed: ${outcome.reason}.`)
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

/** Only administrators can mark a memory as proven or as an emergency; members can only end or demote their own. */
function* changeStanding(memory: Memory, change: StandingChange, caller: TeamCaller, now: string): Steps<void> {
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

/** A confirmed memory counts as stated by a user. */
const confirmed = { origin: "user", trust: trustOf("user") } as const

const onlyConfirmed = "Only an administrator can confirm it; otherwise it must prove useful to others first."

/** New words would inherit the record of the old ones. */
export function hasEarned({ status, metrics }: Memory): boolean {
  return status === "active" || metrics.hits > 0
}

export const earnedWords =
  "It is confirmed or has proved useful: only an administrator can edit it, but you can replace it."

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

/** The replacement gets the same trial period. */
function expiryAfter({ created, expires }: Memory, now: string): string | undefined {
  if (expires === undefined) return undefined
  return new Date(Date.parse(now) + Date.parse(expires) - Date.parse(created)).toISOString()
}

/** An ended memory can be reactivated unless another has replaced it. */
function* checkRevivable(memory: Memory): Steps<void> {
  if (yield* one("SELECT 1 FROM memories WHERE derived_from = ? AND status <> 'deprecated'", memory.id))
    refuse(409, "replaced", "Another memory has replaced it.")
  if (yield* isKeyTaken(memory)) refuse(409, "key-taken", "The team already has a fact with this key.")
}

export type Removing = {
  caller: TeamCaller
  id: string
  version: number | undefined
  reason: string
  purge: boolean
  now: string
}

/**
 * Ends a memory; with `purge` only its id and a hash remain. May be given the whole organisation's rows: contributors can withdraw what they
 * shared even after they left the team.
 */
export function* removeTeamMemory(removing: Removing): Steps<void> {
  const { caller, version, reason, purge, now } = removing
  const memory = yield* ownMemory(caller, yield* meantBy(removing))
  const { id } = memory
  if (purge && !isAtLeast(caller.member.role, "admin"))
    refuse(403, "not-allowed", "Only an administrator can permanently delete a memory.")
  if (version !== undefined && memory.version !== version) refuseChanged(memory)
  yield* forgetMemories([id], { purge, reason, now })
  const action = purge ? "memory removed for good" : "memory ended"
  yield* addTeamAudit({ actor: caller.member.name, action, subject: id }, now)
}

/** Finds a copy by its own id, by the id of the member's original, or by the id it had before it was reworded. */
function* meantBy({ caller, id, version, purge }: Removing): Steps<string> {
  const isHere = yield* one("SELECT 1 FROM memories WHERE memory_id = ?", id)
  const named = isHere ? id : sharedIdOf(caller, id)
  return version !== undefined || purge ? named : ((yield* liveMemoryOf(named)) ?? named)
}

/** Only the contributor or an administrator may change a memory. */
export function* ownMemory(caller: TeamCaller, id: string): Steps<Memory> {
  const [memory] = yield* memoriesByIds([id])
  if (!memory) return refuseUnknown("memory")
  const row = yield* one<{ contributor: string | null }>(
    "SELECT contributor_id AS contributor FROM memories WHERE memory_id = ?",
    id,
  )
  if (mayChange(caller, row?.contributor ?? null)) return memory
  return canSee(caller, memory) ? refuse(403, "not-allowed", onlyContributor) : refuseUnknown("memory")
}

export const onlyContributor = "Only the member who shared it or an administrator can do this."

/** `contributor`: the member who shared it; null when the server learned it itself. */
export function mayChange(caller: TeamCaller, contributor: string | null): boolean {
  return contributor === caller.member.id || administers(caller)
}

export function administers({ member, scopes }: TeamCaller): boolean {
  return isAtLeast(member.role, "admin") && scopes.includes("admin")
}

function refuseChanged(memory: Memory): never {
  return refuse(409, "changed", "It was changed in the meantime. Reload and try again.", toTeamMemory(memory))
}
