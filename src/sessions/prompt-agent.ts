import { buildAgentSystemPrompt } from "./build-agent-system-prompt.ts"
import type { MemoryContextOptions } from "./format-memory-context.ts"
import type { Session } from "./session.ts"

export type AgentPromptRequest = Pick<MemoryContextOptions, "headingLevel"> & {
  /** Default: the session's first agent. A new agent is given what the others did. */
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
