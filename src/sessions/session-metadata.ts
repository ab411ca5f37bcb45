import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { DreyError } from "../errors.ts"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import type { SessionMetadata } from "../formats/session/sibling-schemas.ts"
import type { YamlEdit } from "../formats/session/yaml-tree.ts"
import { instantOfMoment } from "../formats/timestamp.ts"
import { countAgentFiles, listAgentFiles, readMemories } from "./agent-files.ts"
import { listEntries } from "./entry-references.ts"
import { newFileText, type SessionFiles, setAside } from "./session-files.ts"
import type { SessionParts } from "./session-parts.ts"
import { isEnd } from "./session-state.ts"

/** A change of one agent's file, and what is left in it after archiving. */
export type AgentMemoryChange = {
  agent: string
  before: AgentMemory | undefined
  after: AgentMemory
  left: AgentMemory
  archived: boolean
}

/**
 * Updates the metadata incrementally after a change of one memory: other files need not be read, and manual edits of
 * the counts are kept.
 */
export function updateMetadata(parts: SessionParts, change?: AgentMemoryChange): SessionMetadata {
  const { files } = parts
  const old = files.readValid("metadata", files.pathOf("metadata"))?.data
  if (change && old && old.status !== "active")
    parts.warn(`This session has ended as ${old.status}; the change was saved anyway`)
  const counted = old && (change ? countChange(old, change) : {})
  if (!old || !counted) return rebuildMetadata(parts)
  const now = parts.now().toISOString()
  return writeMetadata(parts, {
    ...old,
    ...counted,
    updatedAt: now,
    durationMs: durationOf(old.createdAt, old.endedAt ?? now),
    sizeBytes: sizeOf(files),
  })
}

/** Rebuilds the metadata from all other files. `changes` are fields that only the metadata has. */
export function rebuildMetadata(parts: SessionParts, changes: Partial<SessionMetadata> = {}): SessionMetadata {
  const path = parts.files.pathOf("metadata")
  const old = parts.files.readValid("metadata", path)?.data
  if (!old && existsSync(path))
    parts.warn(`${path} is not valid; it was kept as ${setAside(path, parts.now())} and rebuilt`)
  const derived = { ...deriveMetadata(parts.files, old), ...changes, updatedAt: parts.now().toISOString() }
  return writeMetadata(parts, {
    ...derived,
    durationMs: durationOf(derived.createdAt, derived.endedAt ?? derived.updatedAt),
  })
}

/** Undefined if the previous count of this agent is unknown. */
function countChange(
  old: SessionMetadata,
  { agent, before, after, left, archived }: AgentMemoryChange,
): Partial<SessionMetadata> | undefined {
  const isNew = !before || [...listEntries(before), ...before.history].length === 0
  const then = old.live?.[agent] ?? (isNew ? tallyOf(undefined) : undefined)
  if (!then) return undefined
  const now = tallyOf(after)
  const more = (total: number, come: number, gone: number) => Math.max(0, total + come - gone)
  const sum = (part: keyof Tally["counts"]) => more(old.counts[part], now.counts[part], then.counts[part])
  return {
    agents: [...new Set([...old.agents, agent])],
    counts: {
      ...old.counts,
      discoveries: sum("discoveries"),
      attempts: sum("attempts"),
      decisions: sum("decisions"),
      failures: sum("failures"),
    },
    tokens: {
      ...old.tokens,
      input: more(old.tokens.input, now.tokens.input, then.tokens.input),
      output: more(old.tokens.output, now.tokens.output, then.tokens.output),
    },
    filesModified: [...new Set([...old.filesModified, ...now.files])],
    live: { ...old.live, [agent]: liveTally(left) },
    archived: old.archived || archived,
  }
}

/** Writes only differences, so that manual additions to the file are kept. */
function writeMetadata({ files }: SessionParts, metadata: SessionMetadata): SessionMetadata {
  const changed = files.change(
    "metadata",
    files.pathOf("metadata"),
    ({ document }) => differencesOf(document.value, metadata),
    () => newFileText("session-metadata", files.id, metadata),
  )
  return changed.data
}

