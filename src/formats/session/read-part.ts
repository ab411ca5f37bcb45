import type { z } from "zod"
import { fault, quoted, type UnplacedProblem } from "./unplaced-problem.ts"
import type { YamlPath } from "./yaml-document.ts"

/** A part of a file, an entry as a rule; without a value it has errors. */
export type Part<Value> = { value?: Value; problems: readonly UnplacedProblem[] }

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

export function readPart<Schema extends z.ZodType>(
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
