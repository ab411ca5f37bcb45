import { type ArbiterInput, buildArbiterSelectPrompt } from "./build-arbiter-select-prompt.ts"
import { type FoundDiscovery, findDiscovery } from "./find-discovery.ts"
import { findSimilarAttempt, type SimilarAttempt } from "./find-similar-attempt.ts"
import { type RecurringFailure, recurringFailures } from "./recurring-failures.ts"
import type { Session } from "./session.ts"

/** The arbiter's briefing, as text and as data. */
export type ArbiterBrief = {
  session: string
  text: string
  similar: SimilarAttempt[]
  discoveries: FoundDiscovery[]
  recurring: RecurringFailure[]
}

/** Describes the work of all agents to the arbiter that chooses the next one; includes archived entries. */
export async function briefArbiter(session: Session, input: ArbiterInput): Promise<ArbiterBrief> {
  const memories = await session.memories({ archived: true })
  return {
    session: session.id,
    text: buildArbiterSelectPrompt(input, memories),
    similar: input.approach === undefined ? [] : findSimilarAttempt(input.approach, memories, input),
    discoveries: input.topic === undefined ? [] : findDiscovery(input.topic, memories),
    recurring: recurringFailures(memories),
  }
}
