import { z } from "zod"
import { parseMemoryKey } from "../formats/ids.ts"
import { parsePathPrefix } from "../formats/text.ts"
import { forgetMemories } from "./forgetting.ts"
import {
  evidenceSources,
  type Memory,
  memoryKinds,
  memoryOrigins,
  memoryScopes,
  memoryStatuses,
  memoryTiers,
} from "./memory.ts"
import { addAudit, insertMemory, listMemories, refreshMetrics } from "./memory-rows.ts"
import { ensureProject } from "./projects.ts"
import { clearMemoryText, clearName, clearNote, clearTrigger, textHashOf } from "./proposal.ts"
import { isKeyed } from "./proposal-verdict.ts"
import { comparable, packVector, type StoreEmbedder } from "./similarity.ts"
import { all, run, type Steps } from "./steps.ts"

const time = z.iso.datetime()
const texts = z.array(z.string().max(500)).max(100)

/** What never changes about a memory: a new wording is a new memory. */
const contentShape = z.object({
  project: z.string().nullable(),
  scope: z.enum(memoryScopes),
  pathPrefix: z.string().nullable(),
  kind: z.enum(memoryKinds),
  polarity: z.literal([1, -1]),
  key: z.string().nullable(),
  text: z.string().min(1).max(300),
  origin: z.enum(memoryOrigins),
  trust: z.literal([0, 1, 2, 3]),
  derivedFrom: z.string().nullable(),
  trigger: z.object({ tools: texts, heads: texts, paths: texts, fingerprints: texts }),
  created: time,
})

const evidenceShape = z.object({
  id: z.string().max(100),
  episode: z.string().max(300),
  project: z.string(),
  source: z.enum(evidenceSources),
  frustration: z.enum(["none", "mild", "moderate", "severe"]),
  created: z.string(),
  transcript: z.string(),
  line: z.number().int(),
  quote: z.string(),
})

const memoryId = z.string().regex(/^m-[0-9a-f]{16}$/)

const keptShape = z.object({
  id: memoryId,
  content: contentShape,
  /** What review changes. The latest wins. */
  standing: z.object({
    at: z.string(),
    status: z.enum(memoryStatuses),
    tier: z.enum(memoryTiers),
    expires: time.nullable(),
    flags: z.array(z.string().max(100)).max(20),
    confidence: z.number().min(0).max(1),
  }),
  pinned: z.object({ at: z.string(), value: z.boolean() }),
  /** How often the user ended and restored it: it has ended while the first is larger, whatever review says. */
  endings: z.number().int().min(0).max(1000),
  restorings: z.number().int().min(0).max(1000),
  evidence: z.array(evidenceShape).max(200),
})

const purgedShape = z.object({ id: memoryId, purged: time, textHash: z.string(), project: z.string().nullable() })

/** A memory as machines of one user exchange it. */
export const syncRecordShape = z.union([purgedShape, keptShape])
export type SyncRecord = z.infer<typeof syncRecordShape>
type Kept = z.infer<typeof keptShape>

/** `withheld`: ids of records that cannot be stored here, with the reason and never the text. */
export type SyncedMemories = {
  records: SyncRecord[]
  changed: string[]
  purged: string[]
  withheld: { id: string; reason: string }[]
}

/** The latest first; equal times are ordered by content, so that every machine chooses the same. */
function latest<Value extends { at: string }>(one: Value, other: Value): Value {
  if (one.at !== other.at) return one.at > other.at ? one : other
  return JSON.stringify(one) >= JSON.stringify(other) ? one : other
}

/**
 * Joins two records of one memory. Commutative, associative and idempotent, so machines may sync in any order and any
 * number of times: purged wins over forgotten, forgotten over confirmed.
 */
export function joinRecords(one: SyncRecord, other: SyncRecord): SyncRecord {
  if ("purged" in one || "purged" in other) {
    if (!("purged" in one)) return other
    if (!("purged" in other)) return one
    return JSON.stringify(one) <= JSON.stringify(other) ? one : other
  }
  const content = JSON.stringify(one.content) <= JSON.stringify(other.content) ? one.content : other.content
  const evidence = new Map([...one.evidence, ...other.evidence].map((each) => [each.id, each]))
  for (const each of one.evidence) {
    const twin = other.evidence.find(({ id }) => id === each.id)
    if (twin && JSON.stringify(each) < JSON.stringify(twin)) evidence.set(each.id, each)
  }
  const { standing, endings, restorings } = standingOf(one, other)
  return {
    id: one.id,
    content,
    standing,
    pinned: latest(one.pinned, other.pinned),
    endings,
    restorings,
    evidence: [...evidence.values()].sort((first, second) => (first.id < second.id ? -1 : 1)),
  }
}

