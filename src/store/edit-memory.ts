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

/** The words of the audit for what `undoEdit` can take back. */
export const editActions = ["pinned", "unpinned", "forgotten", "reworded", "overruled"] as const

/** Carries out what a person wants of one memory, if it still is the version that the person has read. */
export function* editMemory(
  { id, version }: Pick<Memory, "id" | "version">,
  edit: MemoryEdit,
  now: string,
  embed: StoreEmbedder | undefined,
): Steps<MemoryEditOutcome> {
  const [memory] = yield* memoriesByIds([id])
  if (memory?.version !== version) return { kind: "changed" }
  if (memory.status === "deprecated") return { kind: "refused", reason: "it has ended" }
  if (edit.kind === "reword" || edit.kind === "replace") return yield* restate(memory, edit, now, embed)
  if (edit.kind === "pin") {
    const action = edit.pinned ? "pinned" : "unpinned"
    yield* changeMemory(id, { pinned: edit.pinned }, { action, reason: "a person asked for it", now })
  } else {
    yield* changeMemory(id, { status: "deprecated" }, { action: "forgotten", reason: clearNote(edit.reason), now })
  }
  return { kind: "done", id, edit: yield* lastNoteOf(id) }
}

/** The words become a memory of their own, and the one they are about ends. */
function* restate(
  old: Memory,
  edit: Extract<MemoryEdit, { text: string }>,
  now: string,
  embed: StoreEmbedder | undefined,
): Steps<MemoryEditOutcome> {
  const cleared = clearMemoryText(edit.text)
  if (cleared.kind === "refused")
    return { kind: "refused", reason: `the text holds what no memory may hold: ${cleared.reason}` }
  const { text } = cleared
  const textHash = textHashOf(text)
  const twin = yield* twinOf({ ...old, textHash }, { ofAnyKind: true })
  if (twin !== undefined) return { kind: "refused", reason: `${twin} says just that already` }
  const id = successorIdOf(old)
  const [action, said] = edit.kind === "reword" ? ["reworded", "says it better"] : ["overruled", "took its place"]
  yield* changeMemory(old.id, { status: "deprecated" }, { action, reason: `${id} ${said}`, now })
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
  const reason = edit.kind === "reword" ? "a person worded it anew" : clearNote(edit.reason)
  yield* addAudit(id, { action: "added", reason, now })
  yield* addAudit(id, { action: "replaces", reason: `it took the place of ${old.id}`, now })
  if (edit.kind === "reword") yield* copyEvidence(old.id, id)
  yield* refreshMetrics([id])
  return { kind: "done", id, edit: yield* lastNoteOf(old.id) }
}

/** Better words win no trust and lose nothing that was earned. What a person says instead is trusted as such, and on trial like all else. */
function stated(expires: string | undefined, now: string) {
  const origin = "user" as const
  const standing = { status: "provisional" as const, flags: [], confidence: statedConfidence, expires }
  return { ...standing, origin, trust: trustOf(origin), ...fromHere, created: now }
}

const statedConfidence = 0.9

const fromHere = { derivedFrom: undefined, contributedBy: undefined, sourceMemory: undefined }

/** Derived, so that it can be told from the memory alone what took its place. */
export function successorIdOf({ id, version }: Pick<Memory, "id" | "version">): string {
  return memoryIdOf(id, version)
}

function* lastNoteOf(id: string): Steps<number> {
  const row = yield* one<{ note: number }>("SELECT max(audit_id) AS note FROM memory_audit WHERE memory_id = ?", id)
  if (row === undefined) throw new Error(`nothing is on record about ${id}`)
  return row.note
}
