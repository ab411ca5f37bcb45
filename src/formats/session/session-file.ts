import type { z } from "zod"
import { instantOfMoment } from "../timestamp.ts"
import {
  below,
  fault,
  placeProblems,
  quoted,
  type SessionProblem,
  type UnplacedProblem,
  warning,
} from "./session-problem.ts"
import { readYaml } from "./yaml-reader.ts"
import type { YamlDocument, YamlPath } from "./yaml-tree.ts"

export type SessionFileReading<Data> =
  | {
      kind: "read"
      document: YamlDocument
      data: Data
      /** Warnings; and, if the file cannot be changed, the error that says why. */
      problems: SessionProblem[]
      /** False for a file of a newer version. */
      writable: boolean
    }
  | { kind: "invalid"; problems: SessionProblem[] }
  /** Of a version that is not supported here. */
  | { kind: "unsupported"; problems: SessionProblem[] }

/** How to read one kind of file. The items of `lists` are read one by one, so that they can be remembered. */
export type SessionFileShape<Data> = {
  /** The whole file, except the content of the lists. */
  head: z.ZodType<Record<string, unknown>>
  lists: Record<string, (item: unknown) => Part<unknown>>
  /** Checks of the file as a whole. */
  check(data: Data, text: string): UnplacedProblem[]
}

/** Reads a file of a session. Never throws on content: every problem is returned, with its position and what to do. */
export function readSessionFile<Data extends { sessionId: string }>(
  shape: SessionFileShape<Data>,
  text: string,
  expected: { sessionId?: string },
): SessionFileReading<Data> {
  const yaml = readYaml(text)
  if (yaml.kind === "broken") return { kind: "invalid", problems: yaml.problems }
  const { document } = yaml
  const { support, problems: versionProblems } = checkVersion(document.value.version)
  const { value: data, problems: partProblems } = readParts(shape, document.value)
  const found = [...versionProblems, ...partProblems]
  if (data) found.push(...checkSession(data, expected.sessionId), ...shape.check(data, text))
  const mayBeRead = found.every(({ severity, code }) => severity === "warning" || code === "newer-version")
  const problems = placeProblems(document, found)
  if (data && mayBeRead) return { kind: "read", document, data, problems, writable: support === "current" }
  return { kind: support === "current" ? "invalid" : "unsupported", problems }
}

function readParts<Data>(shape: SessionFileShape<Data>, value: Record<string, unknown>): Part<Data> {
  const head = readPart(shape.head, value)
  const lists = Object.entries(shape.lists).map(([key, read]) => ({ key, parts: partsOf(value[key]).map(read) }))
  const problems = [
    ...head.problems,
    ...lists.flatMap(({ key, parts }) => parts.flatMap((part, index) => below([key, index], part.problems))),
  ]
  if (!head.value || problems.some(({ severity }) => severity === "error")) return { problems }
  const items = lists.map(({ key, parts }) => [key, parts.map((part) => part.value)])
  return { value: { ...head.value, ...Object.fromEntries(items) } as Data, problems }
}

/** A value that is not a list is reported by the head's schema. */
function partsOf(list: unknown): unknown[] {
  return Array.isArray(list) ? list : []
}

function checkSession({ sessionId }: { sessionId: string }, expected: string | undefined): UnplacedProblem[] {
  if (expected === undefined || sessionId === expected) return []
  const message = `The file's sessionId is ${quoted(sessionId)}, but it is in the folder of ${quoted(expected)}: correct the sessionId.`
  return [warning("session-mismatch", ["sessionId"], message)]
}

const currentMajor = 1

/** Newer files are read as far as they can be understood, and never changed; unknown ones are not read. */
export type VersionSupport = "current" | "newer" | "unknown"

/** What can be done with a file of this version. A missing or invalid version is reported by the schema. */
function checkVersion(version: unknown): { support: VersionSupport; problems: UnplacedProblem[] } {
  if (typeof version !== "string" && typeof version !== "number") return { support: "current", problems: [] }
  const [, major] = /^(\d{1,6})(?:\.\d{1,6}){0,2}$/.exec(String(version)) ?? []
  if (major === undefined || Number(major) < currentMajor) {
    const message = `Unknown format version: write "${currentMajor}".`
    return { support: "unknown", problems: [fault("unknown-value", ["version"], message)] }
  }
  if (Number(major) > currentMajor) {
    const message = `The file has version ${major}, but this Drey supports version ${currentMajor}: it can be read but not changed. Upgrade Drey.`
    return { support: "newer", problems: [fault("newer-version", ["version"], message)] }
  }
  if (typeof version === "string") return { support: "current", problems: [] }
  const message = `The version is a number: write it in quotes, "${version}".`
  return { support: "current", problems: [warning("version-not-text", ["version"], message)] }
}