/** What the user restored wins over what they forgot, that over what review changed, and of the rest the latest. */
function standingOf(one: Kept, other: Kept): Pick<Kept, "standing" | "endings" | "restorings"> {
  const order = one.restorings - other.restorings || one.endings - other.endings
  const standing = latest(one.standing, other.standing)
  const { endings, restorings } = order < 0 ? other : one
  return { standing: order > 0 ? one.standing : order < 0 ? other.standing : standing, endings, restorings }
}

/** Joins two sets of records, and ends what two machines learned apart: the older of two values of one key, the newer of two equal texts. */
export function joinAll(one: readonly SyncRecord[], other: readonly SyncRecord[]): SyncRecord[] {
  const joined = new Map<string, SyncRecord>()
  for (const record of [...one, ...other]) {
    const known = joined.get(record.id)
    joined.set(record.id, known ? joinRecords(known, record) : record)
  }
  endOthers(joined, keyOf, (first, second) => first > second)
  endOthers(joined, textOf, (first, second) => first < second)
  return [...joined.values()].sort((first, second) => (first.id < second.id ? -1 : 1))
}

/** Of the live records in one place, only the first in an order that never changes stays. */
function endOthers(
  records: Map<string, SyncRecord>,
  placeOf: (record: Kept) => string | undefined,
  isBefore: (one: string, other: string) => boolean,
): void {
  const orderOf = ({ content, id }: Kept) => `${content.created} ${id}`
  const kept = new Map<string, Kept>()
  for (const record of records.values()) {
    const place = "purged" in record || record.standing.status === "deprecated" ? undefined : placeOf(record as Kept)
    if (place === undefined) continue
    const known = kept.get(place)
    const [first, second] =
      known && isBefore(orderOf(known), orderOf(record as Kept)) ? [known, record as Kept] : [record as Kept, known]
    kept.set(place, first)
    if (second) records.set(second.id, end(second))
  }
}

function end(record: Kept): Kept {
  const endings = Math.max(record.endings, record.restorings + 1)
  return { ...record, endings, standing: { ...record.standing, status: "deprecated" } }
}

function keyOf({ content: { kind, key, project, pathPrefix } }: Kept): string | undefined {
  return key === null || !isKeyed(kind) ? undefined : JSON.stringify([project, pathPrefix, key])
}

function textOf({ content: { kind, text, project, pathPrefix, polarity } }: Kept): string {
  return JSON.stringify([project, pathPrefix, kind, polarity, textHashOf(text)])
}

/** Joins the user's own memories with records of other machines, in one transaction. */
export function* syncMemories(
  remote: readonly SyncRecord[],
  { owner, now, embed }: { owner: string; now: string; embed: StoreEmbedder | undefined },
): Steps<SyncedMemories> {
  const withheld: SyncedMemories["withheld"] = []
  const accepted = remote.filter((record) => {
    const reason = "purged" in record ? undefined : whyNotStored(record)
    if (reason !== undefined) withheld.push({ id: record.id, reason })
    return reason === undefined
  })
  const local = new Map((yield* readRecords()).map((record) => [record.id, record]))
  const foreign = new Set((yield* listMemories({})).flatMap(({ id }) => (local.has(id) ? [] : [id])))
  const records = joinAll(
    [...local.values()],
    accepted.filter(({ id }) => !foreign.has(id)),
  )
  const changes = records.filter((record) => JSON.stringify(record) !== JSON.stringify(local.get(record.id)))
  const purged: string[] = []
  // What ends comes first: a key has one live memory.
  const ends = (record: SyncRecord) => "purged" in record || record.standing.status === "deprecated"
  for (const record of [...changes.filter(ends), ...changes.filter((each) => !ends(each))]) {
    const here = local.get(record.id)
    if ("purged" in record) {
      if (here && !("purged" in here)) purged.push(...(yield* purge(record.id, now)))
      yield* run(
        `INSERT INTO tombstones (memory_id, text_hash, project_id, purged_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (memory_id) DO UPDATE SET text_hash = excluded.text_hash, project_id = excluded.project_id, purged_at = excluded.purged_at`,
        record.id,
        record.textHash,
        record.project,
        record.purged,
      )
    } else {
      if (here === undefined) yield* add(record, owner, embed)
      else if (!("purged" in here)) yield* change(record, here)
      yield* addEvidence(record)
    }
  }
  yield* refreshMetrics(changes.map(({ id }) => id))
  return { records, changed: changes.map(({ id }) => id), purged, withheld }
}

