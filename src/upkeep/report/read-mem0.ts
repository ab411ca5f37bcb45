import { findNodeAtLocation, getNodeValue, type Node, parseTree } from "jsonc-parser"
import type { ReadStore, StoredMemory } from "./stored-memory.ts"

/**
 * What mem0 gives out: the list that `get_all` returns, bare or under `results`, OpenMemory's export with `memories`, or one record a line.
 * Undefined where the text is nothing of the kind. What is marked as deleted is left out.
 */
export function readMem0(path: string, text: string): ReadStore | undefined {
  const records = path.endsWith(".jsonl") ? recordsByLine(text) : recordsOf(text)
  if (!records?.every(({ value }) => value !== undefined && isMem0(value))) return undefined
  const kept = records.filter(({ value }) => !isDeleted(value))
  const deleted = records.length - kept.length
  const memories = kept.map(({ value, line }): StoredMemory => {
    const id = value?.id
    const at = timeOf(value?.updated_at ?? value?.created_at ?? value?.updatedAt ?? value?.createdAt)
    return { path, line, ...(typeof id === "string" ? { id } : {}), text: textOf(value) ?? "", at }
  })
  const users = new Set(kept.map(({ value }) => value?.user_id).filter((user) => typeof user === "string"))
  const parts = [
    ...(users.size > 1 ? [`of ${users.size} users`] : []),
    ...(deleted > 0 ? [`${deleted} more marked as deleted`] : []),
  ]
  return { path, format: "mem0", memories, parts, broken: [] }
}

type Mem0Record = { value: Record<string, unknown> | undefined; line: number }

function recordsOf(text: string): Mem0Record[] | undefined {
  const root = parseTree(text)
  const list = root?.type === "array" ? root : listNames.map((name) => listAt(root, name)).find(Boolean)
  const lineOf = lineFinder(text)
  return list?.children?.map((node) => ({ value: objectOf(getNodeValue(node)), line: lineOf(node.offset) }))
}

const listNames = ["results", "memories", "data"]

function listAt(root: Node | undefined, name: string): Node | undefined {
  const node = root?.type === "object" ? findNodeAtLocation(root, [name]) : undefined
  return node?.type === "array" ? node : undefined
}

function recordsByLine(text: string): Mem0Record[] | undefined {
  const lines = text.split(/\r?\n/).map((line, at) => ({ line, number: at + 1 }))
  const records = lines.filter(({ line }) => line.trim() !== "")
  return records.length === 0
    ? undefined
    : records.map(({ line, number }) => ({ value: objectOf(parseValue(line)), line: number }))
}

function parseValue(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined // then it is no record of mem0's, and the file none of its exports
  }
}

function isMem0(value: Record<string, unknown>): boolean {
  return textOf(value) !== undefined && ["id", "user_id", "hash", "created_at", "createdAt"].some((key) => key in value)
}

/** By the name that each interface gives it. */
function textOf(value: Record<string, unknown> | undefined): string | undefined {
  const texts = [value?.memory, value?.content, value?.text, value?.data]
  return texts.find((text): text is string => typeof text === "string")
}

function isDeleted(value: Record<string, unknown> | undefined): boolean {
  return value?.state === "deleted" || (value?.deleted_at ?? null) !== null
}

function timeOf(value: unknown): number | undefined {
  if (typeof value === "number") return value < 1e11 ? value * 1000 : value // seconds, or milliseconds
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

function lineFinder(text: string): (offset: number) => number {
  let line = 1
  let at = 0
  return (offset) => {
    for (; at < offset; at++) if (text.charCodeAt(at) === 10) line++
    return line
  }
}
