import { sha256 } from "../../disk/hash.ts"
import { parseMemoryKey } from "../../formats/ids.ts"
import { parsePathPrefix } from "../../formats/text.ts"
import type { Memory } from "../../memories/memory.ts"
import { findTwin } from "../../memories/memory-edits.ts"
import { addAudit, changeMemory, insertMemory, type MemoryInsert, memoriesByIds } from "../../memories/memory-rows.ts"
import { ensureProject } from "../../memories/projects.ts"
import {
  type ClearedWords,
  clearMemoryText,
  clearName,
  clearTrigger,
  textHashOf,
  trustOf,
} from "../../memories/proposal.ts"
import { isKeyTaken } from "../../memories/proposal-verdict.ts"
import type { PackedVector } from "../../memories/similarity.ts"
import { one, run, type Steps } from "../../memories/steps.ts"
import type { SharedMemory, TeamMemory } from "../api.ts"
import { canSee, type TeamCaller } from "../identity/caller.ts"
import { addTeamAudit } from "../identity/team-audit.ts"
import { refuse } from "../refusal.ts"
import { liveMemoryOf, toTeamMemory } from "./team-memories.ts"

export type ShareRequest = {
  caller: TeamCaller
  shared: SharedMemory
  words: ClearedWords
  vector: PackedVector | undefined
  now: string
}

/** `isNew` is false if the memory was shared before. */
export type Shared = { memory: TeamMemory; isNew: boolean }

/**
 * Stores a copy of what a member shares, attributed to them, for one of their teams or the organisation. Needs the whole organisation's
 * rows: an earlier copy may belong to a team that they have left.
 */
export function* shareMemory(sharing: ShareRequest): Steps<Shared> {
  const { caller, shared, now } = sharing
  const id = sharedIdOf(caller, shared.sourceMemory)
  const memory = yield* asNewMemory(sharing, id)
  const known = yield* knownCopy(id)
  if (known && known.status !== "deprecated")
    return { memory: toTeamMemory(yield* handOver(caller, known, memory.owner, now)), isNew: false }
  yield* checkPurged(memory)
  const twin = yield* sharedTwinOf(memory)
  if (twin) return { memory: toTeamMemory(twin), isNew: false }
  yield* checkKey(memory)
  if (known) {
    yield* changeOwner(caller, known, memory.owner, now)
    yield* run(
      "UPDATE memories SET origin = ?, trust = ? WHERE memory_id = ?",
      unconfirmed.origin,
      unconfirmed.trust,
      id,
    )
    yield* changeMemory(id, { status: onTrial }, { action: "shared", reason: "it was shared again", now })
  } else yield* addShared(caller, memory, now)
  yield* addTeamAudit({ actor: caller.member.name, action: "memory shared", subject: id }, now)
  return { memory: toTeamMemory(yield* memoryById(id)), isNew: known === undefined }
}

/** Deterministic, so that sharing the same memory again from any machine finds its copy. */
export function sharedIdOf({ slug, member }: Pick<TeamCaller, "slug" | "member">, source: string): string {
  return `m-${sha256(`shared\n${slug}\n${member.id}\n${source}`).slice(0, 16)}`
}

/** The copy, or its successor if it was reworded on the server. */
function* knownCopy(id: string): Steps<Memory | undefined> {
  const [copy] = yield* memoriesByIds([(yield* liveMemoryOf(id)) ?? id])
  return copy
}

function* memoryById(id: string): Steps<Memory> {
  const [memory] = yield* memoriesByIds([id])
  if (!memory) throw new Error("a memory that was just there is gone")
  return memory
}

const onTrial = "provisional" as const

/** An unconfirmed memory has low trust, because its evidence is not on the server, and the minimum confidence for contexts. */
export const unconfirmed = { origin: "import", trust: trustOf("import"), confidence: 0.6 } as const

/**
 * The server decides the status, whatever the client claims: on trial and never an emergency until an administrator confirms it or it
 * proves useful to others.
 */
function* asNewMemory({ caller, shared, words, vector, now }: ShareRequest, id: string): Steps<MemoryInsert> {
  const { team, project, sourceMemory, expires, tier, confidence, created, ...rest } = shared
  const textHash = textHashOf(words.text)
  return {
    ...rest,
    ...words,
    id,
    project: project === null ? undefined : yield* ensureProject(project),
    owner: team === null ? { type: "org", id: caller.slug } : { type: "team", id: team },
    expires: expires ?? undefined,
    pinned: false,
    flags: [],
    trigger: clearTrigger(shared.trigger),
    ...unconfirmed,
    status: onTrial,
    tier: tier === "emergency" ? "short_term" : tier,
    confidence: Math.min(confidence, unconfirmed.confidence),
    created: Date.parse(created) > Date.parse(now) ? now : created,
    derivedFrom: undefined,
    contributedBy: caller.member.name,
    sourceMemory,
    updated: now,
    textHash,
    vector,
  }
}

/** Purged memories are also matched by text hash, so that one cannot be shared again under a new id. */
function* checkPurged({ id, textHash, project }: MemoryInsert): Steps<void> {
  const purged = yield* one(
    `SELECT 1 FROM tombstones
     WHERE memory_id = :id OR (text_hash = :textHash AND project_id IS NOT DISTINCT FROM :project)`,
    { id, textHash, project: project ?? null },
  )
  if (purged) refuse(410, "purged", "This memory was permanently deleted and cannot be shared again.")
}

