import { memoriesByIds } from "./memory-rows.ts"
import type { Steps } from "./steps.ts"
import { type AuditNote, changeMemory } from "./write-memory.ts"

/** Marks a memory for a person to look at; a flag that is there already stays as it is. */
export function* addFlag(id: string, flag: string, note: AuditNote): Steps<void> {
  const [memory] = yield* memoriesByIds([id])
  if (memory && !memory.flags.includes(flag)) yield* changeMemory(id, { flags: [...memory.flags, flag] }, note)
}
