import { parseMemoryKey } from "../formats/ids.ts"
import { parsePathPrefix } from "../formats/text.ts"
import type { Memory } from "./memory.ts"
import { addAudit, insertMemory } from "./memory-rows.ts"
import { ensureProject } from "./projects.ts"
import { type ClearedWords, clearMemoryText, clearName, textHashOf, trustOf } from "./proposal.ts"
import { isKeyTaken } from "./proposal-verdict.ts"
import { comparable, packVector, type StoreEmbedder } from "./similarity.ts"
import { one, type Steps } from "./steps.ts"

/**
 * Imports memories of another store; skips those that exist, were purged or fail the governance check. Metrics are not
 * imported.
 */
export function* importMemories(
  memories: readonly Memory[],
  now: string,
  embed: StoreEmbedder | undefined,
): Steps<string[]> {
  const imported: string[] = []
  for (const memory of memories) {
    const words = clearWords(memory)
    if (words === undefined || !(yield* isNew({ ...memory, ...words }))) continue
    yield* importMemory({ ...memory, ...words }, now, embed)
    imported.push(memory.id)
  }
  return imported
}

/** undefined when any text fails the governance check */
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

function* importMemory(memory: Memory & ClearedWords, now: string, embed: StoreEmbedder | undefined): Steps<void> {
  const { metrics: _, evidence: __, version: ___, ...rest } = memory
  yield* insertMemory({
    ...rest,
    project: memory.project === undefined ? undefined : yield* ensureProject(memory.project),
    textHash: textHashOf(memory.text),
    origin: "import",
    trust: trustOf("import"),
    derivedFrom: undefined,
    updated: now,
    vector: packVector(comparable(memory.text, embed)),
  })
  yield* addAudit(memory.id, { action: "imported", reason: `original origin: ${memory.origin}`, now })
}

function* isNew(memory: Memory): Steps<boolean> {
  const known = yield* one(
    "SELECT 1 FROM memories WHERE memory_id = :id UNION ALL SELECT 1 FROM tombstones WHERE memory_id = :id",
    { id: memory.id },
  )
  return known === undefined && (memory.status === "deprecated" || !(yield* isKeyTaken(memory)))
}
