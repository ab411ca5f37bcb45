import { readJsonLines } from "./read-json-lines.ts"
import type { ReadStore } from "./stored-memory.ts"

/**
 * The reference memory server's graph, one record per line: every observation of an entity is a memory. Undefined if no
 * line is a record.
 */
export function readServerMemory(path: string, text: string): ReadStore | undefined {
  const store: ReadStore = { path, format: "server-memory", memories: [], parts: [], broken: [] }
  let entities = 0
  let relations = 0
  for (const { value, line } of readJsonLines(text)) {
    if (value?.type === "entity") {
      entities++
      addEntity(store, value, line)
    } else if (value?.type === "relation") relations++
    else {
      const reason = value === undefined ? "not a JSON object" : "neither an entity nor a relation"
      store.broken.push({ path, line, reason })
    }
  }
  if (entities + relations === 0) return undefined
  store.parts = [`${entities} entities`, `${relations} relations`]
  return store
}

/** An entity without observations is an empty memory. */
function addEntity({ path, memories, broken }: ReadStore, entity: Record<string, unknown>, line: number): void {
  const id = typeof entity.name === "string" ? entity.name : ""
  const observations = entity.observations ?? []
  if (!Array.isArray(observations)) {
    broken.push({ path, line, reason: "observations is not a list" })
    return
  }
  for (const text of observations.length === 0 ? [""] : observations)
    if (typeof text === "string") memories.push({ path, line, id, text, at: undefined })
    else broken.push({ path, line, reason: "an observation is not a text" })
}
