import { DreyError } from "../../errors.ts"
import type { ForeignEntry, ForeignFile } from "./foreign-entry.ts"

type Entity = { name: string; entityType: string; observations: string[]; line: number; path: string }
type Relation = { from: string; to: string; relationType: string }

/** The graph that the reference memory server keeps as JSON lines: each entity with its observations and relations is a memory. */
export function readServerMemory(files: readonly ForeignFile[]): ForeignEntry[] {
  const entities = new Map<string, Entity>()
  const relations: Relation[] = []
  for (const { path, text } of files) {
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      if (line.trim() === "") continue
      const record = parseLine(line, path, index + 1)
      if (record.type === "relation") relations.push(toRelation(record))
      else if (record.type === "entity") addEntity(entities, { ...toEntity(record), line: index + 1, path })
    }
  }
  return [...entities.values()]
    .filter(({ name, observations }) => observations.length > 0 || relations.some(({ from }) => from === name))
    .map((entity) => toMemory(entity, relations))
}

export function isServerMemory({ text }: ForeignFile): boolean {
  const [first = ""] = text.trimStart().split(/\r?\n/, 1)
  return /^\{.*"type":\s*"(?:entity|relation)"/.test(first)
}

function parseLine(line: string, path: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>
  } catch (cause) {
    throw new DreyError(`${path}:${number} is not JSON: ${(cause as Error).message}`, { cause })
  }
  throw new DreyError(`${path}:${number} is not an entity or a relation`)
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
