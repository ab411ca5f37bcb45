import { agentMemoryJsonSchema, readAgentMemory, readSiblingFile, siblingJsonSchema } from "../../../src/formats.ts"
import type { Problem } from "./team-model.ts"

/** A proposal for what to type: a key with its colon, or a value. */
export type YamlCompletion = { label: string; kind: "key" | "value"; documentation: string }

const siblings = ["context", "conversation", "plan", "metadata"] as const

type SessionFile = { sessionId: string; sibling: (typeof siblings)[number] | undefined; isArchive: boolean }

/** A YAML file of `.squad/sessions/<id>/`; undefined for every other file. */
export function sessionFileAt(path: string): SessionFile | undefined {
  const [, sessionId = "", name = ""] = /(?:^|\/)sessions\/([^/]+)\/([^/]+)\.ya?ml$/.exec(path) ?? []
  const sibling = siblings.find((each) => each === name)
  return sibling !== undefined || name.startsWith("agent-memory")
    ? { sessionId, sibling, isArchive: name.includes("-archive") }
    : undefined
}

export function sessionProblems(path: string, text: string): Problem[] {
  const file = sessionFileAt(path)
  if (!file) return []
  const { sessionId, sibling, isArchive } = file
  const reading =
    sibling === undefined
      ? readAgentMemory(text, { sessionId, archive: isArchive })
      : readSiblingFile(sibling, text, { sessionId })
  return reading.problems.map(({ line, code, severity, message, path: place }) => ({
    ...{ line, code, severity },
    message: place === "" ? message : `${place}: ${message}`,
  }))
}

type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  examples?: unknown[]
  description?: string
  required?: string[]
  $ref?: string
  $defs?: Record<string, Schema>
}

/** Keys of the map that a line is in, or the values of its key, by the file's JSON Schema. */
export function completeSession(path: string, text: string, line: number, column: number): YamlCompletion[] {
  const file = sessionFileAt(path)
  if (!file) return []
  const root = (
    file.sibling === undefined ? agentMemoryJsonSchema() : siblingJsonSchema(`session-${file.sibling}`)
  ) as Schema
  const lines = text.split(/\r?\n/)
  const current = (lines[line - 1] ?? "").slice(0, column)
  const value = /^(\s*(?:- +)*)([\w-]+):[ \t]+["']?[\w-]*$/.exec(current)
  const indent = (value?.[1] ?? /^\s*(?:- +)*/.exec(current)?.[0] ?? "").length
  const keys = parentsOf(lines, line - 1, indent)
  const map = keys.reduce<Schema | undefined>((schema, key) => property(expand(schema, root), key, root), root)
  const at = expand(map, root)
  if (value) {
    const field = expand(at?.properties?.[value[2] ?? ""], root)
    const known = [
      ...(field?.enum ?? []),
      ...(field?.examples ?? []),
      ...(field?.type === "boolean" ? [true, false] : []),
    ]
    return known.map((each) => ({ label: String(each), kind: "value", documentation: field?.description ?? "" }))
  }
  if (!/^\s*(?:- +)*[\w-]*$/.test(current)) return []
  const present = new Set(siblingsOf(lines, line - 1, indent))
  return Object.entries(at?.properties ?? {})
    .filter(([name]) => !present.has(name))
    .map(([name, field]) => ({ label: name, kind: "key", documentation: expand(field, root)?.description ?? "" }))
}

/** The keys above a line, outermost first. */
function parentsOf(lines: readonly string[], from: number, indent: number): string[] {
  const keys: string[] = []
  let deepest = indent
  for (let at = from - 1; at >= 0 && deepest > 0; at--) {
    const match = /^(\s*(?:- +)*)([\w-]+):/.exec(lines[at] ?? "")
    const outer = /^\s*/.exec(lines[at] ?? "")?.[0].length ?? 0
    if (!match || outer >= deepest || (match[1] ?? "").length >= deepest) continue
    keys.unshift(match[2] ?? "")
    deepest = outer
  }
  return keys
}

function siblingsOf(lines: readonly string[], from: number, indent: number): string[] {
  const keys: string[] = []
  const look = (step: 1 | -1) => {
    for (let at = from + step; at >= 0 && at < lines.length; at += step) {
      const line = lines[at] ?? ""
      if (line.trim() === "") continue
      const match = /^(\s*(?:- +)*)([\w-]+):/.exec(line)
      const start = (match?.[1] ?? /^\s*/.exec(line)?.[0] ?? "").length
      if (start < indent) return
      if (step === 1 && match && /-/.test(match[1] ?? "") && start === indent) return
      if (match && start === indent) keys.push(match[2] ?? "")
      if (step === -1 && match && /-/.test(match[1] ?? "") && start === indent) return
    }
  }
  look(-1)
  look(1)
  return keys
}

/** Follows a reference, and takes the alternative that is a map or a list. */
function expand(schema: Schema | undefined, root: Schema, depth = 0): Schema | undefined {
  if (schema === undefined || depth > 5) return schema
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1) ?? ""
    return expand(root.$defs?.[name], root, depth + 1)
  }
  const options = (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []).map((each) => expand(each, root, depth + 1))
  const best = options.find((each) => each?.properties || each?.items || each?.enum || each?.examples)
  return best ? { ...best, ...(schema.description ? { description: schema.description } : {}) } : schema
}

function property(schema: Schema | undefined, key: string, root: Schema): Schema | undefined {
  const field = expand(schema?.properties?.[key], root)
  return field?.items ? expand(field.items, root) : field
}
