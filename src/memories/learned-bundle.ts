import { parseMemoryKey } from "../formats/ids.ts"
import { isRecord, omitUndefined } from "../formats/objects.ts"
import { parsePathPrefix } from "../formats/text.ts"
import type { Memory } from "./memory.ts"

/** Learned memories for another machine or store: no vectors, no evidence, nothing that has ended. Names are those of the tables. */
export type LearnedBundle = { version: "1.0"; exported_at: string; memories: BundledMemory[] }

export type BundledMemory = {
  id: string
  project_id: string | null
  scope: Memory["scope"]
  path_prefix: string | null
  owner_type: Memory["owner"]["type"]
  owner_id: string
  kind: Memory["kind"]
  tier: Memory["tier"]
  polarity: Memory["polarity"]
  key: string | null
  text: string
  status: Memory["status"]
  confidence: number
  expires_at: string | null
  created_at: string
  updated_at: string
  /** For a copy of a shared memory: the member who shared it, and the original. */
  contributed_by?: string
  source_memory_id?: string
}

export function writeLearnedBundle(memories: readonly Memory[], now: string): string {
  const bundle: LearnedBundle = { version: "1.0", exported_at: now, memories: memories.map(toBundled) }
  return `${JSON.stringify(bundle, null, 2)}\n`
}

function toBundled(memory: Memory): BundledMemory {
  return {
    id: memory.id,
    project_id: memory.project ?? null,
    scope: memory.scope,
    path_prefix: memory.pathPrefix ?? null,
    owner_type: memory.owner.type,
    owner_id: memory.owner.id,
    kind: memory.kind,
    tier: memory.tier,
    polarity: memory.polarity,
    key: memory.key ?? null,
    text: memory.text,
    status: memory.status,
    confidence: memory.confidence,
    expires_at: memory.expires ?? null,
    created_at: memory.created,
    updated_at: memory.updated,
    ...omitUndefined({ contributed_by: memory.contributedBy, source_memory_id: memory.sourceMemory }),
  }
}

export type LearnedBundleReading =
  | { kind: "bundle"; memories: BundledMemory[] }
  | { kind: "unreadable"; problem: string }

/** Reads what `writeLearnedBundle` wrote; one memory that is none spoils the whole, so that nothing comes in half. */
export function readLearnedBundle(text: string): LearnedBundleReading {
  const unreadable = (problem: string): LearnedBundleReading => ({ kind: "unreadable", problem })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return unreadable("it is not valid JSON")
  }
  if (!isRecord(value) || !Array.isArray(value.memories)) return unreadable("it has no list of memories")
  if (value.version !== "1.0") return unreadable(`its version is ${JSON.stringify(value.version)}, not "1.0"`)
  const memories: BundledMemory[] = []
  for (const [at, memory] of value.memories.entries()) {
    const read = readMemory(memory)
    if (typeof read === "string") return unreadable(`memory ${at + 1} ${read}`)
    memories.push(read)
  }
  return { kind: "bundle", memories }
}

/** A string is the problem, by the field's name and never by its content. */
function readMemory(value: unknown): BundledMemory | string {
  if (!isBundledMemory(value)) return "is incomplete"
  const wrong = (name: string, should: string) => `has a ${name} that is not ${should}`
  if (value.text.trim() === "") return "has no text"
  if (!(value.confidence >= 0 && value.confidence <= 1)) return wrong("confidence", "between 0 and 1")
  const key = value.key === null ? null : parseMemoryKey(value.key)
  if (key === undefined) return wrong("key", "of the form project.… or user.…")
  const path_prefix = value.path_prefix === null ? null : parsePathPrefix(value.path_prefix)
  if (path_prefix === undefined) return wrong("path_prefix", "a place in the repository")
  if ((value.scope === "repo_path") !== (path_prefix !== null))
    return "has a path_prefix without the scope repo_path, or that scope without one"
  const [created_at, updated_at] = [toUtc(value.created_at), toUtc(value.updated_at)]
  const expires_at = value.expires_at === null ? null : toUtc(value.expires_at)
  if (created_at === undefined || updated_at === undefined || expires_at === undefined) return wrong("date", "a time")
  return { ...value, key, path_prefix, created_at, updated_at, expires_at }
}

/** Times are compared as text, so all of them are written in the same way. */
function toUtc(text: string): string | undefined {
  const isTime = /^\d{4}-\d\d-\d\d(?:[T ][\d:.]{5,15}(?:Z|[+-]\d\d:?\d\d)?)?$/i.test(text)
  const time = isTime ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

const choices = {
  scope: ["global", "project", "repo_path"],
  owner_type: ["user", "team", "org"],
  kind: ["preference", "invariant", "pattern", "guard", "note"],
  tier: ["short_term", "long_term", "emergency"],
  status: ["provisional", "active", "deprecated"],
  polarity: [1, -1],
} as const

function isBundledMemory(value: unknown): value is BundledMemory {
  if (!isRecord(value)) return false
  const isText = (name: string) => typeof value[name] === "string"
  return (
    ["owner_id", "text", "created_at", "updated_at"].every(isText) &&
    isMemoryId(value.id) &&
    ["project_id", "path_prefix", "key", "expires_at"].every((name) => value[name] === null || isText(name)) &&
    typeof value.confidence === "number" &&
    (value.contributed_by === undefined || isText("contributed_by")) &&
    (value.source_memory_id === undefined || isMemoryId(value.source_memory_id)) &&
    Object.entries(choices).every(([name, allowed]) => (allowed as readonly unknown[]).includes(value[name]))
  )
}

function isMemoryId(value: unknown): boolean {
  return /^m-[0-9a-f]{16}$/.test(String(value))
}
