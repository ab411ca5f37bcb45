import { stripVTControlCharacters } from "node:util"
import { DreyError } from "../errors.ts"
import { dropUnseen } from "../formats/drop-unseen.ts"
import type { YamlEdit } from "../formats/session/yaml-document.ts"
import { type Cleared, clearWithMarks } from "../governance/cleared.ts"

const deepest = 40

/** The edits as they may be written: every text in their values and on the way to them has passed the gate. */
export function clearEdits(edits: readonly YamlEdit[]): YamlEdit[] {
  return edits.map((edit) => {
    const path = edit.path.map((step) => (typeof step === "string" ? clearContent(step) : step))
    return "value" in edit
      ? { ...edit, path, value: clearField(String(edit.path.at(-1)), edit.value) }
      : { ...edit, path }
  })
}

/**
 * The value of a field with a mark in the place of every secret and of people's data, in keys too, and nothing in it that a YAML file
 * cannot hold: what is no text, number, boolean, list or map is left out. The name is looked at with the value, for what gives a
 * password away is often only that; items of a list have the list's.
 */
export function clearField(key: string, value: unknown, depth = 0): unknown {
  if (depth > deepest) throw new DreyError(`A value is nested more than ${deepest} levels deep; nothing was written`)
  if (typeof value === "string") return clearNamed(key, value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map((item) => clearField(key, item, depth + 1) ?? null)
  if (typeof value === "object" && value !== null) return clearMap(value, depth)
  return typeof value === "number" || typeof value === "boolean" || value === null ? value : undefined
}

/** One text through the gate, without what steers a terminal or hides in a line. */
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
