import type { ReadStore, StoredMemory } from "./stored-memory.ts"

/** The reference memory server's graph, a record a line: every observation of an entity is a memory. Undefined where no line is one. */
export function readServerMemory(path: string, text: string): ReadStore | undefined {
  const store: ReadStore = { path, format: "server-memory", memories: [], parts: [], broken: [] }
  let entities = 0
  let relations = 0
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue
    const record = parseRecord(line)
    if (record?.type === "entity") {
      entities++
      store.memories.push(...memoriesOf(record, path, index + 1))
    } else if (record?.type === "relation") relations++
    else store.broken.push({ path, line: index + 1 })
  }
  if (entities + relations === 0) return undefined
  store.parts = [`${entities} entities`, `${relations} relations`]
  return store
}

/** An entity that nothing was observed about is a memory that says nothing. */
function memoriesOf({ name, observations }: Record<string, unknown>, path: string, line: number): StoredMemory[] {
  const texts = Array.isArray(observations) ? observations.map(String) : []
  return (texts.length === 0 ? [""] : texts).map((text) => ({
    path,
    line,
    id: String(name ?? ""),
    text,
    at: undefined,
  }))
}

function parseRecord(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined // told as broken, by its place alone
  }
}
