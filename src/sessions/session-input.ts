import { isDeepStrictEqual, stripVTControlCharacters } from "node:util"
import { DreyError } from "../errors.ts"
import type { YamlEdit } from "../formats/session/yaml-tree.ts"
import { didYouMean, removeInvisible } from "../formats/text.ts"
import { type Cleared, clearWithMarks } from "../governance/cleared.ts"
import { redactForbidden } from "../governance/redaction.ts"

/** Throws for an empty text. */
export function requireText(field: string, text: unknown): void {
  if (typeof text === "string" && text.trim() !== "") return
  throw new DreyError(`${field} is missing`, { hint: `Set ${field} to a non-empty text. Nothing was written.` })
}

/** Throws for a value that is none of these; a missing one is none of its business. */
export function requireOneOf(field: string, value: string | undefined, known: readonly string[]): void {
  if (value === undefined || known.includes(value)) return
  const meant = didYouMean(value, known)
  throw new DreyError(`${field} cannot be "${redactForbidden(value)}"`, {
    hint: `${meant === undefined ? "" : `Did you mean "${meant}"? `}Write one of ${known.join(", ")}.`,
  })
}

/** Throws for an invalid number; a missing one is accepted. */
export function requireCount(field: string, value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return
  throw new DreyError(`${field} cannot be ${value}`, { hint: "Write a whole number, 1 or more." })
}

const deepest = 40

/** Passes every text in the edits' values and paths through the governance check. */
export function clearEdits(edits: readonly YamlEdit[]): YamlEdit[] {
  return edits.map((edit) => {
    const path = edit.path.map((step) => (typeof step === "string" ? clearContent(step) : step))
    return "value" in edit
      ? { ...edit, path, value: clearField(String(edit.path.at(-1)), edit.value) }
      : { ...edit, path }
  })
}

/**
 * The value of a field with secrets and personal data redacted, in keys too, and without values that YAML cannot
 * represent. The key is checked with the value, since it often reveals a password; list items use the list's key.
 */
export function clearField(key: string, value: unknown, depth = 0): unknown {
  if (depth > deepest) throw new DreyError(`A value is nested more than ${deepest} levels deep; nothing was written`)
  if (typeof value === "string") return clearNamed(key, value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map((item) => clearField(key, item, depth + 1) ?? null)
  if (typeof value === "object" && value !== null) return clearMap(value, depth)
  return typeof value === "number" || typeof value === "boolean" || value === null ? value : undefined
}

/** Redacts one text, and removes control and invisible characters. */
export function clearContent(text: string): Cleared {
  return clearWithMarks(removeInvisible(stripVTControlCharacters(text)))
}

function clearMap(map: object, depth: number): Record<string, unknown> {
  const cleared: [string, unknown][] = []
  for (const [key, value] of Object.entries(map)) {
    const clearedValue = clearField(key, value, depth + 1)
    if (clearedValue !== undefined) cleared.push([clearContent(key), clearedValue])
  }
  return Object.fromEntries(cleared)
}

function clearNamed(key: string, text: string): string {
  const cleared = clearContent(text)
  const [start, line] = [`${key}: `, `${key}: ${cleared}`]
  const together = clearWithMarks(line)
  return together !== line && together.startsWith(start) ? together.slice(start.length) : cleared
}

type Fields = Readonly<Record<string, unknown>>

/** Fields about to be changed that another process changed since they were last read, with the values that would be lost. */
export function findConflicts(seen: Fields | undefined, current: Fields, changing: readonly string[]): Fields {
  if (!seen) return {}
  const lost = changing.filter(
    (field) => current[field] !== undefined && !isDeepStrictEqual(seen[field], current[field]),
  )
  return Object.fromEntries(lost.map((field) => [field, current[field]]))
}

/** `_conflict` with these added; what an earlier conflict left there stays, under its name or with a number behind it. */
export function withConflicts(kept: unknown, conflicts: Fields): Record<string, unknown> {
  const all: Record<string, unknown> = typeof kept === "object" && kept !== null ? { ...kept } : {}
  for (const [field, value] of Object.entries(conflicts)) {
    let name = field
    for (let count = 2; Object.hasOwn(all, name); count++) name = `${field}-${count}`
    all[name] = value
  }
  return all
}
