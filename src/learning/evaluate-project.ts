import type { Episode } from "../episodes/episode.ts"
import type { Decision } from "../store/learned-store.ts"
import { evaluateMemories } from "../upkeep/evaluate.ts"
import { isCopy } from "./is-copy.ts"
import type { LearningParts, Project } from "./learning-parts.ts"

export type Evaluation = { at: string; decisions: Decision[] }

/** Judges every memory that a project may see, but no copy of a team's: that is judged on its server. With `dryRun` nothing is changed. */
export async function evaluateProject(
  parts: LearningParts,
  project: Project,
  { now, dryRun = false }: { now: string; dryRun?: boolean },
): Promise<Evaluation> {
  const memories = await parts.store.memories({ project: project.id, statuses: ["provisional", "active"] })
  const decisions = memories
    .filter((memory) => !isCopy(parts, memory))
    .flatMap((memory) => evaluateMemories([memory], parts.policyFor(project.root, memory), now))
  return { at: now, decisions: dryRun ? decisions : await parts.store.applyDecisions(project.id, decisions, now) }
}

const lastOfSession = new Set<Episode["flushReason"]>(["session_end", "idle", "shutdown"])

/**
 * After some episodes, after a day of work, and when a session is over; by the episodes' own time, so that a replay decides as live work
 * does. Whether it is due is told by the store alone: a process that was killed before it could evaluate is made up for by the next.
 */
export async function evaluateIfDue(parts: LearningParts, project: Project): Promise<Evaluation | undefined> {
  const { every_episodes, every_hours } = parts.policyOf(project.root).evaluate
  const { episodes, at, last } = await parts.store.sinceEvaluation(project.id)
  if (episodes === 0 || !last) return undefined
  const hours = at === undefined ? 0 : (Date.parse(last.end) - Date.parse(at)) / 3_600_000
  const isDue = lastOfSession.has(last.flushReason) || episodes >= every_episodes || hours >= every_hours
  return isDue ? evaluateProject(parts, project, { now: last.end }) : undefined
}
