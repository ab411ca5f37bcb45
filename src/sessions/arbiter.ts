import type { AgentMemory, Discovery } from "../formats/session/agent-memory.ts"
import { tokenize } from "../index/tokenizer.ts"
import { attemptsOf, attemptsOfAll, discoveriesOf, newestFailures, newestFirst } from "./agent-entries.ts"
import { type RecurringFailure, recurringFailures } from "./failed-attempts.ts"
import {
  descriptionOf,
  discoveryLine,
  failureLine,
  lineOfText,
  longestLine,
  longestName,
  shorten,
} from "./prompt-lines.ts"
import type { Session } from "./session-api.ts"
import {
  findSimilarAttempt,
  laterSuccesses,
  type SimilarAttempt,
  type SimilarityOptions,
  similarityWarning,
} from "./similar-attempts.ts"

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

export type ArbiterInput = SimilarityOptions & {
  /** The arbiter's question; the session's work is appended to it. */
  prompt?: string | undefined
  /** An approach that is being considered: attempts like it that failed are named. */
  approach?: string | undefined
  /** A topic that may have been discovered already: matching discoveries are listed. */
  topic?: string | undefined
}

/** The arbiter's briefing before it chooses the next agent; without any agent's memory, only its own prompt. */
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

export type FoundDiscovery = {
  agent: string
  discovery: Discovery
  /** Which part of the topic's words it has, from 0 to 1. */
  similarity: number
}

const leastSimilarity = 0.6

/** What the session's agents discovered about a topic: best match first, then newest. */
export function findDiscovery(topic: string, memories: ReadonlyMap<string, AgentMemory>): FoundDiscovery[] {
  const words = [...new Set(tokenize(topic))]
  if (words.length === 0) return []
  const discoveries = [...memories].flatMap(([agent, memory]) =>
    discoveriesOf(memory).map((discovery) => {
      const known = discoveryWords(discovery)
      return { agent, discovery, similarity: words.filter((word) => known.has(word)).length / words.length }
    }),
  )
  return newestFirst(
    discoveries.filter(({ similarity }) => similarity >= leastSimilarity),
    ({ discovery }) => discovery,
  ).sort((one, other) => other.similarity - one.similarity)
}

function discoveryWords({ type, summary, content, relatedFiles, actionItems }: Discovery): Set<string> {
  const texts = [type, summary ?? "", content, ...(relatedFiles ?? []), ...(actionItems ?? [])]
  return new Set(texts.flatMap((text) => tokenize(text)))
}

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
