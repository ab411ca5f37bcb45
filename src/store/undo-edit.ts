import { editActions, successorIdOf } from "./edit-memory.ts"
import { knownAs } from "./known-as.ts"
import type { RecordedEdit } from "./learned-store.ts"
import { memoriesByIds } from "./memory-rows.ts"
import { one, type Steps } from "./steps.ts"
import { changeMemory, type MemoryChange } from "./write-memory.ts"

/** The user's latest change to a memory that the project may see, if the memory has not changed since. */
export function* lastEdit(project: string): Steps<RecordedEdit | undefined> {
  const row = yield* one<RecordedEdit>(
    `SELECT audit_id AS edit, memory_id AS memory, ts, action, text FROM memory_audit JOIN memories USING (memory_id)
     WHERE action IN (SELECT value FROM json_each(:actions)) AND old_json IS NOT NULL AND (project_id IS NULL OR project_id = :project)
       AND NOT EXISTS (SELECT 1 FROM memory_audit AS later WHERE later.memory_id = memory_audit.memory_id AND later.audit_id > memory_audit.audit_id)
     ORDER BY audit_id DESC LIMIT 1`,
    { actions: JSON.stringify(editActions), project: yield* knownAs(project) },
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
  if (successor) yield* changeMemory(successor.id, { status: "deprecated" }, { action: "taken back", reason, now })
  const row = yield* one<{ old: string }>("SELECT old_json AS old FROM memory_audit WHERE audit_id = ?", edit)
  yield* changeMemory(memory.id, JSON.parse(row?.old ?? "{}") as MemoryChange, { action: "restored", reason, now })
  return memory.id
}
