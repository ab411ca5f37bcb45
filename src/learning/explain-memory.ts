import type { MemoryHistory } from "../store/learned-store.ts"
import type { Memory } from "../store/memory.ts"
import { outlookOf } from "../upkeep/outlook-of.ts"
import type { LearningParts, Project } from "./learning-parts.ts"

/** A memory with its evidence, its uses, and what lies ahead of it. */
export type MemoryExplanation = MemoryHistory & {
  memory: Memory
  /** What would promote it, and what would end it. */
  outlook: string[]
}

export async function explainMemory(
  { store, policyFor, now }: LearningParts,
  project: Project,
  memory: Memory,
): Promise<MemoryExplanation> {
  const history = await store.history(memory.id)
  return { memory, ...history, outlook: outlookOf(memory, policyFor(project.root, memory), now().toISOString()) }
}