/** A part of a file, an entry as a rule; without a value it has errors. */
type Part<Value> = { value?: Value; problems: readonly UnplacedProblem[] }

/**
 * Reads parts by their schema, and looks closer with `check`. A file is read again and again while little of it changes: a part that is
 * the very same object as before is not read twice. Its value is shared by all readings, and therefore frozen.
 */
export function partReader<Schema extends z.ZodType>(
  schema: Schema,
  check?: (value: z.output<Schema>) => UnplacedProblem[],
): (part: unknown) => Part<z.output<Schema>> {
  const read = new WeakMap<object, Part<z.output<Schema>>>()
  return (part) => {
    const known = isObject(part) ? read.get(part) : undefined
    if (known) return known
    const reading = readPart(schema, part, check)
    freeze(reading.value)
    if (isObject(part)) read.set(part, reading)
    return reading
  }
}

function readPart<Schema extends z.ZodType>(
  schema: Schema,
  part: unknown,
  check: (value: z.output<Schema>) => UnplacedProblem[] = () => [],
): Part<z.output<Schema>> {
  const parsed = schema.safeParse(part)
  if (!parsed.success) return { problems: parsed.error.issues.map((issue) => toProblem(issue, part)) }
  return { value: parsed.data, problems: check(parsed.data) }
}

function toProblem(issue: z.core.$ZodIssue, part: unknown): UnplacedProblem {
  const path = issue.path as YamlPath // a YAML file has no symbols for keys
  const value = valueAt(part, path)
  const write = `write ${issue.message}.`
  if (value === undefined) return fault("missing-field", path, `This field is missing: ${write}`)
  if (value === null || value === "") return fault("missing-field", path, `This field is empty: ${write}`)
  if (issue.code === "invalid_value" && typeof value === "string")
    return fault("unknown-value", path, `${quoted(value)} is not a valid value for this field: ${write}`)
  return fault("wrong-type", path, `This is ${kindOf(value)}: ${write}${inQuotes(issue, value)}`)
}

function valueAt(part: unknown, path: YamlPath): unknown {
  let value = part
  for (const step of path) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string | number, unknown>)[step]
  }
  return value
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list"
  if (isObject(value)) return "a map of fields"
  if (typeof value === "string") return "a text"
  return `\`${String(value)}\``
}

function inQuotes(issue: z.core.$ZodIssue, value: unknown): string {
  const isPlain = typeof value === "number" || typeof value === "boolean"
  return isPlain && issue.code === "invalid_type" && issue.expected === "string"
    ? ` In quotes it is one: "${value}".`
    : ""
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null
}

function freeze(value: unknown): void {
  if (!isObject(value) || Object.isFrozen(value)) return
  Object.freeze(value)
  Object.values(value).forEach(freeze)
}

/** Two items of a list with one id: nothing that refers to it is clear then. */
export function checkIds(list: string, items: readonly { id: string }[]): UnplacedProblem[] {
  const seen = new Map<string, number>()
  return items.flatMap(({ id }, index) => {
    const first = seen.get(id)
    if (first === undefined) {
      seen.set(id, index)
      return []
    }
    const message = `The id ${quoted(id)} is taken by ${list}[${first}]: give this item a different id.`
    return fault("duplicate-id", [list, index, "id"], message)
  })
}

/** Warns of fields that should hold a time and do not; they stay, and sort last. */
export function checkMoments(
  value: Record<string, unknown>,
  keys: readonly string[],
  path: YamlPath = [],
): UnplacedProblem[] {
  return keys.flatMap((key) => {
    const written = value[key]
    if (typeof written !== "string" || instantOfMoment(written) !== undefined) return []
    return warning(
      "invalid-timestamp",
      [...path, key],
      `${quoted(written)} is not a valid time, so the entry sorts last: write it as "2026-01-23T10:31:05.000Z".`,
    )
  })
}
