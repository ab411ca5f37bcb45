import { readJsonLines } from "./read-json-lines.ts"
import type { ReadStore } from "./stored-memory.ts"

/** The reference memory server's graph, a record a line: every observation of an entity is a memory. Undefined where no line is one. */
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

/** An entity that nothing was observed about is a memory that says nothing. */
function addEntity({ path, memories, broken }: ReadStore, entity: Record<string, unknown>, line: number): void {
  const id = typeof entity.name === "string" ? entity.name : ""
  const observations = entity.observations ?? []
  if (!Array.isArray(observations)) {
    broken.push({ path, line, reason: "observations that are no list" })
    return
  }
  for (const text of observations.length === 0 ? [""] : observations)
    if (typeof text === "string") memories.push({ path, line, id, text, at: undefined })
    else broken.push({ path, line, reason: "an observation that is no text" })
}
