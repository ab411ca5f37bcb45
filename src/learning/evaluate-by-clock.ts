import { withLock } from "../disk/lock.ts"
import { evaluateProject } from "./evaluate-project.ts"
import { graduate } from "./graduate.ts"
import type { LearningParts, Project } from "./learning-parts.ts"
import { requireMendable, type TroubledProject } from "./part-by-policy.ts"

/** Judges the memories of the projects in which nothing was judged for the policy's hours: what is old ends although nobody works there. */
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

/** When the first of these projects will be due. */
export async function nextEvaluation(parts: LearningParts, projects: readonly Project[]): Promise<number> {
  const times = []
  for (const project of projects) times.push(await dueAt(parts, project))
  return Math.min(Number.POSITIVE_INFINITY, ...times)
}

/** Where nothing was judged yet, the first episodes bring it about. */
async function dueAt({ store, policyOf }: LearningParts, { id, root }: Project): Promise<number> {
  const { at } = await store.sinceEvaluation(id)
  return at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at) + policyOf(root).evaluate.every_hours * 3_600_000
}
