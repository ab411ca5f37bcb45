import type { Chooser } from "./chooser.ts"
import { oddTexts } from "./odd-texts.ts"

/** A document, or lines of them, that are still JSON but have unexpected content; undefined for a text without any. */
export function mutateJson(text: string, choose: Chooser): string | undefined {
  const document = parse(text)
  if (document !== undefined) return JSON.stringify(mutateValue(document, choose))
  const lines = text.split("\n")
  const readable = lines.flatMap((line, at) => (line.startsWith("{") || line.startsWith("[") ? [at] : []))
  if (readable.length === 0) return undefined
  for (let times = 1 + choose.below(3); times > 0; times--) {
    const at = choose.from(readable)
    const value = parse(lines[at] ?? "")
    if (value !== undefined) lines[at] = JSON.stringify(mutateValue(value, choose))
  }
  return lines.join("\n")
}

function mutateValue(value: unknown, choose: Chooser): unknown {
  const places = placesIn(value, [])
  let mutated = value
  for (let times = 1 + choose.below(3); times > 0; times--)
    mutated = changedAt(mutated, choose.from(places), choose, value)
  return mutated
}

type Place = readonly string[]

const mostPlaces = 3000

function placesIn(value: unknown, place: Place, found: Place[] = []): Place[] {
  found.push(place)
  if (typeof value !== "object" || value === null) return found
  for (const [key, inner] of Object.entries(value))
    if (found.length < mostPlaces) placesIn(inner, [...place, key], found)
  return found
}

function changedAt(value: unknown, [key, ...rest]: Place, choose: Chooser, whole: unknown): unknown {
  if (key === undefined) return otherValue(value, choose, whole)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    const inner = changedAt(value[Number(key)], rest, choose, whole)
    return rest.length === 0 && choose.chance(0.2)
      ? value.toSpliced(Number(key), 1)
      : value.toSpliced(Number(key), 1, inner)
  }
  const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    if (name !== key) return [[name, inner]]
    if (rest.length > 0) return [[name, changedAt(inner, rest, choose, whole)]]
    if (choose.chance(0.15)) return []
    return [[choose.chance(0.1) ? choose.from(oddTexts) : name, otherValue(inner, choose, whole)]]
  })
  return Object.fromEntries(entries) // defines, never assigns: a key named __proto__ is a key
}

const oddValues: readonly unknown[] = [
  null,
  0,
  -1,
  1e300,
  2 ** 53,
  0.1,
  true,
  false,
  "",
  "x",
  "\ud800",
  [],
  [null],
  [[]],
  {},
  { type: null },
]

function otherValue(value: unknown, choose: Chooser, whole: unknown): unknown {
  if (choose.chance(0.4)) return choose.from(oddValues)
  if (choose.chance(0.3)) return choose.from(oddTexts)
  if (choose.chance(0.1)) return nested(choose)
  if (choose.chance(0.2))
    return Object.fromEntries([
      ["__proto__", { polluted: true }],
      ["value", value],
    ])
  if (choose.chance(0.3)) return valueAt(whole, choose.from(placesIn(whole, [])))
  return typeof value === "string" ? value.repeat(1 + choose.below(20)) + choose.from(oddTexts) : [value]
}

function nested(choose: Chooser): unknown {
  let value: unknown = choose.from(oddValues)
  for (let depth = choose.below(600); depth > 0; depth--) value = depth % 2 === 0 ? [value] : { a: value }
  return value
}

function valueAt(value: unknown, place: Place): unknown {
  return place.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null)?.[key], value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // several documents, or none
  }
}
