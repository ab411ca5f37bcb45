import { z } from "zod"
import {
  artifactActions,
  attemptResults,
  decisionTypes,
  discoveryTypes,
  impacts,
  importances,
  stepStatuses,
} from "./session-id.ts"

// The types of fields in session files. Each description says what to write; the validator uses it in its messages.
// Hand-written YAML often leaves `key:` empty: an optional field may be null.

export const text = z.string("a text")
export const name = z.string("a text").min(1, "a text that is not empty")
/** Whether it is one is for the validator, which only warns: a wrong time must not lock the file. */
export const moment = z.string('a time such as "2026-01-23T10:31:05.000Z"').meta({ format: "date-time" })
export const count = wholeNumber(0)
/** Of the plan, counted from 1. */
export const step = wholeNumber(1)
export const flag = z.boolean("true or false")
/** Which version a file has is for the validator. */
export const version = z.union([z.string(), z.number()], '"1"').transform(String)

export function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.looseObject(shape, "a map of fields")
}

export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, `one of ${values.join(", ")}`)
}

/** Other values are kept, with a warning. */
function oneOfOrOther(known: readonly string[]) {
  return z
    .string(`one of ${known.join(", ")}`)
    .min(1, `one of ${known.join(", ")}`)
    .meta({ examples: [...known] })
}

export function optional<Kind extends z.ZodType>(kind: Kind) {
  return kind
    .nullish()
    .transform((value) => value ?? undefined)
    .optional()
}

export function withDefault<Kind extends z.ZodType>(kind: Kind, fallback: z.output<Kind>) {
  return kind
    .nullish()
    .meta({ default: fallback })
    .transform((value): z.output<Kind> => value ?? fallback)
}

export function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(item, 'a list, each item on a line that begins with "- "')
    .nullish()
    .transform((list) => list ?? [])
}

export const texts = listOf(text)
/** A list whose items are checked by another schema. */
export const anyList = listOf(z.unknown())

export function numberBetween(least: number, most: number, words = `a number from ${least} to ${most}`) {
  return z.number(words).min(least, words).max(most, words)
}

function wholeNumber(least: number) {
  const words = `a whole number, ${least} or more`
  return z.number(words).int(words).min(least, words)
}

// This module loads zod: import its types freely, its values only where session files are read or the schema goes out.

export type Importance = (typeof importances)[number]
export type AttemptResult = (typeof attemptResults)[number]
export type Impact = (typeof impacts)[number]

const source = text.meta({ description: "The record of a transcript from which Drey made the entry by itself." })
const graduated = text.meta({ description: "The learned memory or proposal that it became." })

export const discoverySchema = fields({
  id: name,
  timestamp: moment,
  type: oneOfOrOther(discoveryTypes),
  importance: withDefault(oneOf(importances), "medium"),
  content: text,
  summary: optional(text.meta({ description: "One line for prompts, at most 160 characters." })),
  relatedFiles: texts,
  actionItems: texts,
  graduatedTo: optional(graduated),
  source: optional(source),
}).meta({ id: "discovery", description: "Something an agent discovered." })

const progressWords = 'a text such as "60%", or a number from 0 to 100'

export const attemptSchema = fields({
  id: name,
  timestamp: moment.meta({ description: "When it began." }),
  updatedAt: optional(moment),
  planStep: optional(step.meta({ description: "Counts from 1." })),
  description: text,
  approach: optional(text),
  commands: texts,
  result: oneOf(attemptResults).meta({
    description: "The authoritative outcome; `status` and `progress` are informational.",
  }),
  status: optional(text),
  progress: optional(z.union([text, numberBetween(0, 100, progressWords)], progressWords)),
  output: text.nullish(),
  error: text.nullish(),
  summary: optional(text),
  subTasks: listOf(fields({ description: text, status: oneOf(stepStatuses) })),
  currentIssue: text.nullish(),
  nextStep: text.nullish(),
  nextAttempt: text.nullish(),
  lessons: text.nullish(),
  artifacts: listOf(
    fields({
      path: text,
      action: optional(oneOfOrOther(artifactActions)),
      status: optional(text),
      content: optional(text.meta({ description: "At most 2 KB." })),
      contentBytes: optional(count.meta({ description: "Of content that was removed by archiving." })),
      contentHash: optional(text),
    }),
  ),
  duration_ms: optional(count),
  iterations: optional(count),
  tokensUsed: optional(fields({ input: optional(count), output: optional(count) })),
  graduatedTo: optional(graduated),
  source: optional(source),
}).meta({ id: "attempt", description: "Something an agent tried; recorded when it starts and updated when it ends." })

