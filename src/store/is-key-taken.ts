import { isKeyed } from "./judge-proposal.ts"
import type { Memory } from "./memory.ts"
import { one, type Steps } from "./steps.ts"

type KeyedMemory = Pick<Memory, "kind" | "key" | "project" | "owner" | "pathPrefix">

/** Whether another fact of the same owner has this key in the same scope. */
export function* isKeyTaken({ kind, key, project, owner, pathPrefix }: KeyedMemory): Steps<boolean> {
  if (key === undefined || !isKeyed(kind)) return false
  const taken = yield* one(
    `SELECT 1 FROM memories WHERE key = ? AND project_id IS NOT DISTINCT FROM ? AND owner_type = ? AND owner_id = ?
       AND path_prefix IS NOT DISTINCT FROM ? AND status <> 'deprecated' AND kind IN ('invariant', 'preference')`,
    key,
    project ?? null,
    owner.type,
    owner.id,
    pathPrefix ?? null,
  )
  return taken !== undefined
}
