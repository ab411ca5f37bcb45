import {
  type AgentMemory,
  agentMemorySchema,
  attemptSchema,
  decisionSchema,
  discoverySchema,
  historySchema,
} from "./agent-memory.ts"
import { checkAgentMemory, checkSize } from "./check-agent-memory.ts"
import { checkMoments } from "./check-moments.ts"
import { checkAttempt, checkDecision, checkDiscovery } from "./check-session-entry.ts"
import { anyList } from "./field-schemas.ts"
import { partReader } from "./read-part.ts"
import { readSessionFile, type SessionFileReading } from "./read-session-file.ts"

export type AgentMemoryReading =
  | (Omit<Extract<SessionFileReading<AgentMemory>, { kind: "read" }>, "data"> & { memory: AgentMemory })
  | Exclude<SessionFileReading<AgentMemory>, { kind: "read" }>

export type ExpectedMemory = {
  /** The name of the folder that the file lies in. */
  sessionId?: string
  /** Ids of other files that entries may refer to: those in the archive. */
  known?: ReadonlySet<string>
  /** An archive may be of any size. */
  archive?: boolean
}

const shape = {
  head: agentMemorySchema.extend({ discoveries: anyList, attempts: anyList, decisions: anyList, history: anyList }),
  lists: {
    discoveries: partReader(discoverySchema, checkDiscovery),
    attempts: partReader(attemptSchema, checkAttempt),
    decisions: partReader(decisionSchema, checkDecision),
    history: partReader(historySchema, (span) => checkMoments(span, ["archivedAt", "from", "to"])),
  },
}

/** Reads one agent's memory of a session. Its entries are frozen: they are shared with other readings of the same text. */
export function readAgentMemory(text: string, expected: ExpectedMemory = {}): AgentMemoryReading {
  const known = expected.known ?? new Set()
  const check = (memory: AgentMemory) => [
    ...checkAgentMemory(memory, known),
    ...(expected.archive ? [] : checkSize(memory, text)),
  ]
  const reading = readSessionFile<AgentMemory>({ ...shape, check }, text, expected)
  if (reading.kind !== "read") return reading
  const { data: memory, ...rest } = reading
  return { ...rest, memory }
}
