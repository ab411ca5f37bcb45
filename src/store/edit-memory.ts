import { alreadyStored } from "../governance/cleared.ts"
import { copyEvidence } from "./add-evidence.ts"
import { memoryIdOf } from "./apply-verdict.ts"
import { clearMemoryText, clearNote } from "./clear-words.ts"
import type { MemoryEdit, MemoryEditOutcome } from "./learned-store.ts"
import type { Memory } from "./memory.ts"
import { memoriesByIds } from "./memory-rows.ts"
import { textHashOf } from "./propose-memory.ts"
import { refreshMetrics } from "./refresh-metrics.ts"
import { comparable, packVector, type StoreEmbedder } from "./similarity.ts"
import { one, type Steps } from "./steps.ts"
import { trustOf } from "./trust-of.ts"
import { twinOf } from "./twin-of.ts"
import { addAudit, changeMemory, insertMemory } from "./write-memory.ts"

/** Audit actions that `undoEdit` can revert. */
export const editActions = ["pinned", "unpinned", "forgotten", "reworded", "overruled"] as const

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
  const twin = yield* twinOf({ ...old, textHash }, { ofAnyKind: true })
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
export function successorIdOf({ id, version }: Pick<Memory, "id" | "version">): string {
  return memoryIdOf(id, version)
}

function* lastNoteOf(id: string): Steps<number> {
  const row = yield* one<{ note: number }>("SELECT max(audit_id) AS note FROM memory_audit WHERE memory_id = ?", id)
  if (row === undefined) throw new Error(`no evidence recorded for ${id}`)
  return row.note
}
