import type { Database } from "../disk/sqlite.ts"
import { clearText } from "../governance/cleared.ts"
import { cleanText } from "./clean-text.ts"
import type { Memory } from "./memory.ts"
import { textHashOf } from "./propose-memory.ts"
import { ensureProject } from "./register-project.ts"
import { comparable, packVector, type StoreEmbedder } from "./similarity.ts"
import { trustOf } from "./trust-of.ts"
import { addAudit, insertMemory } from "./write-memory.ts"

/** Takes in memories of another store: what is known, was purged, or the gate refuses is passed over. What they earned elsewhere is not carried along. */
export function importMemories(
  database: Database,
  memories: readonly Memory[],
  now: string,
  embed: StoreEmbedder | undefined,
): string[] {
  return memories.flatMap((memory) =>
    isNew(database, memory) && importMemory(database, memory, now, embed) ? [memory.id] : [],
  )
}

function importMemory(database: Database, memory: Memory, now: string, embed: StoreEmbedder | undefined): boolean {
  const cleared = clearText(cleanText(memory.text))
  if (cleared.kind === "refused" || cleared.text === "") return false
  const { metrics: _, evidence: __, version: ___, ...rest } = memory
  insertMemory(database, {
    ...rest,
    project: memory.project === undefined ? undefined : ensureProject(database, memory.project),
    text: cleared.text,
    textHash: textHashOf(cleared.text),
    origin: "import",
    trust: trustOf("import"),
    derivedFrom: undefined,
    updated: now,
    vector: packVector(comparable(cleared.text, embed)),
  })
  addAudit(database, memory.id, { action: "imported", reason: `its origin was ${memory.origin}`, now })
  return true
}

function isNew(database: Database, { id, key, kind, project, owner, pathPrefix, status }: Memory): boolean {
  const known = database
    .prepare(
      `SELECT 1 FROM memories WHERE memory_id = :id
       UNION ALL SELECT 1 FROM tombstones WHERE memory_id = :id
       UNION ALL SELECT 1 FROM memories
       WHERE key = :key AND project_id IS :project AND owner_type = :ownerType AND owner_id = :ownerId AND path_prefix IS :prefix
         AND status <> 'deprecated' AND kind IN ('invariant', 'preference') AND :kind IN ('invariant', 'preference') AND :status <> 'deprecated'`,
    )
    .get({
      id,
      key: key ?? null,
      project: project ?? null,
      ownerType: owner.type,
      ownerId: owner.id,
      prefix: pathPrefix ?? null,
      kind,
      status,
    })
  return known === undefined
}
