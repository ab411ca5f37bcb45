import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { discoveryLine } from "./discovery-line.ts"
import { attemptsOf, attemptsOfAll, newestFailures, newestFirst } from "./entries-of.ts"
import { descriptionOf, failureLine } from "./failure-line.ts"
import { findDiscovery } from "./find-discovery.ts"
import { findSimilarAttempt, type SimilarityOptions, similarityWarning } from "./find-similar-attempt.ts"
import { laterSuccesses } from "./later-successes.ts"
import { lineOfText, longestLine, longestName, shorten } from "./line-of-text.ts"
import { type RecurringFailure, recurringFailures } from "./recurring-failures.ts"

export type ArbiterInput = SimilarityOptions & {
  /** What the arbiter is asked; the session's work is put behind it. */
  prompt?: string | undefined
  /** An approach that is being considered: attempts like it that failed are named. */
  approach?: string | undefined
  /** Something that might have been found out already: what was is named. */
  topic?: string | undefined
}

/** What an arbiter is told before it chooses the next agent; without any agent's memory, its own prompt alone. */
export function buildArbiterSelectPrompt(input: ArbiterInput, memories: ReadonlyMap<string, AgentMemory>): string {
  const parts = [
    input.prompt ?? "",
    previousWork(memories),
    recentFailures(memories),
    input.approach === undefined ? "" : similarAttempts(input.approach, memories, input),
    input.topic === undefined ? "" : discoveriesOn(input.topic, memories),
    section("## Recurring Failures", recurringFailures(memories).slice(0, mostShown).map(recurringLine)),
  ]
  return parts.filter((part) => part !== "").join("\n\n")
}

const mostShown = 5

function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [heading, ...lines].join("\n")
}

function previousWork(memories: ReadonlyMap<string, AgentMemory>): string {
  if (memories.size === 0) return ""
  return `## Previous Agent Work This Session

${[...memories].map(lastAttemptLine).join("\n")}

Use this to make informed decisions about which agent should work next.`
}

function lastAttemptLine([agent, memory]: [string, AgentMemory]): string {
  const name = `**${lineOfText(agent, longestName)}**: `
  const [last] = newestFirst(attemptsOf(memory), (attempt) => attempt)
  if (last === undefined) return `${name}no attempts yet`
  return shorten(`${name}Last attempt (${last.result}) - ${descriptionOf(last)}`, longestLine)
}

const manyFailures = 3

/** Once there are many: the last of them. */
function recentFailures(memories: ReadonlyMap<string, AgentMemory>): string {
  const failures = newestFailures(memories)
  if (failures.length < manyFailures) return ""
  const solvedBy = laterSuccesses(attemptsOfAll(memories))
  const lines = failures.slice(0, mostShown).map((failed) => failureLine(failed, { solvedBy: solvedBy(failed) }))
  return section("## Recent Failures", lines)
}

function similarAttempts(
  approach: string,
  memories: ReadonlyMap<string, AgentMemory>,
  options: SimilarityOptions,
): string {
  return findSimilarAttempt(approach, memories, options).slice(0, mostShown).map(similarityWarning).join("\n")
}

function discoveriesOn(topic: string, memories: ReadonlyMap<string, AgentMemory>): string {
  const found = findDiscovery(topic, memories).slice(0, mostShown)
  return section(
    "## Discoveries on This Topic",
    found.map(({ agent, discovery }) => discoveryLine(discovery, agent)),
  )
}

function recurringLine({ error, count, attempts }: RecurringFailure): string {
  const names = attempts
    .slice(0, mostShown)
    .map(({ agent, attemptId }) => `${lineOfText(attemptId, longestName)} of ${lineOfText(agent, longestName)}`)
  const tail = shorten(` (${count} times: ${names.join(", ")})`, longestLine / 2)
  return `- ${shorten(error, longestLine - tail.length - 2)}${tail}`
}
