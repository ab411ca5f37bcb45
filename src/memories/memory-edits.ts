import { alreadyStored } from "../governance/cleared.ts"
import { copyEvidence, memoryIdOf } from "./commit.ts"
import type { MemoryEdit, MemoryEditOutcome, RecordedEdit } from "./learned-store.ts"
import type { Memory } from "./memory.ts"
import {
  addAudit,
  changeMemory,
  insertMemory,
  type MemoryUpdate,
  memoriesByIds,
  refreshMetrics,
} from "./memory-rows.ts"
import { currentProjectId } from "./project-id.ts"
import { clearMemoryText, clearNote, textHashOf, trustOf } from "./proposal.ts"
import { comparable, packVector, type StoreEmbedder } from "./similarity.ts"
import { one, type Steps } from "./steps.ts"

/** Audit actions that `undoEdit` can revert. */
const editActions = ["pinned", "unpinned", "forgotten", "reworded", "overruled"] as const

/** Applies the user's change to one memory if it still has the version the user has read. */
export function* editMemory(
  { id, version }: Pick<Memory, "id" | "version">,
  edit: MemoryEdit,
  now: string,
  embed: StoreEmbedder | undefined,
): Steps<MemoryEditOutcome> {
  const [memory] = yield* memoriesByIds([id])
  if (memory?.version !== version) return { kind: "changed" }
  if (memory.status === "deprecated") return { kind: "refused", reason: "it is no longer active" }
  if (edit.kind === "reword" || edit.kind === "replace") return yield* restate(memory, edit, now, embed)
  if (edit.kind === "pin") {
    const action = edit.pinned ? "pinned" : "unpinned"
    yield* changeMemory(id, { pinned: edit.pinned }, { action, reason: "changed by the user", now })
  } else {
    yield* changeMemory(id, { status: "deprecated" }, { action: "forgotten", reason: clearNote(edit.reason), now })
  }
  return { kind: "done", id, edit: yield* lastNoteOf(id) }
}

/** The new text becomes a memory of its own, and the edited one ends. */
function* restate(
  old: Memory,
  edit: Extract<MemoryEdit, { text: string }>,
  now: string,
  embed: StoreEmbedder | undefined,
): Steps<MemoryEditOutcome> {
  const cleared = clearMemoryText(edit.text)
  if (cleared.kind === "refused") return { kind: "refused", reason: `the text contains a secret: ${cleared.reason}` }
  const { text } = cleared
  const textHash = textHashOf(text)
  const twin = yield* findTwin({ ...old, textHash }, { ofAnyKind: true })
  if (twin !== undefined) return { kind: "refused", reason: `same as ${twin}` }
  const id = successorIdOf(old)
  const [action, said] = edit.kind === "reword" ? ["reworded", "reworded as"] : ["overruled", "replaced by"]
  yield* changeMemory(old.id, { status: "deprecated" }, { action, reason: `${said} ${id}`, now })
  const { metrics: _, evidence: __, version: ___, ...kept } = old
  yield* insertMemory({
    ...kept,
    ...(edit.kind === "reword" ? { derivedFrom: old.id } : stated(edit.expires, now)),
    id,
    key: old.key === undefined ? undefined : alreadyStored(old.key),
    pathPrefix: old.pathPrefix === undefined ? undefined : alreadyStored(old.pathPrefix),
    text,
    textHash,
    updated: now,
    vector: packVector(comparable(text, embed)),
  })
  const reason = edit.kind === "reword" ? "reworded by the user" : clearNote(edit.reason)
  yield* addAudit(id, { action: "added", reason, now })
  yield* addAudit(id, { action: "replaces", reason: `replaces ${old.id}`, now })
  if (edit.kind === "reword") yield* copyEvidence(old.id, id)
  yield* refreshMetrics([id])
  return { kind: "done", id, edit: yield* lastNoteOf(old.id) }
}

