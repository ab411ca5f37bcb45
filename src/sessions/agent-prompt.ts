import type { AgentMemory, Discovery, MemoryContext } from "../formats/session/agent-memory.ts"
import { attemptsOfAll, discoveriesOf, newestFailures, newestFirst } from "./agent-entries.ts"
import { discoveryLine, failureLine, lineOfText, longestLine, shorten } from "./prompt-lines.ts"
import type { Session } from "./session-api.ts"
import { laterSuccesses } from "./similar-attempts.ts"

export type AgentPromptRequest = Pick<MemoryContextOptions, "headingLevel"> & {
  /** Default: the session's first agent. A new agent gets what the others did. */
  agent?: string
  /** The agent's own prompt. */
  prompt: string
  /** Leaves out the other agents' work. */
  own?: boolean
}

export type AgentPrompt = { session: string; agent: string; text: string }

/** An agent's prompt with the session's context, including archived entries. */
export async function promptAgent(session: Session, request: AgentPromptRequest): Promise<AgentPrompt> {
  const memories = await session.memories({ archived: true })
  const agent = request.agent ?? (await session.firstAgent())
  const others = request.own ? undefined : memories
  const options = { headingLevel: request.headingLevel, others }
  const text = buildAgentSystemPrompt({ systemPrompt: request.prompt }, memories.get(agent), options)
  return { session: session.id, agent, text }
}

/** An agent's prompt followed by the session's context; the prompt alone if there is no context. */
export function buildAgentSystemPrompt(
  agent: { systemPrompt: string },
  memory: AgentMemory | undefined,
  options: MemoryContextOptions = {},
): string {
  const context = formatMemoryContext(memory, options)
  if (context === "") return agent.systemPrompt
  const section = `## Prior Context from This Session

${context}

Use this context to avoid repeating discoveries or failed approaches.`
  return agent.systemPrompt === "" ? section : `${agent.systemPrompt}\n\n${section}`
}

export type MemoryContextOptions = {
  headingLevel?: 2 | 3 | undefined
  /** The memories of the session's other agents: their failures and important discoveries are included too. */
  others?: ReadonlyMap<string, AgentMemory> | undefined
}

const longestContext = 4000

/**
 * An agent's summary of its session: discoveries, failures, status; empty if there is nothing. Every text stays on its own line.
 */
export function formatMemoryContext(memory: AgentMemory | undefined, options: MemoryContextOptions = {}): string {
  const mark = "#".repeat(options.headingLevel ?? 2)
  const discoveries = block(
    `${mark} Key Discoveries`,
    keyDiscoveries(memory, options.others).map(({ discovery, agent }) => discoveryLine(discovery, agent)),
  )
  const context = block(`${mark} Current Task Context`, contextLines(memory?.context))
  const heading = `${mark} Recently Failed Approaches (Don't Repeat)`
  const room = longestContext - [discoveries, heading, context].join("\n\n").length
  const memories = new Map(options.others)
  if (memory) memories.set(memory.agent, memory)
  const failures = block(heading, failureLines(memories, memory?.agent, room))
  return [discoveries, failures, context].filter((each) => each !== "").join("\n\n")
}

function block(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [heading, ...lines].join("\n")
}

const mostDiscoveries = 5
const mostCritical = 3

type Told = { discovery: Discovery /** The agent that made it, if it is another one. */; agent?: string }

/**
 * The agent's own newest critical discoveries, however old, those of the others, then its newest of any importance; if there is room,
 * highly important ones of others.
 */
function keyDiscoveries(memory: AgentMemory | undefined, others: MemoryContextOptions["others"]): Told[] {
  const own = memory ? newestFirst(discoveriesOf(memory), (each) => each).map((discovery) => ({ discovery })) : []
  const foreign = newestFirst(
    [...(others ?? [])].flatMap(([agent, other]) =>
      agent === memory?.agent ? [] : discoveriesOf(other).map((discovery) => ({ discovery, agent })),
    ),
    ({ discovery }) => discovery,
  )
  const told = new Set<Told>([
    ...own.filter(({ discovery }) => discovery.importance === "critical").slice(0, mostCritical),
    ...foreign.filter(({ discovery }) => discovery.importance === "critical").slice(0, mostDiscoveries - mostCritical),
    ...own,
    ...foreign.filter(({ discovery }) => discovery.importance === "high"),
  ])
  return [...told].slice(0, mostDiscoveries)
}

const mostFailures = 3

/** The newest failures of each agent, together newest first; the oldest are dropped if there is no room. */
function failureLines(memories: ReadonlyMap<string, AgentMemory>, reader: string | undefined, room: number): string[] {
  const solvedBy = laterSuccesses(attemptsOfAll(memories))
  const told = new Map<string, number>()
  const lines: string[] = []
  let left = room
  for (const failed of newestFailures(memories)) {
    const before = told.get(failed.agent) ?? 0
    if (before === mostFailures) continue
    told.set(failed.agent, before + 1)
    const line = failureLine(failed, { reader, solvedBy: solvedBy(failed) })
    left -= line.length + 1
    if (left < 0) break
    lines.push(line)
  }
  return lines
}

function contextLines(context: MemoryContext | undefined): string[] {
  const lines: string[] = []
  if (context?.currentPlanStep !== undefined) lines.push(`- Step: ${context.currentPlanStep}`)
  const blockers = lineOfText((context?.blockers ?? []).filter((each) => each.trim() !== "").join(", "))
  if (blockers !== "") lines.push(shorten(`- Blockers: ${blockers}`, longestLine))
  return lines
}
