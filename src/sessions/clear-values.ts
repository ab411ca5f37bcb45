import { stripVTControlCharacters } from "node:util"
import { DreyError } from "../errors.ts"
import { dropUnseen } from "../formats/drop-unseen.ts"
import type { YamlEdit } from "../formats/session/yaml-document.ts"
import { type Cleared, clearWithMarks } from "../governance/cleared.ts"

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
  return clearWithMarks(dropUnseen(stripVTControlCharacters(text)))
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
