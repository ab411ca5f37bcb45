import { buildAgentSystemPrompt } from "./build-agent-system-prompt.ts"
import type { MemoryContextOptions } from "./format-memory-context.ts"
import type { Session } from "./session.ts"

export type AgentPromptRequest = Pick<MemoryContextOptions, "headingLevel"> & {
  /** Default: the session's first. One that has noted nothing yet is told what the others did. */
  agent?: string
  /** The agent's own prompt. */
  prompt: string
  /** Leaves out what the others did. */
  own?: boolean
}

export type AgentPrompt = { session: string; agent: string; text: string }

/** The prompt of one agent of a session, with all that the session has to tell it; what was archived is not forgotten. */
export async function promptAgent(session: Session, request: AgentPromptRequest): Promise<AgentPrompt> {
  const memories = await session.memories({ archived: true })
  const agent = request.agent ?? (await session.firstAgent())
  const others = request.own ? undefined : memories
  const options = { headingLevel: request.headingLevel, others }
  const text = buildAgentSystemPrompt({ systemPrompt: request.prompt }, memories.get(agent), options)
  return { session: session.id, agent, text }
}
