import { writeFileAtomic } from "../disk/atomic-write.ts"
import { safeTarget } from "../disk/safe-paths.ts"
import { readTextFile } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import { alreadyStored } from "../governance/cleared.ts"
import { type BundledMemory, readLearnedBundle, writeLearnedBundle } from "../memories/learned-bundle.ts"
import type { LearnedFilter } from "../memories/learned-store.ts"
import { type Memory, noMetrics } from "../memories/memory.ts"
import { clearName } from "../memories/proposal.ts"
import { isCopy, type LearningParts, type LearningProject } from "./learning-parts.ts"

/** `path` is null when the document was handed to the caller. */
export type LearnedExport = { path: string | null; memories: number }
export type LearnedImport = { added: string[]; known: number; dryRun: boolean }

/** Exports active memories to one file; team memories are excluded because they are not the user's to pass on. */
export async function exportLearned(
  parts: LearningParts,
  repository: string,
  to: string | ((document: string) => void),
  filter: LearnedFilter,
): Promise<LearnedExport> {
  const target = typeof to === "string" ? safeTarget(repository, to) : undefined
  const { store, now } = parts
  const live = await store.memories({ ...filter, statuses: ["provisional", "active"] })
  const memories = live.filter((memory) => !isCopy(parts, memory))
  const document = alreadyStored(writeLearnedBundle(memories, now().toISOString()))
  if (target !== undefined) writeFileAtomic(target, document, { mode: 0o600 })
  else if (typeof to === "function") to(document)
  return { path: typeof to === "string" ? to : null, memories: memories.length }
}

/** Imports another store's export into this project: each memory starts on trial, and existing ones are unchanged. */
export async function importLearned(
  { store, owner, now }: LearningParts,
  project: LearningProject,
  path: string,
  { dryRun }: { dryRun: boolean },
): Promise<LearnedImport> {
  const read = readLearnedBundle(readTextFile(path).text)
  if (read.kind === "unreadable") throw new DreyError(`${path} is not an export of learned memories: ${read.problem}`)
  const moment = now().toISOString()
  const memories = read.memories.map((memory) => toMemory(memory, project, owner, moment))
  const known = new Set<string>()
  for (const { id } of memories) if ((await store.find(id)).length > 0) known.add(id)
  const added = dryRun
    ? memories.filter(({ id }) => !known.has(id)).map(({ id }) => id)
    : await store.importMemories(memories, moment)
  return { added, known: memories.length - added.length, dryRun }
}

/** Imported text has the lowest trust: it never becomes a guard or a proven memory. */
function toMemory(bundled: BundledMemory, project: LearningProject, owner: string, now: string): Memory {
  const isGuard = bundled.kind === "guard"
  return {
    id: bundled.id,
    project: bundled.scope === "global" ? undefined : project.id,
    scope: bundled.scope,
    pathPrefix: bundled.path_prefix ?? undefined,
    owner: { type: "user", id: owner },
    kind: isGuard ? "pattern" : bundled.kind,
    tier: "short_term",
    polarity: isGuard ? -1 : bundled.polarity,
    key: bundled.key ?? undefined,
    text: bundled.text,
    status: "provisional",
    confidence: bundled.confidence,
    expires: bundled.expires_at ?? undefined,
    pinned: false,
    flags: [],
    trigger: { tools: [], heads: [], paths: [], fingerprints: [] },
    origin: "import",
    trust: 0,
    derivedFrom: undefined,
    contributedBy: clearName(bundled.contributed_by),
    sourceMemory: bundled.source_memory_id,
    version: 1,
    created: bundled.created_at,
    updated: now,
    metrics: noMetrics,
    evidence: 0,
  }
}
