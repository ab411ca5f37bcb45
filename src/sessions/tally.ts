import type { AgentMemory } from "../formats/session/agent-memory.ts"

/** What the metadata says of memories. */
export type Tally = {
  counts: { discoveries: number; attempts: number; decisions: number; failures: number }
  tokens: { input: number; output: number }
  files: string[]
}

export function tallyOf(memory: AgentMemory | undefined): Tally {
  const { discoveries = [], attempts = [], decisions = [] } = memory ?? {}
  const failures = attempts.filter(({ result }) => result === "failure")
  return {
    counts: {
      discoveries: discoveries.length,
      attempts: attempts.length,
      decisions: decisions.length,
      failures: failures.length,
    },
    tokens: {
      input: attempts.reduce((sum, { tokensUsed }) => sum + (tokensUsed?.input ?? 0), 0),
      output: attempts.reduce((sum, { tokensUsed }) => sum + (tokensUsed?.output ?? 0), 0),
    },
    files: [...new Set(attempts.flatMap(({ artifacts }) => artifacts.map(({ path }) => path)))],
  }
}

export function addTallies(tallies: readonly Tally[]): Tally {
  const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0)
  return {
    counts: {
      discoveries: sum(({ counts }) => counts.discoveries),
      attempts: sum(({ counts }) => counts.attempts),
      decisions: sum(({ counts }) => counts.decisions),
      failures: sum(({ counts }) => counts.failures),
    },
    tokens: { input: sum(({ tokens }) => tokens.input), output: sum(({ tokens }) => tokens.output) },
    files: [...new Set(tallies.flatMap(({ files }) => files))],
  }
}