/**
 * Rewording changes neither trust nor metrics. A replacement stated by the user gets the user's trust and starts on
 * trial.
 */
function stated(expires: string | undefined, now: string) {
  const origin = "user" as const
  const standing = { status: "provisional" as const, flags: [], confidence: statedConfidence, expires }
  return { ...standing, origin, trust: trustOf(origin), ...fromHere, created: now }
}

const statedConfidence = 0.9

const fromHere = { derivedFrom: undefined, contributedBy: undefined, sourceMemory: undefined }

/** Derived, so that the successor can be computed from the memory alone. */
function successorIdOf({ id, version }: Pick<Memory, "id" | "version">): string {
  return memoryIdOf(id, version)
}

function* lastNoteOf(id: string): Steps<number> {
  const row = yield* one<{ note: number }>("SELECT max(audit_id) AS note FROM memory_audit WHERE memory_id = ?", id)
  if (row === undefined) throw new Error(`no evidence recorded for ${id}`)
  return row.note
}

/** The user's latest change to a memory that the project may see, if the memory has not changed since. */
export function* lastEdit(project: string): Steps<RecordedEdit | undefined> {
  const row = yield* one<RecordedEdit>(
    `SELECT audit_id AS edit, memory_id AS memory, ts, action, text FROM memory_audit JOIN memories USING (memory_id)
     WHERE action IN (SELECT value FROM json_each(:actions)) AND old_json IS NOT NULL AND (project_id IS NULL OR project_id = :project)
       AND NOT EXISTS (SELECT 1 FROM memory_audit AS later WHERE later.memory_id = memory_audit.memory_id AND later.audit_id > memory_audit.audit_id)
     ORDER BY audit_id DESC LIMIT 1`,
    { actions: JSON.stringify(editActions), project: yield* currentProjectId(project) },
  )
  return row && { ...row }
}

/**
 * Undoes it: restores the memory and ends its replacement. Returns the memory's id; undefined if it is no longer the
 * latest change.
 */
export function* undoEdit(project: string, edit: number, now: string): Steps<string | undefined> {
  const last = yield* lastEdit(project)
  if (last?.edit !== edit) return undefined
  const [memory] = yield* memoriesByIds([last.memory])
  if (!memory) return undefined
  const [successor] = yield* memoriesByIds([successorIdOf({ id: memory.id, version: memory.version - 1 })])
  const reason = "undone by the user"
  if (successor) yield* changeMemory(successor.id, { status: "deprecated" }, { action: "undone", reason, now })
  const row = yield* one<{ old: string }>("SELECT old_json AS old FROM memory_audit WHERE audit_id = ?", edit)
  yield* changeMemory(memory.id, JSON.parse(row?.old ?? "{}") as MemoryUpdate, { action: "restored", reason, now })
  return memory.id
}

type Placed = Pick<Memory, "id" | "owner" | "project" | "pathPrefix" | "polarity" | "kind"> & { textHash: string }

/** The id of another active memory with the same text in the same scope. */
export function* findTwin(
  { id, textHash, owner, project, pathPrefix, polarity, kind }: Placed,
  { ofAnyKind }: { ofAnyKind: boolean },
): Steps<string | undefined> {
  const twin = yield* one<{ id: string }>(
    `SELECT memory_id AS id FROM memories
     WHERE text_hash = :textHash AND memory_id <> :id AND status <> 'deprecated' AND owner_type = :ownerType AND owner_id = :ownerId
       AND project_id IS NOT DISTINCT FROM :project AND path_prefix IS NOT DISTINCT FROM :prefix AND polarity = :polarity
       AND (CAST(:kind AS TEXT) IS NULL OR kind = :kind)`,
    {
      textHash,
      id,
      ownerType: owner.type,
      ownerId: owner.id,
      project: project ?? null,
      prefix: pathPrefix ?? null,
      polarity,
      kind: ofAnyKind ? null : kind,
    },
  )
  return twin?.id
}
