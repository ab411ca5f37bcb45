import { z } from "zod"
import {
  anyList,
  count,
  fields,
  flag,
  listOf,
  moment,
  name,
  numberBetween,
  oneOf,
  optional,
  step,
  text,
  texts,
  version,
  withDefault,
} from "./agent-memory.ts"
import { stepStatuses } from "./session-id.ts"

// This module loads zod: import its types freely, its values only where session files are read or the schema goes out.

const head = <Name extends string>(schema: Name) => ({
  version,
  schema: z.literal(schema, JSON.stringify(schema)),
  sessionId: name,
})

export const sessionStates = [
  "idle",
  "selecting",
  "executing",
  "evaluating",
  "complete",
  "failed",
  "cancelled",
] as const
export const planStatuses = ["draft", "in_progress", "complete", "failed", "replanning"] as const
export const errorCategories = [
  "tool_failure",
  "provider_error",
  "validation_error",
  "timeout",
  "permission_error",
  "unknown",
] as const
export const recoveryOptions = ["retry", "skip", "fallback", "abort"] as const

/** `context.yaml`: the state of the machine that runs the agents. */
export const machineStateSchema = fields({
  ...head("session-context"),
  state: oneOf(sessionStates),
  task: text,
  startedAt: moment,
  currentAgent: text.nullish(),
  iterationCount: withDefault(count, 0),
  maxIterations: withDefault(count, 50),
  consecutiveFailures: withDefault(count, 0),
  totalFailures: withDefault(count, 0),
  maxFailures: withDefault(count, 3),
  lastError: fields({
    agent: optional(text),
    tool: optional(text),
    planStep: optional(step),
    attempted: optional(text),
    message: text,
    category: withDefault(oneOf(errorCategories), "unknown"),
    recoveryOptions: listOf(oneOf(recoveryOptions)),
    timestamp: optional(moment),
  }).nullish(),
  lastArbiterDecision: z.unknown().optional(),
  provider: optional(text),
  history: anyList,
})

export const messageSchema = fields({
  id: name,
  timestamp: moment,
  agent: optional(text),
  role: name,
  content: text,
  toolCalls: anyList,
  toolResults: anyList,
  usage: optional(fields({ input: optional(count), output: optional(count) })),
})

/** `conversation.yaml`: every message, only ever added to. */
export const conversationSchema = fields({
  ...head("session-conversation"),
  messages: listOf(messageSchema),
})

export const planStepSchema = fields({
  /** Counts from 0; an attempt's `planStep` is one more. */
  index: count,
  description: text,
  status: oneOf(stepStatuses),
  suggestedAgent: optional(text),
  executedBy: optional(text),
  startedAt: optional(moment),
  completedAt: optional(moment),
  output: optional(text),
  error: optional(text),
  affectedFiles: texts,
  dependsOn: listOf(count),
  instructions: optional(text),
  acceptanceCriteria: texts,
})

export const planSchema = fields({
  id: name,
  task: text,
  status: oneOf(planStatuses),
  steps: listOf(planStepSchema),
  currentStepIndex: withDefault(count, 0),
  createdAt: moment,
  createdBy: optional(text),
  updatedAt: optional(moment),
  version: withDefault(count, 1),
  previousPlanId: optional(text),
  metadata: optional(
    fields({
      complexity: optional(numberBetween(1, 10)),
      tags: texts,
      constraints: texts,
      informedByMemories: texts,
    }),
  ),
})

/** `plan.yaml`: every version of the plan, the newest last. */
export const planFileSchema = fields({ ...head("session-plan"), plans: listOf(planSchema) })

const tallySchema = fields({
  counts: fields({ discoveries: count, attempts: count, decisions: count, failures: count }),
  tokens: fields({ input: count, output: count }),
})

/** `metadata.yaml`: for a quick look; all of it can be derived from the other files. */
export const metadataSchema = fields({
  ...head("session-metadata"),
  task: text,
  keptFor: optional(
    text.meta({ description: "The client's conversation that Drey keeps this session for by itself." }),
  ),
  status: oneOf(["active", "complete", "failed", "cancelled"]),
  createdAt: moment,
  updatedAt: optional(moment),
  endedAt: optional(moment),
  durationMs: optional(count),
  agents: texts,
  ...tallySchema.shape,
  filesModified: texts,
  /** By agent, the content of its file when last counted; archived entries are counted only above. */
  live: optional(z.record(z.string(), tallySchema)),
  resultSummary: optional(text),
  sizeBytes: count,
  archived: flag,
})

export type MachineState = z.output<typeof machineStateSchema>
export type Conversation = z.output<typeof conversationSchema>
export type Message = Conversation["messages"][number]
export type PlanFile = z.output<typeof planFileSchema>
export type Plan = z.output<typeof planSchema>
export type PlanStep = z.output<typeof planStepSchema>
export type SessionMetadata = z.output<typeof metadataSchema>
