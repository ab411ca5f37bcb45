import type { Database } from "../disk/sqlite.ts"
import { memoriesByIds } from "./memory-rows.ts"
import { type AuditNote, changeMemory } from "./write-memory.ts"

/** Marks a memory for a person to look at; a flag that is there already stays as it is. */
export function addFlag(database: Database, id: string, flag: string, note: AuditNote): void {
  const [memory] = memoriesByIds(database, [id])
  if (memory && !memory.flags.includes(flag)) changeMemory(database, id, { flags: [...memory.flags, flag] }, note)
}
