import type { LearningParts, Project } from "./learning-parts.ts"

/** Mean errors of a task in which something learned was handed out, and of one without; null while there are too few to tell. */
export type TaskComparison = { withMemory: number | null; withoutMemory: number | null; tasks: number }

/** Whether work goes better with memory; `tasks` are those that had it. */
export async function compareTasks({ store, policyOf }: LearningParts, { id, root }: Project): Promise<TaskComparison> {
  const { window, min_episodes } = policyOf(root).baseline
  const without = await store.baseline(id, window)
  const having = await store.record(id, window)
  const meanOf = ({ episodes, errors }: typeof without) =>
    episodes < min_episodes ? null : Math.round(errors * 100) / 100
  return { withMemory: meanOf(having), withoutMemory: meanOf(without), tasks: having.episodes }
}
