import { type JSONPath, visit } from "jsonc-parser"
import { DreyError } from "../../errors.ts"
import type { BrokenRecord, ReadStore, StoredMemory } from "./quality-report.ts"

/**
 * A mem0 export: the list returned by `get_all`, bare or under `results`, OpenMemory's export with `memories`, or one
 * record per line. Undefined for other texts. Deleted records are left out, and unreadable ones are reported.
 */
export function readMem0(path: string, text: string): ReadStore | undefined {
  const list = /\.(?:jsonl|ndjson)$/i.test(path) ? listByLine(text) : readJsonList(path, text, listNames)
  if (!list) return undefined
  const { records, brokenFrom } = list
  if (records.length === 0 && brokenFrom !== undefined)
    throw new DreyError(`${path}:${brokenFrom} is not JSON, and there is no complete record before it`)
  if (!isExport(records)) return undefined
  const kept = records.filter(({ value }) => !isDeleted(value))
  const deleted = records.length - kept.length
  const users = new Set(kept.map(({ value }) => value?.user_id).filter((user) => typeof user === "string"))
  const parts = [
    ...(users.size > 1 ? [`of ${users.size} users`] : []),
    ...(deleted > 0 ? [`${deleted} more marked as deleted`] : []),
  ]
  const broken = kept.flatMap((record) => brokenOf(record, path))
  if (brokenFrom !== undefined)
    broken.push({ path, line: brokenFrom, reason: "not JSON; nothing was read from here on" })
  return { path, format: "mem0", memories: kept.flatMap((record) => memoryOf(record, path)), parts, broken }
}

const listNames = ["results", "memories", "data"]

function listByLine(text: string): JsonList | undefined {
  const records = readJsonLines(text)
  return records.length === 0 ? undefined : { records, brokenFrom: undefined }
}

/** Some records may be broken; if most are, it is another tool's file. */
function isExport(records: readonly JsonRecord[]): boolean {
  return records.filter(({ value }) => value !== undefined && isMem0(value)).length * 2 >= records.length
}

function isMem0(value: Record<string, unknown>): boolean {
  const isTold = textOf(value) !== undefined || "memory" in value
  return isTold && ["id", "user_id", "hash", "created_at", "createdAt"].some((key) => key in value)
}

function memoryOf({ value, line }: JsonRecord, path: string): StoredMemory[] {
  const text = textOf(value)
  if (text === undefined) return []
  const id = value?.id
  const at = timeOf(value?.updated_at ?? value?.created_at ?? value?.updatedAt ?? value?.createdAt)
  return [{ path, line, ...(typeof id === "string" ? { id } : {}), text, at }]
}

function brokenOf({ value, line }: JsonRecord, path: string): BrokenRecord[] {
  if (textOf(value) !== undefined) return []
  return [{ path, line, reason: value === undefined ? "not a JSON object" : "a record without text" }]
}

/** By the name used in each interface. */
function textOf(value: Record<string, unknown> | undefined): string | undefined {
  const texts = [value?.memory, value?.content, value?.text, value?.data]
  return texts.find((text): text is string => typeof text === "string")
}

function isDeleted(value: Record<string, unknown> | undefined): boolean {
  return value?.state === "deleted" || (value?.deleted_at ?? null) !== null
}

/** Undefined for an invalid time, such as a number out of range. */
function timeOf(value: unknown): number | undefined {
  const time = typeof value === "number" ? inMilliseconds(value) : typeof value === "string" ? Date.parse(value) : NaN
  return Number.isNaN(new Date(time).getTime()) ? undefined : time
}

function inMilliseconds(time: number): number {
  return time < 1e11 ? time * 1000 : time // seconds, or already milliseconds
}

/** `brokenFrom`: the line where the document stops being JSON; the records are those before it. */
type JsonList = { records: JsonRecord[]; brokenFrom: number | undefined }

/** The parser is recursive; no export needs a tenth of this depth. */
const deepest = 200

/**
 * The document's list, or the list under the first of these names, each item with its line. Undefined without such a
 * list.
 */
function readJsonList(path: string, text: string, names: readonly string[]): JsonList | undefined {
  const json = text.replace(/^\uFEFF/, " ") // one character for one, so that offsets stay the same
  const lists = new Map<string, JsonRecord[]>()
  let open: { records: JsonRecord[]; depth: number } | undefined
  let depth = 0
  let begun = { offset: 0, line: 0 }
  let brokenFrom: number | undefined
  const begin = (offset: number, line: number) => {
    if (depth === open?.depth) begun = { offset, line }
    if (++depth > deepest) throw new DreyError(`${path}:${line + 1} is nested too deeply`)
  }
  const add = (value: JsonRecord["value"], line: number) => {
    if (depth === open?.depth && brokenFrom === undefined) open.records.push({ value, line: line + 1 })
  }
  visit(
    json,
    {
      onObjectBegin: (offset, _length, line) => begin(offset, line),
      onArrayBegin(offset, _length, line, _character, place) {
        const name = depth < 2 ? nameOfList(place(), names) : undefined
        if (name !== undefined && brokenFrom === undefined) {
          open = { records: [], depth: depth + 1 }
          lists.set(name, open.records)
        }
        begin(offset, line)
      },
      onObjectEnd(offset, length) {
        depth--
        if (length > 0 && depth === open?.depth) add(parseObject(json.slice(begun.offset, offset + 1)), begun.line)
      },
      onArrayEnd(_offset, length) {
        depth--
        if (length > 0) add(undefined, begun.line)
        if (open && depth < open.depth) open = undefined
      },
      onLiteralValue: (_value, _offset, _length, line) => add(undefined, line),
      onError(_code, _offset, _length, line) {
        brokenFrom ??= line + 1
      },
    },
    { disallowComments: true },
  )
  const name = ["", ...names].find((each) => lists.has(each))
  return name === undefined ? undefined : { records: lists.get(name) ?? [], brokenFrom }
}

/** Empty for the document itself. */
function nameOfList([first, ...below]: JSONPath, names: readonly string[]): string | undefined {
  if (first === undefined) return ""
  return typeof first === "string" && below.length === 0 && names.includes(first) ? first : undefined
}

/** A record in a file; `value` is undefined if it is not a JSON object. */
type JsonRecord = { value: Record<string, unknown> | undefined; line: number }

/** One record per line that is not blank, readable or not. */
export function readJsonLines(text: string): JsonRecord[] {
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .map((line, at) => ({ line, number: at + 1 }))
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, number }) => ({ value: parseObject(line), line: number }))
}

/** Parses a JSON object; undefined for any other text. */
function parseObject(text: string): JsonRecord["value"] {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined // reported as broken, by its line only
  }
}
