import { setImmediate as othersTurn } from "node:timers/promises"
import type { Episode } from "../episodes/episode.ts"
import type { Decision } from "../store/learned-store.ts"
import type { Memory } from "../store/memory.ts"
import { evaluateMemories } from "../upkeep/evaluate.ts"
import { isCopy } from "./is-copy.ts"
import type { LearningParts, Project } from "./learning-parts.ts"

export type Evaluation = { at: string; decisions: Decision[] }

/**
 * Evaluates every memory visible to a project except copies of team memories, which the server evaluates. `dryRun`
 * changes nothing.
 */
export async function evaluateProject(
  parts: Pick<LearningParts, "store" | "policyFor" | "ownerType">,
  project: Project,
  { now, dryRun = false }: { now: string; dryRun?: boolean },
): Promise<Evaluation> {
  const { store } = parts
  const decisions: Decision[] = []
  for (let after: Memory | undefined, isLast = false; !isLast; ) {
    const filter = { project: project.id, statuses: ["provisional", "active"], limit: pageSize } as const
    const memories = await store.memories(after ? { ...filter, after } : filter)
    after = memories.at(-1)
    isLast = memories.length < pageSize
    const made = memories
      .filter((memory) => !isCopy(parts, memory))
      .flatMap((memory) => evaluateMemories([memory], parts.policyFor(project.root, memory), now))
    decisions.push(...(dryRun ? made : await store.applyDecisions(project.id, made, now, { isEvaluation: isLast })))
    if (!isLast) await othersTurn()
  }
  return { at: now, decisions }
}

/** A team's project may have too many memories to load at once in a busy process. */
const pageSize = 1000

const lastOfSession = new Set<Episode["flushReason"]>(["session_end", "idle", "shutdown"])

/**
 * Due after several episodes, after a day of work, and at the end of a session, by the episodes' own time, so that a
 * replay decides like live work. The state is in the store alone: if a process is killed first, the next one evaluates.
 */
export async function evaluateIfDue(parts: LearningParts, project: Project): Promise<Evaluation | undefined> {
  const { every_episodes, every_hours } = parts.policyOf(project.root).evaluate
  const { episodes, at, last } = await parts.store.sinceEvaluation(project.id)
  if (episodes === 0 || !last) return undefined
  const hours = at === undefined ? 0 : (Date.parse(last.end) - Date.parse(at)) / 3_600_000
  const isDue = lastOfSession.has(last.flushReason) || episodes >= every_episodes || hours >= every_hours
  return isDue ? evaluateProject(parts, project, { now: last.end }) : undefined
}