/** Written as a name with its reason, or as one text: `OAuth2 (scope too large)`. */
const alternativeSchema = z.union(
  [fields({ name: text, reason: withDefault(text, "") }), text.transform((written) => splitAlternative(written))],
  "a text, or a map with `name` and `reason`",
)

export const decisionSchema = fields({
  id: name,
  timestamp: moment,
  type: oneOfOrOther(decisionTypes),
  description: text,
  reasoning: optional(text),
  alternatives: listOf(alternativeSchema),
  impact: optional(oneOf(impacts)),
  reversible: optional(flag),
  relatedDiscoveries: listOf(text.meta({ description: "The id of a discovery, here or in the archive." })),
  relatedAttempts: listOf(text.meta({ description: "The id of an attempt, here or in the archive." })),
  graduatedTo: optional(graduated),
  source: optional(source),
}).meta({ id: "decision", description: "A choice, with its reasons and the entries it is based on." })

export const memoryContextSchema = fields({
  currentPlanStep: optional(step),
  planStepStatus: optional(text),
  filesInScope: listOf(fields({ path: text, status: optional(text), purpose: optional(text) })),
  codebaseUnderstanding: optional(
    fields({
      mainLanguage: optional(text),
      runtime: optional(text),
      framework: optional(text),
      existingPatterns: texts,
    }),
  ),
  taskContext: optional(fields({})),
  constraints: texts,
  openQuestions: texts,
  nextSteps: texts,
  blockers: texts,
  assumptions: texts,
}).meta({ id: "context", description: "The agent's current position." })

/** What archiving leaves behind of the entries it moved. */
export const historySchema = fields({
  archivedAt: moment,
  from: optional(moment),
  to: optional(moment),
  counts: fields({ discoveries: count, attempts: count, decisions: count }),
  summary: text,
  ids: texts,
}).meta({ id: "archivedSpan", description: "Entries that were moved to the archive." })

/**
 * One agent's memory of one session. The types, the validator and the published JSON Schema all come from here. Unknown fields pass
 * at every level.
 */
export const agentMemorySchema = fields({
  version,
  schema: z.literal("agent-memory", '"agent-memory"'),
  sessionId: name.meta({ description: "The name of the session's folder." }),
  agent: name,
  createdAt: moment,
  updatedAt: optional(moment),
  discoveries: listOf(discoverySchema),
  attempts: listOf(attemptSchema),
  decisions: listOf(decisionSchema),
  context: memoryContextSchema.nullish().transform((context) => context ?? undefined),
  history: listOf(historySchema),
}).meta({ title: "Agent memory", description: "What one agent discovered, tried and decided in one session." })

export type AgentMemory = z.output<typeof agentMemorySchema>
export type Discovery = z.output<typeof discoverySchema>
export type Attempt = z.output<typeof attemptSchema>
export type SessionDecision = z.output<typeof decisionSchema>
export type MemoryContext = z.output<typeof memoryContextSchema>
export type ArchivedSpan = z.output<typeof historySchema>

/** The lists that hold entries with ids. */
export const entrySections = ["discoveries", "attempts", "decisions"] as const
export type EntrySection = (typeof entrySections)[number]

function splitAlternative(written: string): { name: string; reason: string } {
  const match = /^([^(]+)\(([^)]*)\)\s*$/.exec(written)
  return match
    ? { name: (match[1] ?? "").trim(), reason: (match[2] ?? "").trim() }
    : { name: written.trim(), reason: "" }
}
