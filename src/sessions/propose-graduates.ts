import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { type AgentMemories, type Graduate, nameOf, type Source } from "./graduation/graduate.ts"
import { graduateDecisions } from "./graduation/graduate-decisions.ts"
import { graduateFindings, graduateGrounds } from "./graduation/graduate-discoveries.ts"
import { graduateLessons } from "./graduation/graduate-lessons.ts"
import { graduateSolutions } from "./graduation/graduate-solutions.ts"

/**
 * The entries of a session worth keeping, in their final wording; deterministic for the same memories, which include
 * archived entries. Entries that have graduated, are unverified, ask a question, or were only momentary are left out.
 */
export function proposeGraduates(memories: AgentMemories, session: string): Graduate[] {
  const solutions = graduateSolutions(memories)
  const left = withoutGraduated(memories, new Set(solutions.flatMap(({ sources }) => sources.map(nameOf))))
  return [
    ...solutions,
    ...graduateFindings(left),
    ...graduateGrounds(left, memories),
    ...graduateDecisions(left, session),
    ...graduateLessons(left, session),
  ]
}

function withoutGraduated(memories: AgentMemories, used: ReadonlySet<string>): AgentMemories {
  const left = new Map<string, AgentMemory>()
  for (const [agent, memory] of memories) {
    const isLeft = ({ id, graduatedTo }: Pick<Source, "id"> & { graduatedTo?: string | undefined }) =>
      graduatedTo === undefined && !used.has(nameOf({ agent, id }))
    left.set(agent, {
      ...memory,
      discoveries: memory.discoveries.filter(isLeft),
      attempts: memory.attempts.filter(isLeft),
      decisions: memory.decisions.filter(isLeft),
    })
  }
  return left
}
