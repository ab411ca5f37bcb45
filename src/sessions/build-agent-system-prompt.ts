import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { formatMemoryContext, type MemoryContextOptions } from "./format-memory-context.ts"

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
