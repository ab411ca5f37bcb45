import { DreyError } from "../errors.ts"
import { countUnknown } from "./account.ts"
import { type JsonObject, objectOf, parseObject } from "./json-value.ts"

/**
 * Builds a document from the log of its changes: each line sets a value (0: the whole, 1: at a path), appends to a list
 * (2, from `i` on), or deletes (3). An unfinished last line is ignored. Invalid changes are counted.
 */
export function replayLog(text: string): { document: JsonObject; lines: number; unknown: Record<string, number> } {
  const lines = text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line.trim() !== "")
  const unknown: Record<string, number> = {}
  let document: JsonObject | undefined
  for (const line of lines) {
    const change = parseObject(line)
    const kind = change === undefined ? "unreadable" : `change/${String(change.kind)}`
    if (change?.kind === 0 && objectOf(change.v) !== undefined) document = objectOf(change.v)
    else if (!(change && document && applyChange(document, change))) countUnknown(unknown, kind)
  }
  if (document === undefined) throw new DreyError("the log does not begin with a document")
  return { document, lines: lines.length, unknown }
}

/** False for a change that does not apply. */
function applyChange(document: JsonObject, { kind, k, v, i }: JsonObject): boolean {
  if (!Array.isArray(k) || k.length === 0) return false
  const place = k.slice(0, -1).reduce(step, document)
  const key = k.at(-1)
  if (kind === 1) return setAt(place, key, v)
  if (kind === 2) {
    const list = step(place, key)
    if (!Array.isArray(v)) return false
    if (!Array.isArray(list)) return list === undefined && setAt(place, key, v)
    if (typeof i === "number" && i >= 0 && i < list.length) list.length = Math.floor(i)
    list.push(...v)
    return true
  }
  if (kind !== 3) return false
  const object = objectOf(place)
  if (object !== undefined) delete object[String(key)]
  return object !== undefined
}

/** Own properties only: a path never leads into a prototype. */
function step(place: unknown, key: unknown): unknown {
  if (Array.isArray(place)) return typeof key === "number" ? place[key] : undefined
  const object = objectOf(place)
  return object !== undefined && Object.hasOwn(object, String(key)) ? object[String(key)] : undefined
}

function setAt(place: unknown, key: unknown, value: unknown): boolean {
  if (Array.isArray(place)) {
    const isInside = typeof key === "number" && Number.isInteger(key) && key >= 0 && key <= place.length
    if (isInside) place[key] = value
    return isInside
  }
  const object = objectOf(place)
  if (object !== undefined) object[String(key)] = value
  return object !== undefined
}