function purge(id: string, now: string): Steps<string[]> {
  return forgetMemories([id], { purge: true, reason: "purged on another machine", now })
}

/** It comes from outside, so it must pass the governance check unchanged. */
function whyNotStored({ content, evidence }: Kept): string | undefined {
  const { text, key, pathPrefix, scope, project, kind, polarity } = content
  const cleared = clearMemoryText(text)
  if (cleared.kind === "refused") return `it contains forbidden content (${cleared.reason})`
  if (cleared.text !== text) return "its text is not as Drey writes it"
  if (key !== null && clearName(parseMemoryKey(key)) !== key) return "its key is not valid"
  if (pathPrefix !== null && clearName(parsePathPrefix(pathPrefix)) !== pathPrefix) return "its path is not valid"
  if ((scope === "global") !== (project === null)) return "its scope and project do not match"
  if ((scope === "repo_path") !== (pathPrefix !== null)) return "its scope and path do not match"
  if (kind === "guard" && polarity !== -1) return "it is a guard that forbids nothing"
  return evidence.some(({ quote }) => clearNote(quote) !== quote) ? "its evidence is not as Drey writes it" : undefined
}

/** Ends by review may be reversed by later use; all other ends are the user's. */
const reviewActions = ["promote", "demote", "deprecate", "decay", "expire", "flag", "graduate", "skill"]
const synced = "synced"
const endedElsewhere = "ended elsewhere"
const restoredElsewhere = "restored elsewhere"

type History = {
  id: string
  standing_at: string | null
  pinned_at: string | null
  endings: number
  restorings: number
}

/** The user's own memories, and what was purged, as records. */
export function* readRecords(): Steps<SyncRecord[]> {
  const memories = (yield* listMemories({})).filter(
    ({ owner, contributedBy }) => owner.type === "user" && !contributedBy,
  )
  const histories = yield* all<History>(
    `SELECT memory_id AS id,
       (SELECT ts FROM memory_audit AS last WHERE last.memory_id = memory_audit.memory_id AND (action IN ('confirmed', 'synced')
         OR (action NOT LIKE '% elsewhere' AND (new_json LIKE '%"status"%' OR new_json LIKE '%"tier"%' OR new_json LIKE '%"expires"%'
           OR new_json LIKE '%"flags"%' OR new_json LIKE '%"confidence"%'))) ORDER BY audit_id DESC LIMIT 1) AS standing_at,
       (SELECT ts FROM memory_audit AS last WHERE last.memory_id = memory_audit.memory_id AND (action LIKE 'pinned%'
         OR action LIKE 'unpinned%' OR new_json LIKE '%"pinned"%') ORDER BY audit_id DESC LIMIT 1) AS pinned_at,
       count(*) FILTER (WHERE action = :ended OR (new_json LIKE '%"status":"deprecated"%' AND action <> :synced
         AND action NOT IN (SELECT value FROM json_each(:review)))) AS endings,
       count(*) FILTER (WHERE action = :restored OR (action = 'restored' AND new_json LIKE '%"status"%')) AS restorings
     FROM memory_audit GROUP BY memory_id`,
    { synced: synced, ended: endedElsewhere, restored: restoredElsewhere, review: JSON.stringify(reviewActions) },
  )
  const historyOf = new Map(histories.map((history) => [history.id, history]))
  const evidence = yield* all<z.infer<typeof evidenceShape> & { memory: string }>(
    `SELECT evidence_id AS id, memory_id AS memory, episode_id AS episode, project_id AS project, source, frustration,
       created_at AS created, transcript, line, quote FROM evidence ORDER BY evidence_id`,
  )
  const evidenceOf = new Map<string, unknown[]>()
  for (const each of evidence) evidenceOf.set(each.memory, [...(evidenceOf.get(each.memory) ?? []), each])
  const purged = yield* all<{ id: string; purged: string; textHash: string; project: string | null }>(
    'SELECT memory_id AS id, purged_at AS purged, text_hash AS "textHash", project_id AS project FROM tombstones',
  )
  const kept = memories.map((memory) => toRecord(memory, historyOf.get(memory.id), evidenceOf.get(memory.id) ?? []))
  return [...kept, ...purged].map((record) => syncRecordShape.parse(record))
}

