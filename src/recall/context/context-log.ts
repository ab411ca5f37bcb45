import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { makeFolder } from "../../disk/atomic-write.ts"
import { sha256 } from "../../disk/hash.ts"
import { appendToHome, renameInHome } from "../../disk/home-files.ts"
import { fileError, readTextFile } from "../../disk/text-files.ts"
import { isRecord } from "../../formats/objects.ts"
import { agentKey } from "../../formats/text.ts"

/** A context that was handed out: its item ids and ranks, never their text. */
export type ContextRecord = {
  taskId: string
  taskHash: string
  at: string
  agent: string | undefined
  /** The client and session that received it, if known. */
  client?: string | undefined
  session?: string | undefined
  /** Why it was handed out; missing for a task. */
  occasion?: ContextOccasion | undefined
  budget: number
  tokens: number
  /** `reason` says why the item was included. */
  items: { id: string; rank: number; tokens: number; reason?: string | undefined; relevant?: true }[]
  left: number
}

export type ContextOccasion = "session start" | "tool call" | "error"

const largestLog = 4 * 1024 * 1024

/**
 * Appends a record as one line in one write, so that lines of several processes never mix. A full log is rotated; one
 * old log is kept.
 */
export async function appendContext(path: string, record: ContextRecord): Promise<void> {
  try {
    makeFolder(dirname(path), 0o700)
    if (isFull(path)) await putBeside(path)
    const start = endsUnfinished(path) ? "\n" : ""
    appendToHome(path, `${start}${JSON.stringify(record)}\n`)
  } catch (error) {
    throw fileError(path, error)
  }
}

/**
 * In how many contexts each item was relevant to the task. Items included only because everything fit do not count as
 * used.
 */
export function countRelevantUses(path: string): Map<string, number> {
  const uses = new Map<string, number>()
  for (const { items } of readContexts(path))
    for (const { id, relevant } of items) if (relevant) uses.set(id, (uses.get(id) ?? 0) + 1)
  return uses
}

function isFull(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > largestLog
}

async function putBeside(path: string): Promise<void> {
  const { withLock } = await import("../../disk/lock.ts") // rarely needed
  await withLock(`${path}.lock`, () => {
    if (isFull(path)) renameInHome(path, olderLog(path)) // otherwise another process has just rotated it
  })
}

/** Whether the last line is incomplete because a process was killed: the next record must start a new line. */
function endsUnfinished(path: string): boolean {
  if (!existsSync(path)) return false
  const file = openSync(path, "r")
  try {
    const { size } = fstatSync(file)
    const last = Buffer.alloc(1)
    return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a
  } finally {
    closeSync(file)
  }
}

/** All recorded contexts, oldest first. Invalid lines, such as an incomplete last line, are skipped. */
export function readContexts(path: string): ContextRecord[] {
  return [olderLog(path), path]
    .filter((file) => existsSync(file))
    .flatMap((file) => readTextFile(file).text.split("\n").flatMap(readLine))
}

function readLine(line: string): ContextRecord[] {
  try {
    const value: unknown = JSON.parse(line)
    return isContextRecord(value) ? [value] : []
  } catch {
    return [] // an incomplete line; its context was never reported as handed out
  }
}

function isContextRecord(value: unknown): value is ContextRecord {
  if (!isRecord(value)) return false
  const { taskId, taskHash, at, agent, client, session, occasion, budget, tokens, items, left } = value
  return (
    [taskId, taskHash, at, agent ?? "", client ?? "", session ?? "", occasion ?? ""].every(
      (each) => typeof each === "string",
    ) &&
    [budget, tokens, left].every((each) => typeof each === "number") &&
    Array.isArray(items) &&
    items.every(isHandedOut)
  )
}

function isHandedOut(item: unknown): boolean {
  if (!isRecord(item) || ![item.rank, item.tokens].every(Number.isFinite)) return false
  return typeof item.id === "string" && typeof (item.reason ?? "") === "string"
}

function olderLog(path: string): string {
  return path.replace(/\.jsonl$/, ".1.jsonl")
}

/** An agent's name as logged. Callers may pass any text as a name: only plausible names are kept, others are hashed. */
export function loggedAgent(name: string | undefined): string | undefined {
  const key = agentKey(name)
  if (key === undefined || /^\p{L}{1,20}(?:-\p{L}{1,20}){0,2}(?:-\d{1,2})?$/u.test(key)) return key
  return `a-${sha256(key).slice(0, 8)}`
}