function differencesOf(old: Record<string, unknown>, metadata: SessionMetadata): YamlEdit[] {
  return Object.entries(metadata)
    .filter(([key, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(old[key]))
    .map(([key, value]) => ({ op: "set", path: [key], value }))
}

/** The metadata computed from all other files of a session; `old` for what only the metadata itself has. */
export function deriveMetadata(files: SessionFiles, old: SessionMetadata | undefined): SessionMetadata {
  const memories = readMemories(files, { archived: true })
  const state = files.readOrWarn("context", files.pathOf("context"))?.data
  const { counts, tokens, files: filesModified } = addTallies([...memories.values()].map(tallyOf))
  const times = [...memories.values()]
    .flatMap(({ createdAt, updatedAt = createdAt }) => [createdAt, updatedAt])
    .sort(byTime)
  const [earliest] = times
  if (earliest === undefined) throw new DreyError(`${files.folder} contains no agent memory`)
  const createdAt = old?.createdAt ?? state?.startedAt ?? earliest
  const updatedAt = [...times, old?.updatedAt ?? earliest].sort(byTime).at(-1) ?? earliest
  return {
    version: "1",
    schema: "session-metadata",
    sessionId: files.id,
    task: state?.task ?? "",
    status: state && isEnd(state.state) ? state.state : "active",
    ...old,
    createdAt,
    updatedAt,
    durationMs: durationOf(createdAt, old?.endedAt ?? updatedAt),
    agents: agentsOf(files, memories, old),
    counts: { ...old?.counts, ...counts },
    filesModified,
    tokens: { ...old?.tokens, ...tokens },
    live: Object.fromEntries([...readMemories(files)].map(([agent, memory]) => [agent, liveTally(memory)])),
    sizeBytes: sizeOf(files),
    archived: listAgentFiles(files).some(({ archivePath }) => existsSync(archivePath)),
  }
}

/** What the metadata records of one agent's file, to detect later what was added or removed. */
function liveTally(memory: AgentMemory): NonNullable<SessionMetadata["live"]>[string] {
  const { counts, tokens } = tallyOf(memory)
  return { counts, tokens }
}

/** The size of a session's files on disk, without the metadata that records it. */
function sizeOf({ folder, pathOf }: SessionFiles): number {
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"))
  return names
    .map((name) => join(folder, name))
    .filter((path) => path !== pathOf("metadata"))
    .reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)
}

/** Those whose files cannot be read just now are agents of the session all the same. */
function agentsOf(
  files: SessionFiles,
  memories: ReadonlyMap<string, AgentMemory>,
  old: SessionMetadata | undefined,
): string[] {
  const isWhole = countAgentFiles(files) === memories.size
  return [...new Set([...(isWhole ? [] : (old?.agents ?? [])), ...memories.keys()])]
}

function durationOf(from: string, to: string): number {
  return Math.max(0, (instantOfMoment(to) ?? 0) - (instantOfMoment(from) ?? 0))
}

function byTime(one: string, other: string): number {
  return (instantOfMoment(one) ?? 0) - (instantOfMoment(other) ?? 0)
}

/** What the metadata records of memories. */
type Tally = {
  counts: { discoveries: number; attempts: number; decisions: number; failures: number }
  tokens: { input: number; output: number }
  files: string[]
}

function tallyOf(memory: AgentMemory | undefined): Tally {
  const { discoveries = [], attempts = [], decisions = [] } = memory ?? {}
  const failures = attempts.filter(({ result }) => result === "failure")
  return {
    counts: {
      discoveries: discoveries.length,
      attempts: attempts.length,
      decisions: decisions.length,
      failures: failures.length,
    },
    tokens: {
      input: attempts.reduce((sum, { tokensUsed }) => sum + (tokensUsed?.input ?? 0), 0),
      output: attempts.reduce((sum, { tokensUsed }) => sum + (tokensUsed?.output ?? 0), 0),
    },
    files: [...new Set(attempts.flatMap(({ artifacts }) => artifacts.map(({ path }) => path)))],
  }
}

function addTallies(tallies: readonly Tally[]): Tally {
  const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0)
  return {
    counts: {
      discoveries: sum(({ counts }) => counts.discoveries),
      attempts: sum(({ counts }) => counts.attempts),
      decisions: sum(({ counts }) => counts.decisions),
      failures: sum(({ counts }) => counts.failures),
    },
    tokens: { input: sum(({ tokens }) => tokens.input), output: sum(({ tokens }) => tokens.output) },
    files: [...new Set(tallies.flatMap(({ files }) => files))],
  }
}