function toRecord(memory: Memory, history: History | undefined, evidence: unknown[]): unknown {
  const { project = null, pathPrefix = null, key = null, derivedFrom = null, expires = null } = memory
  const { id, scope, kind, polarity, text, origin, trust, trigger, created, status, tier, flags, confidence } = memory
  return {
    id,
    content: { project, scope, pathPrefix, kind, polarity, key, text, origin, trust, derivedFrom, trigger, created },
    standing: { at: history?.standing_at ?? created, status, tier, expires, flags, confidence },
    pinned: { at: history?.pinned_at ?? "", value: memory.pinned },
    endings: history?.endings ?? 0,
    restorings: history?.restorings ?? 0,
    evidence,
  }
}

function* add({ id, content, ...state }: Kept, owner: string, embed: StoreEmbedder | undefined): Steps<void> {
  const cleared = clearMemoryText(content.text)
  if (cleared.kind === "refused") throw new Error("A record was not checked before it was stored.")
  const { standing, pinned } = state
  const { at, expires, ...review } = standing
  yield* insertMemory({
    ...review,
    id,
    project: content.project === null ? undefined : yield* ensureProject(content.project),
    scope: content.scope,
    pathPrefix: clearName(content.pathPrefix ?? undefined),
    owner: { type: "user", id: owner },
    kind: content.kind,
    polarity: content.polarity,
    key: clearName(content.key ?? undefined),
    text: cleared.text,
    textHash: textHashOf(content.text),
    flags: standing.flags.map(clearNote),
    expires: expires ?? undefined,
    pinned: pinned.value,
    trigger: clearTrigger(content.trigger),
    origin: content.origin,
    trust: content.trust,
    derivedFrom: content.derivedFrom ?? undefined,
    contributedBy: undefined,
    sourceMemory: undefined,
    created: content.created,
    updated: at,
    vector: packVector(comparable(content.text, embed)),
  })
  yield* note(
    id,
    { ...state, endings: 0, restorings: 0, standing: { ...standing, at: "" }, pinned: { at: "", value: false } },
    state,
  )
}

function* change({ id, ...state }: Kept, here: Kept): Steps<void> {
  const { standing, pinned } = state
  yield* run(
    `UPDATE memories SET status = ?, tier = ?, expires_at = ?, flags = ?, confidence = ?, pinned = ?, updated_at = ?, version = version + 1
     WHERE memory_id = ?`,
    standing.status,
    standing.tier,
    standing.expires,
    JSON.stringify(standing.flags.map(clearNote)),
    standing.confidence,
    Number(pinned.value),
    standing.at,
    id,
  )
  yield* note(id, here, state)
}

type RecordState = Pick<Kept, "standing" | "pinned" | "endings" | "restorings">

/** Writes to the memory's history what `readRecords` reads from it. */
function* note(id: string, from: RecordState, to: RecordState): Steps<void> {
  const reason = "changed on another machine"
  const { standing, pinned } = to
  if (standing.at !== from.standing.at) yield* addAudit(id, { action: synced, reason, now: standing.at })
  if (pinned.at !== from.pinned.at)
    yield* addAudit(id, { action: `${pinned.value ? "pinned" : "unpinned"} elsewhere`, reason, now: pinned.at })
  for (let more = to.endings - from.endings; more > 0; more--)
    yield* addAudit(id, { action: endedElsewhere, reason, now: standing.at })
  for (let more = to.restorings - from.restorings; more > 0; more--)
    yield* addAudit(id, { action: restoredElsewhere, reason, now: standing.at })
}

function* addEvidence({ id: memory, evidence }: Kept): Steps<void> {
  for (const { id, episode, project, source, frustration, created, transcript, line, quote } of evidence)
    yield* run(
      `INSERT INTO evidence (evidence_id, memory_id, episode_id, project_id, source, frustration, created_at, transcript, line, quote)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      ...[id, memory, episode, project, source, frustration, created, transcript, line, quote],
    )
}