/** Moves a memory to another audience; if that audience already has it, the member's copy ends. */
function* handOver(caller: TeamCaller, known: Memory, owner: Memory["owner"], now: string): Steps<Memory> {
  if (isSame(known.owner, owner)) return known
  const isReworded = known.id !== sharedIdOf(caller, known.sourceMemory ?? "")
  if (isReworded && !canSee(caller, known))
    refuse(409, "replaced", "A team that you have left has edited it. Share it as a new memory instead.")
  const there = { ...known, owner, textHash: textHashOf(known.text) }
  const twin = yield* sharedTwinOf(there)
  if (twin) {
    const reason = `${twin.id} already says this to the new audience`
    yield* changeMemory(known.id, { status: "deprecated" }, { action: "shared", reason, now })
  } else {
    yield* checkKey(there)
    yield* changeOwner(caller, known, owner, now)
  }
  yield* addTeamAudit({ actor: caller.member.name, action: "memory shared with others", subject: known.id }, now)
  return yield* memoryById(twin?.id ?? known.id)
}

function* changeOwner({ member }: TeamCaller, known: Memory, owner: Memory["owner"], now: string): Steps<void> {
  if (isSame(known.owner, owner)) return
  const { type, id } = owner
  yield* run(
    "UPDATE memories SET owner_type = ?, owner_id = ?, version = version + 1, updated_at = ? WHERE memory_id = ?",
    type,
    id,
    now,
    known.id,
  )
  const reason = `${member.name} shared it with ${type === "org" ? "everyone" : "another team"}`
  const json = { old: JSON.stringify({ owner: known.owner }), new: JSON.stringify({ owner }) }
  yield* addAudit(known.id, { action: "shared", reason, now }, json)
}

function isSame(one: Memory["owner"], other: Memory["owner"]): boolean {
  return one.type === other.type && one.id === other.id
}

/** A memory with the same words and scope that another member shared. */
function* sharedTwinOf(memory: Parameters<typeof findTwin>[0]): Steps<Memory | undefined> {
  const twin = yield* findTwin(memory, { ofAnyKind: false })
  return twin === undefined ? undefined : yield* memoryById(twin)
}

function* checkKey(memory: Pick<Memory, "id" | "kind" | "key" | "project" | "owner" | "pathPrefix">): Steps<void> {
  const { id, key, project, owner, pathPrefix } = memory
  if (!(yield* isKeyTaken(memory))) return
  const holder = yield* one<{ id: string }>(
    `SELECT memory_id AS id FROM memories WHERE key = ? AND memory_id <> ? AND project_id IS NOT DISTINCT FROM ? AND owner_type = ?
       AND owner_id = ? AND path_prefix IS NOT DISTINCT FROM ? AND status <> 'deprecated' AND kind IN ('invariant', 'preference')`,
    key ?? null,
    id,
    project ?? null,
    owner.type,
    owner.id,
    pathPrefix ?? null,
  )
  if (!holder) return
  const current = toTeamMemory(yield* memoryById(holder.id))
  refuse(409, "key-taken", "The team already has a fact with this key.", current)
}

function* addShared({ member }: TeamCaller, memory: MemoryInsert, now: string): Steps<void> {
  yield* insertMemory(memory)
  yield* run("UPDATE memories SET contributor_id = ? WHERE memory_id = ?", member.id, memory.id)
  yield* addAudit(memory.id, { action: "added", reason: `${member.name} shared it`, now })
}

/** Runs the governance check on the server too. A refusal names the rule, never the content. */
export function clearShared({ text, key, pathPrefix }: SharedMemory): ClearedWords {
  const cleared = clearMemoryText(text)
  if (cleared.kind === "refused")
    return refuse(422, "withheld", `The text contains sensitive content: ${cleared.reason}.`)
  if (cleared.text === "") return refuse(422, "empty", "The text is empty after redaction.")
  const names = {
    key: clearName(parseMemoryKey(key ?? "")),
    pathPrefix: clearName(parsePathPrefix(pathPrefix ?? "")),
  }
  if ((names.key === undefined) !== (key === null)) return refuse(422, "key-unusable", "The key is invalid.")
  if ((names.pathPrefix === undefined) !== (pathPrefix === null))
    return refuse(422, "path-unusable", "The path is invalid.")
  return { text: cleared.text, ...names }
}

/** Constraints across fields. */
export function checkShared({ scope, project, pathPrefix, kind, polarity, status }: SharedMemory): void {
  if ((scope === "global") !== (project === null))
    refuse(422, "place-unusable", "A memory needs a project unless its scope is global.")
  if ((scope === "repo_path") !== (pathPrefix !== null))
    refuse(422, "place-unusable", "A path is required for the scope repo_path and not allowed for others.")
  if (kind === "guard" && polarity !== -1) refuse(422, "polarity-unusable", "A guard must have polarity -1.")
  if (status === "deprecated") refuse(422, "ended", "An ended memory cannot be shared.")
}
