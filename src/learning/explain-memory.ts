import type { MemoryHistory } from "../store/learned-store.ts"
import type { Memory } from "../store/memory.ts"
import { outlookOf } from "../upkeep/outlook-of.ts"
import { isCopy } from "./is-copy.ts"
import type { LearningParts, Project } from "./learning-parts.ts"

/** A memory with its evidence, its uses, and its outlook. */
export type MemoryExplanation = MemoryHistory & {
  memory: Memory
  /** What would promote it, and what would end it. */
  outlook: string[]
}

export async function explainMemory(
  parts: LearningParts,
  project: Project,
  memory: Memory,
): Promise<MemoryExplanation> {
  const { store, policyFor, now } = parts
  const history = await store.history(memory.id)
  const outlook = isCopy(parts, memory)
    ? ["the team server evaluates it by its use across all members"]
    : outlookOf(memory, policyFor(project.root, memory), now().toISOString())
  return { memory, ...history, outlook }
}
