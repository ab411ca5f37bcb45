import {
  type AgentMemory,
  type Attempt,
  agentMemorySchema,
  attemptSchema,
  type Discovery,
  decisionSchema,
  discoverySchema,
  type SessionDecision,
} from "../formats/session/agent-memory.ts"

/** For tests: entries of one day, by their time of day. */
export function discovery(id: string, time: string, fields: object = {}): Discovery {
  return discoverySchema.parse({ id, timestamp: at(time), type: "code_pattern", content: `Found ${id}.`, ...fields })
}

export function attempt(id: string, time: string, fields: object = {}): Attempt {
  return attemptSchema.parse({ id, timestamp: at(time), description: `Try ${id}`, result: "success", ...fields })
}

export function decision(id: string, time: string, fields: object = {}): SessionDecision {
  return decisionSchema.parse({ id, timestamp: at(time), type: "implementation", description: `Take ${id}`, ...fields })
}

export function memoryOf(parts: object, agent = "developer"): AgentMemory {
  return agentMemorySchema.parse({
    version: "1",
    schema: "agent-memory",
    sessionId: "20260304-080000-0a1b2c3d-queue",
    agent,
    createdAt: at("08:00"),
    ...parts,
  })
}

function at(time: string): string {
  return `2026-03-04T${time}:00.000Z`
}
