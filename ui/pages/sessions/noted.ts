import type { AgentMemory } from "../../../src/formats/session/agent-memory.ts"

/** An entry of a session with the agent who noted it. */
export type Noted<Entry> = { agent: string; entry: Entry }

/** What all agents noted in one of their lists. */
export function notedBy<Entry>(
  agents: readonly { name: string; memory: AgentMemory }[],
  listOf: (memory: AgentMemory) => readonly Entry[],
): Noted<Entry>[] {
  return agents.flatMap(({ name, memory }) => listOf(memory).map((entry) => ({ agent: name, entry })))
}

/** The newest first. */
export function byTime<Entry extends { timestamp: string }>(noted: readonly Noted<Entry>[]): Noted<Entry>[] {
  return [...noted].sort((one, other) => Date.parse(other.entry.timestamp) - Date.parse(one.entry.timestamp))
}
