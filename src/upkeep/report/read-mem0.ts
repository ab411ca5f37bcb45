import { DreyError } from "../../errors.ts"
import { type JsonRecord, readJsonLines } from "./read-json-lines.ts"
import { type JsonList, readJsonList } from "./read-json-list.ts"
import type { BrokenRecord, ReadStore, StoredMemory } from "./stored-memory.ts"

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
