import { withLock } from "../disk/lock.ts"
import { evaluateProject } from "./evaluate-project.ts"
import { graduate } from "./graduate.ts"
import type { LearningParts, Project } from "./learning-parts.ts"
import { requireMendable, type TroubledProject } from "./part-by-policy.ts"

/**
 * Evaluates projects that have not been evaluated for the policy's number of hours, so that memories also expire in
 * idle projects.
 */
export async function evaluateByClock(
  parts: LearningParts,
  projects: readonly Project[],
  { waitMs }: { waitMs: number },
): Promise<TroubledProject[]> {
  const now = parts.now()
  const troubled: TroubledProject[] = []
  for (const project of projects) {
    if ((await dueAt(parts, project)) > now.getTime()) continue
    const evaluate = async () => {
      await evaluateProject(parts, project, { now: now.toISOString() })
      await graduate(parts, project)
    }
    try {
      await withLock(parts.lockPath, evaluate, { waitMs })
    } catch (error) {
      troubled.push({ project, error: requireMendable(error) })
    }
  }
  return troubled
}

/** When the first of these projects is due. */
export async function nextEvaluation(parts: LearningParts, projects: readonly Project[]): Promise<number> {
  const times = []
  for (const project of projects) times.push(await dueAt(parts, project))
  return Math.min(Number.POSITIVE_INFINITY, ...times)
}

/** A project without any evaluation is first evaluated after its first episodes. */
async function dueAt({ store, policyOf }: LearningParts, { id, root }: Project): Promise<number> {
  const { at } = await store.sinceEvaluation(id)
  return at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at) + policyOf(root).evaluate.every_hours * 3_600_000
}
