import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { fileError } from "../disk/file-error.ts"
import { appendToHome, renameInHome } from "../disk/home-files.ts"
import { isRecord } from "../disk/parse-json.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import { makeFolder } from "../disk/write-file-atomic.ts"

/** One context that was handed out: what was in it and at which rank, never what it said. */
export type ContextRecord = {
  taskId: string
  taskHash: string
  at: string
  agent: string | undefined
  /** The client, and its session, into which it went; as far as whoever asked knew it. */
  client?: string | undefined
  session?: string | undefined
  /** What it was handed out for; nothing stands for a task. */
  occasion?: Occasion | undefined
  budget: number
  tokens: number
  /** `reason` tells why it is in it. */
  items: { id: string; rank: number; tokens: number; reason?: string | undefined; relevant?: true }[]
  left: number
}

export type Occasion = "session start" | "tool call" | "error"

const largestLog = 4 * 1024 * 1024

/** Adds a record; one line, one write, so that lines of several processes never mix. A full log is put beside, the one before it dropped. */
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

/** In how many contexts each item was relevant to the task; what is handed over because everything fits is no sign of use. */
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
  const { withLock } = await import("../disk/lock.ts") // hardly ever needed
  await withLock(`${path}.lock`, () => {
    if (isFull(path)) renameInHome(path, olderLog(path)) // else another process has done it just now
  })
}

/** Whether a process was killed in the middle of a line: the next one must not become a part of it. */
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

/** The contexts on record, oldest first. A line that is no record, such as one that a killed process left unfinished, is passed over. */
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
    return [] // the unfinished line; what it would have said was never reported
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
