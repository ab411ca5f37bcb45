import type { Memory } from "../store/memory.ts"

/** What was learned, for another machine or store: no vectors, no evidence, nothing that has ended. Names are those of the tables. */
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
    return unreadable("it is no JSON")
  }
  if (!isObject(value) || !Array.isArray(value.memories)) return unreadable("it has no list of memories")
  if (value.version !== "1.0") return unreadable(`its version is ${JSON.stringify(value.version)}, not "1.0"`)
  const at = value.memories.findIndex((memory) => !isBundledMemory(memory))
  return at === -1 ? { kind: "bundle", memories: value.memories } : unreadable(`memory ${at + 1} is not complete`)
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
  if (!isObject(value)) return false
  const isText = (name: string) => typeof value[name] === "string"
  return (
    ["owner_id", "text", "created_at", "updated_at"].every(isText) &&
    /^m-[0-9a-f]{16}$/.test(String(value.id)) &&
    ["project_id", "path_prefix", "key", "expires_at"].every((name) => value[name] === null || isText(name)) &&
    typeof value.confidence === "number" &&
    Object.entries(choices).every(([name, allowed]) => (allowed as readonly unknown[]).includes(value[name]))
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
