import { existsSync } from "node:fs"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import type { SessionMetadata } from "../formats/session/sibling-files.ts"
import type { YamlEdit } from "../formats/session/yaml-document.ts"
import { deriveMetadata, durationOf, liveTally, sizeOf } from "./derive-metadata.ts"
import { newFileText } from "./new-file-text.ts"
import { listEntries } from "./references-of.ts"
import { setAside } from "./session-files.ts"
import type { SessionParts } from "./session-parts.ts"
import { type Tally, tallyOf } from "./tally.ts"

/** A change of one agent's file, and what is left in it after archiving. */
export type MemoryChange = {
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
export function keepMetadata(parts: SessionParts, change?: MemoryChange): SessionMetadata {
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
  { agent, before, after, left, archived }: MemoryChange,
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
