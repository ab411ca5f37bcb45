import type { Database } from "../disk/sqlite.ts"
import { parseMemoryKey } from "../formats/memory-key.ts"
import { parsePathPrefix } from "../formats/path-prefix.ts"
import { clearMemoryText, clearName } from "./clear-words.ts"
import type { Memory } from "./memory.ts"
import { type ClearedWords, textHashOf } from "./propose-memory.ts"
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
  return memories.flatMap((memory) => {
    const words = clearWords(memory)
    if (words === undefined || !isNew(database, { ...memory, ...words })) return []
    importMemory(database, { ...memory, ...words }, now, embed)
    return [memory.id]
  })
}

/** undefined when the gate refuses any of them. */
function clearWords({ text, key, pathPrefix }: Memory): ClearedWords | undefined {
  const cleared = clearMemoryText(text)
  if (cleared.kind === "refused" || cleared.text === "") return undefined
  const names = {
    key: clearName(parseMemoryKey(key ?? "")),
    pathPrefix: clearName(parsePathPrefix(pathPrefix ?? "")),
  }
  const isWhole =
    (names.key === undefined) === (key === undefined) && (names.pathPrefix === undefined) === (pathPrefix === undefined)
  return isWhole ? { text: cleared.text, ...names } : undefined
}

function importMemory(
  database: Database,
  memory: Memory & ClearedWords,
  now: string,
  embed: StoreEmbedder | undefined,
): void {
  const { metrics: _, evidence: __, version: ___, ...rest } = memory
  insertMemory(database, {
    ...rest,
    project: memory.project === undefined ? undefined : ensureProject(database, memory.project),
    textHash: textHashOf(memory.text),
    origin: "import",
    trust: trustOf("import"),
    derivedFrom: undefined,
    updated: now,
    vector: packVector(comparable(memory.text, embed)),
  })
  addAudit(database, memory.id, { action: "imported", reason: `its origin was ${memory.origin}`, now })
}

function isNew(database: Database, { id, key, kind, project, owner, pathPrefix, status }: Memory): boolean {
  const known = database
    .prepare(
      `SELECT 1 FROM memories WHERE memory_id = :id
       UNION ALL SELECT 1 FROM tombstones WHERE memory_id = :id
       UNION ALL SELECT 1 FROM memories
       WHERE :key IS NOT NULL AND key = :key AND project_id IS :project AND owner_type = :ownerType AND owner_id = :ownerId AND path_prefix IS :prefix
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
