import type { LearningParts, Project } from "./learning-parts.ts"

/** Mean errors per task with and without injected memories; null while there are too few tasks. */
export type TaskComparison = { withMemory: number | null; withoutMemory: number | null; tasks: number }

/** Whether memory reduces errors; `tasks` counts those with memory. */
export async function compareTasks({ store, policyOf }: LearningParts, { id, root }: Project): Promise<TaskComparison> {
  const { window, min_episodes } = policyOf(root).baseline
  const without = await store.baseline(id, window)
  const having = await store.record(id, window)
  const meanOf = ({ episodes, errors }: typeof without) =>
    episodes < min_episodes ? null : Math.round(errors * 100) / 100
  return { withMemory: meanOf(having), withoutMemory: meanOf(without), tasks: having.episodes }
}
