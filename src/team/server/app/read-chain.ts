import type { Memory } from "../../../store/memory.ts"
import { memoriesByIds } from "../../../store/memory-rows.ts"
import { all, type Steps } from "../../../store/steps.ts"

const mostSteps = 20

/** What stood in its place before, oldest first, and what took it since, newest last; the history of each names its neighbours. */
export function* readChain(memory: Memory): Steps<{ older: Memory[]; newer: Memory[] }> {
  const older = yield* walk(memory, olderIdOf)
  const newer = yield* walk(memory, newerIdOf)
  return { older: older.reverse(), newer }
}

function* walk(start: Memory, next: (memory: Memory) => Steps<string | undefined>): Steps<Memory[]> {
  const found: Memory[] = []
  const seen = new Set([start.id])
  let at: Memory | undefined = start
  while (at && found.length < mostSteps) {
    const id: string | undefined = yield* next(at)
    if (id === undefined || seen.has(id)) break
    seen.add(id)
    const [memory]: Memory[] = yield* memoriesByIds([id])
    if (memory) found.push(memory)
    at = memory
  }
  return found
}

function olderIdOf({ id }: Memory): Steps<string | undefined> {
  return namedIn(id, ["replaces"])
}

/** A change that was taken back is on record as well: what stands was replaced by nothing. */
function* newerIdOf({ id, status }: Memory): Steps<string | undefined> {
  return status === "deprecated" ? yield* namedIn(id, ["reworded", "overruled"]) : undefined
}

/** The memory that the last such note is about. */
function* namedIn(id: string, actions: string[]): Steps<string | undefined> {
  const notes = yield* all<{ reason: string }>(
    `SELECT reason FROM memory_audit WHERE memory_id = ? AND action IN (SELECT value FROM json_each(?)) ORDER BY audit_id DESC LIMIT 1`,
    id,
    JSON.stringify(actions),
  )
  return /\bm-[0-9a-f]{16}\b/.exec(notes[0]?.reason ?? "")?.[0]
}
