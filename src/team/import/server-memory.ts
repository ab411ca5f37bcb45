import type { ForeignEntry, ForeignFile } from "./foreign-entry.ts"

type Entity = { name: string; entityType: string; observations: string[]; line: number; path: string }
type Relation = { from: string; to: string; relationType: string }

/** Reads the JSON lines graph of the reference memory server: each entity with its observations and relations becomes a memory. */
export function readServerMemory(files: readonly ForeignFile[]): ForeignEntry[] {
  const entities = new Map<string, Entity>()
  const relations: Relation[] = []
  for (const { path, text } of files) {
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      if (line.trim() === "") continue
      const record = parseLine(line)
      if (record === undefined) continue // reported by `brokenLines`
      if (record.type === "relation") relations.push(toRelation(record))
      else if (record.type === "entity") addEntity(entities, { ...toEntity(record), line: index + 1, path })
    }
  }
  return [...entities.values()]
    .filter(({ name, observations }) => observations.length > 0 || relations.some(({ from }) => from === name))
    .map((entity) => toMemory(entity, relations))
}

/** Lines without a valid record, for example a truncated one; the other lines are still read. */
export function brokenLines(files: readonly ForeignFile[]): { file: string; line: number; reason: string }[] {
  return files.flatMap(({ path, text }) =>
    text.split(/\r?\n/).flatMap((line, index) => {
      if (line.trim() === "" || parseLine(line) !== undefined) return []
      return [{ file: path, line: index + 1, reason: "not a JSON object" }]
    }),
  )
}

export function isServerMemory({ text }: ForeignFile): boolean {
  return /^[ \t]*\{.*"type":[ \t]*"(?:entity|relation)"/m.test(text)
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined // the parser's message would quote the line; its number is enough
  }
}

function toEntity({ name, entityType, observations }: Record<string, unknown>): Omit<Entity, "line" | "path"> {
  const texts = Array.isArray(observations) ? observations.filter((each) => typeof each === "string") : []
  return { name: String(name ?? ""), entityType: String(entityType ?? ""), observations: texts }
}

function toRelation({ from, to, relationType }: Record<string, unknown>): Relation {
  return { from: String(from ?? ""), to: String(to ?? ""), relationType: String(relationType ?? "") }
}

function addEntity(entities: Map<string, Entity>, entity: Entity): void {
  const known = entities.get(entity.name)
  if (!known) entities.set(entity.name, entity)
  else known.observations.push(...entity.observations.filter((each) => !known.observations.includes(each)))
}

function toMemory({ name, entityType, observations, line, path }: Entity, relations: Relation[]): ForeignEntry {
  const links = relations.filter(({ from }) => from === name)
  const lines = [
    ...observations.map((each) => `- ${each.replace(/\n/g, "\n  ")}`),
    ...(links.length > 0 ? ["", "Relations:", ""] : []),
    ...links.map(({ relationType, to }) => `- ${relationType} ${to}`),
  ]
  return {
    key: name,
    file: path,
    line,
    type: "memory",
    title: observations.length === 1 ? `${name}: ${observations[0]}` : name,
    details: lines.join("\n"),
    authors: [],
    tags: entityType === "" ? [] : [entityType],
    supersedes: [],
    extensions: entityType === "" ? [] : [{ name: "entityType", value: entityType }],
  }
}
