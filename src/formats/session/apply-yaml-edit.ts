import { isMap } from "./is-map.ts"
import { readValue } from "./read-chunks.ts"
import type { YamlEdit, YamlPath } from "./yaml-document.ts"

/** What a file is to hold after an edit. Shares with the old value all that stays the same. */
export function applyYamlEdit<Value>(value: Value, edit: YamlEdit): Value {
  if (edit.op === "set" && edit.value === undefined && valueAt(value, edit.path) === undefined) return value
  return changeAt(value, edit.path, (old) => changed(old, edit)) as Value
}

/** The value of a list item in its own words. */
export function readItemSource(source: string): unknown {
  const list = readValue(source)?.value
  if (Array.isArray(list) && list.length === 1) return list[0]
  throw new Error("The source of a list item must be a list of one item.")
}

/** At a path of a value; `undefined` where there is nothing. */
export function valueAt(value: unknown, path: YamlPath): unknown {
  return path.reduce<unknown>(
    (part, step) => (isMap(part) || Array.isArray(part) ? memberOf(part, step) : undefined),
    value,
  )
}

/** Maps are equal whatever the order of their keys; `undefined` is the same as no key. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other || (Number.isNaN(one) && Number.isNaN(other))) return true
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isSameValue(item, other[at]))
  }
  if (!isMap(one) || !isMap(other)) return false
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].every((key) => isSameValue(memberOf(one, key), memberOf(other, key)))
}

function changed(old: unknown, edit: YamlEdit): unknown {
  switch (edit.op) {
    case "set":
      return edit.value
    case "append":
      return [...listOf(old, edit.path), edit.value]
    case "appendSource":
      return [...listOf(old, edit.path), readItemSource(edit.source)]
    case "remove":
      if (typeof edit.path.at(-1) === "number") return undefined
      throw new Error(`Only a list item can be removed, not ${edit.path.join(".")}.`)
  }
}

function listOf(value: unknown, path: YamlPath): unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  throw new Error(`There is no list at ${path.join(".")}.`)
}

function changeAt(value: unknown, path: YamlPath, change: (old: unknown) => unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  if (Array.isArray(value)) {
    if (typeof step !== "number" || step < 0 || step >= value.length) throw new Error(`The list has no item ${step}.`)
    const member = changeAt(value[step], rest, change)
    return member === undefined ? value.filter((_, at) => at !== step) : value.with(step, member)
  }
  if (typeof step !== "string" || !(isMap(value) || value === null || value === undefined)) {
    throw new Error(`There is no map to put this key in: ${step}.`)
  }
  const members = new Map(Object.entries(value ?? {}))
  const member = changeAt(members.get(step), rest, change)
  if (member === undefined) members.delete(step)
  else members.set(step, member)
  return Object.fromEntries(members)
}

function memberOf(value: Record<string, unknown> | unknown[], step: string | number): unknown {
  return Object.hasOwn(value, step) ? (value as Record<string | number, unknown>)[step] : undefined
}
