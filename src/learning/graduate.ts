import { findStore } from "../squad/find-store.ts"
import type { Decision } from "../store/learned-store.ts"
import { type Candidate, proposeGraduates } from "../upkeep/graduate.ts"
import { type Graduated, writeGraduates } from "../upkeep/write-graduates.ts"
import type { LearningParts, Project } from "./learning-parts.ts"

/** What earned memories were put before the team. */
export type Graduation = Omit<Graduated, "decisions">

export function nothingGraduated(): Graduation {
  return { proposed: [], skills: [], refused: [] }
}

/** Puts what has proved itself before the team, once: into the inbox first, then it is marked. A kill in between repeats nothing. */
export async function graduate(parts: LearningParts, project: Project): Promise<Graduation> {
  const { store, policyOf, now } = parts
  const active = await store.memories({ project: project.id, statuses: ["active"] })
  const candidates: Candidate[] = []
  for (const memory of active) candidates.push({ memory, evidence: (await store.history(memory.id)).evidence })
  const graduates = proposeGraduates(candidates, policyOf(project.root), now())
  const { decisions, ...graduation } = await writeGraduates(findStore(project.root), graduates, now())
  if (decisions.length > 0) await mark(parts, project, decisions)
  return graduation
}

/** At the time of the last evaluation, which these decisions belong to: the next one is due as if nothing had been proposed. */
async function mark({ store, now }: LearningParts, project: Project, decisions: readonly Decision[]): Promise<void> {
  const { at } = await store.sinceEvaluation(project.id)
  await store.applyDecisions(project.id, decisions, at ?? now().toISOString())
}
