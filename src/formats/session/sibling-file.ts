import { z } from "zod"
import { anyList, fields, listOf, optional, text } from "./agent-memory.ts"
import {
  checkIds,
  checkMoments,
  partReader,
  readSessionFile,
  type SessionFileReading,
  type SessionFileShape,
} from "./session-file.ts"
import { fault, type SessionProblem, type UnplacedProblem, warning } from "./session-problem.ts"
import {
  type Conversation,
  conversationSchema,
  type MachineState,
  machineStateSchema,
  messageSchema,
  metadataSchema,
  type Plan,
  type PlanFile,
  type PlanStep,
  planFileSchema,
  planSchema,
  planStepSchema,
  type SessionMetadata,
} from "./sibling-schemas.ts"
import { readYaml } from "./yaml-reader.ts"
import type { YamlPath } from "./yaml-tree.ts"

function checkPlan({ steps, ...plan }: Plan): UnplacedProblem[] {
  const indexes = steps.map(({ index }) => index)
  return [
    ...checkMoments(plan, ["createdAt", "updatedAt"]),
    ...steps.flatMap((step, place) => checkStep(step, ["steps", place], indexes, place)),
  ]
}

/** A step is identified by its index, which counts from 0; two steps with one index could not be distinguished. */
function checkStep(step: PlanStep, path: YamlPath, indexes: number[], place: number): UnplacedProblem[] {
  const problems = checkMoments(step, ["startedAt", "completedAt"], path)
  if (indexes.indexOf(step.index) !== place) {
    const message = `Step ${step.index} appears twice: count from 0, and use each number once.`
    problems.push(fault("duplicate-id", [...path, "index"], message))
  }
  for (const [position, index] of step.dependsOn.entries()) {
    if (indexes.includes(index)) continue
    const message = `There is no step ${index}: correct it, or remove it.`
    problems.push(warning("unknown-reference", [...path, "dependsOn", position], message))
  }
  return problems
}

/** The content of the files beside the agents' memories, by file name without `.yaml`. */
export type SiblingData = {
  context: MachineState
  conversation: Conversation
  plan: PlanFile
  metadata: SessionMetadata
}
export type SiblingKind = keyof SiblingData

const shapes: { [Kind in SiblingKind]: SessionFileShape<SiblingData[Kind]> } = {
  context: {
    head: machineStateSchema,
    lists: {},
    check: (state) => [
      ...checkMoments(state, ["startedAt"]),
      ...(state.lastError ? checkMoments(state.lastError, ["timestamp"], ["lastError"]) : []),
    ],
  },
  conversation: {
    head: conversationSchema.extend({ messages: anyList }),
    lists: { messages: partReader(messageSchema, (message) => checkMoments(message, ["timestamp"])) },
    check: ({ messages }) => checkIds("messages", messages),
  },
  plan: {
    head: planFileSchema.extend({ plans: anyList }),
    lists: { plans: partReader(planSchema, checkPlan) },
    check: ({ plans }) => checkIds("plans", plans),
  },
  metadata: {
    head: metadataSchema,
    lists: {},
    check: (metadata) => checkMoments(metadata, ["createdAt", "updatedAt", "endedAt"]),
  },
}

/** Reads one of the files beside the agents' memories. Messages and plans are frozen: readings of the same text share them. */
export function readSiblingFile<Kind extends SiblingKind>(
  kind: Kind,
  text: string,
  expected: { sessionId?: string } = {},
): SessionFileReading<SiblingData[Kind]> {
  return readSessionFile(shapes[kind], text, expected)
}

const newStepSchema = z.union(
  [
    text.transform((description) => ({ description })),
    planStepSchema.omit({ index: true }).partial().required({ description: true }),
  ],
  "a text, or a map with `description`",
)

const newPlanSchema = fields({
  task: optional(text),
  steps: listOf(newStepSchema),
  metadata: planSchema.shape.metadata,
})

/** A plan as written by a user or a program, in YAML or JSON: `steps`, each a text or a map with `description`. */
export type PlanReading =
  | { kind: "plan"; plan: z.output<typeof newPlanSchema> }
  | { kind: "broken"; problem: Pick<SessionProblem, "line" | "column" | "message"> }

export function readNewPlan(source: string): PlanReading {
  const reading = readYaml(source)
  if (reading.kind === "broken") {
    const [problem = { line: 1, column: 1, message: "is not YAML" }] = reading.problems
    return { kind: "broken", problem }
  }
  const { document } = reading
  const { data, error } = newPlanSchema.safeParse(document.value)
  if (!data) {
    const [issue] = error.issues
    const path = (issue?.path ?? []).map((key) => (typeof key === "number" ? key : String(key)))
    return {
      kind: "broken",
      problem: { ...document.positionOf(path), message: `${path.join(".")}: should be ${issue?.message}` },
    }
  }
  if (data.steps.length > 0) return { kind: "plan", plan: data }
  return { kind: "broken", problem: { line: 1, column: 1, message: "there are no `steps`" } }
}
