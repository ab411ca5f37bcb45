import { findStore } from "../squad/find-store.ts"
import type { Decision } from "../store/learned-store.ts"
import type { Memory } from "../store/memory.ts"
import { type Candidate, proposeGraduates } from "../upkeep/graduate.ts"
import { type Graduated, writeGraduates } from "../upkeep/write-graduates.ts"
import { isCopy } from "./is-copy.ts"
import type { LearningParts, Project } from "./learning-parts.ts"

/** Proven memories that were proposed to the team. */
export type Graduation = Omit<Graduated, "decisions">

export function nothingGraduated(): Graduation {
  return { proposed: [], skills: [], refused: [] }
}

/**
 * Proposes proven memories to the team, once: writes to the inbox first, then marks them, so that a kill in between
 * repeats nothing.
 */
export async function graduate(parts: LearningParts, project: Project): Promise<Graduation> {
  const active = await parts.store.memories({ project: project.id, statuses: ["active"] })
  const { decisions, ...graduation } = await propose(parts, project, active)
  await mark(parts, project, active, decisions)
  return graduation
}

/** What would be proposed if these decisions were applied; writes nothing. */
export async function planGraduation(
  parts: LearningParts,
  project: Project,
  pending: readonly Decision[],
): Promise<Graduation> {
  const byId = new Map(pending.map((decision) => [decision.memory, decision]))
  const live = await parts.store.memories({ project: project.id, statuses: ["provisional", "active"] })
  const decided = live.map((memory) => ({ ...memory, ...stateAfter(byId.get(memory.id)) }))
  const { decisions: _, ...graduation } = await propose(parts, project, decided, { dryRun: true })
  return graduation
}

function stateAfter(decision: Decision | undefined): Partial<Memory> {
  if (!decision) return {}
  const { status, tier, expires, flags } = decision
  return { status, tier, expires, flags }
}

async function propose(
  parts: LearningParts,
  project: Project,
  memories: readonly Memory[],
  options: { dryRun?: boolean } = {},
): Promise<Graduated> {
  const { store, policyOf, now } = parts
  const candidates: Candidate[] = []
  for (const memory of memories.filter((each) => !isCopy(parts, each)))
    candidates.push({ memory, evidence: (await store.history(memory.id)).evidence })
  const graduates = proposeGraduates(candidates, policyOf(project.root), now())
  return writeGraduates(findStore(project.root, parts.home), graduates, now(), options)
}

/** With the time at which each was promoted, independent of the time of the call. */
async function mark(
  { store, now }: LearningParts,
  project: Project,
  memories: readonly Memory[],
  decisions: readonly Decision[],
): Promise<void> {
  const times = new Map(memories.map(({ id, updated }) => [id, updated]))
  for (const decision of decisions) {
    const time = times.get(decision.memory) ?? now().toISOString()
    await store.applyDecisions(project.id, [decision], time, { isEvaluation: false })
  }
}
