import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { attemptsOf, discoveriesOf } from "./entries-of.ts"

/** The agent that comes next where no model needs to be asked: the default one, as long as nothing has happened and nothing failed. */
export function selectWithoutModel(
  input: { defaultAgent?: string | undefined; lastError?: unknown },
  memories: ReadonlyMap<string, AgentMemory>,
): string | undefined {
  const hasError = input.lastError !== undefined && input.lastError !== null
  return hasError || [...memories.values()].some(hasHistory) ? undefined : input.defaultAgent
}

function hasHistory(memory: AgentMemory): boolean {
  const lists = [attemptsOf(memory), discoveriesOf(memory), memory.decisions ?? [], memory.history ?? []]
  return lists.some((list) => list.length > 0)
}
