import { findInformativeLine } from "../formats/error-line.ts"
import type { AgentMemory, Attempt, Discovery } from "../formats/session/agent-memory.ts"
import { instantOfMoment } from "../formats/timestamp.ts"

export type AgentAttempt = { agent: string; attempt: Attempt }

/** Empty, too, where a caller parsed the file itself and the list is missing. */
export function attemptsOf(memory: AgentMemory): readonly Attempt[] {
  return memory.attempts ?? []
}

export function discoveriesOf(memory: AgentMemory): readonly Discovery[] {
  return memory.discoveries ?? []
}

/** The attempts of all agents, each with the agent that made it. */
export function attemptsOfAll(memories: ReadonlyMap<string, AgentMemory>): AgentAttempt[] {
  return [...memories].flatMap(([agent, memory]) => attemptsOf(memory).map((attempt) => ({ agent, attempt })))
}

/** The failures of all agents, newest first. */
export function newestFailures(memories: ReadonlyMap<string, AgentMemory>): AgentAttempt[] {
  const failures = attemptsOfAll(memories).filter(({ attempt }) => attempt.result === "failure")
  return newestFirst(failures, ({ attempt }) => attempt)
}

type Timed = { timestamp: string; updatedAt?: unknown }

/** A sorted copy. Of two with the same time, the one recorded later is the newer; entries without a valid time come last. */
export function newestFirst<Item>(items: readonly Item[], entryOf: (item: Item) => Timed): Item[] {
  return items
    .map((item, at) => ({ item, at, moment: momentOf(entryOf(item)) }))
    .sort((one, other) => other.moment - one.moment || other.at - one.at)
    .map(({ item }) => item)
}

/** When an entry last changed, in milliseconds since 1970; before all others if it has no valid time. */
export function momentOf({ timestamp, updatedAt }: Timed): number {
  return instantOf(updatedAt) ?? instantOf(timestamp) ?? Number.NEGATIVE_INFINITY
}

function instantOf(written: unknown): number | undefined {
  return typeof written === "string" ? instantOfMoment(written) : undefined
}

const longestRead = 20_000

/** The most informative line about a failed attempt; undefined if it has neither an error nor an output. */
export function errorOf({ error, output }: Attempt): string | undefined {
  for (const text of [error, output]) {
    const line = findInformativeLine(text?.slice(0, longestRead) ?? "")
    if (line !== undefined) return text?.slice(line.start, line.end).trim()
  }
  return undefined
}
