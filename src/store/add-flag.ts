import { memoriesByIds } from "./memory-rows.ts"
import type { Steps } from "./steps.ts"
import { type AuditNote, changeMemory } from "./write-memory.ts"

/** Flags a memory for review; an existing flag is left unchanged. */
export function* addFlag(id: string, flag: string, note: AuditNote): Steps<void> {
  const [memory] = yield* memoriesByIds([id])
  if (memory && !memory.flags.includes(flag)) yield* changeMemory(id, { flags: [...memory.flags, flag] }, note)
}
