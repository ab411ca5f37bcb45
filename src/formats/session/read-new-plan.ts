import { z } from "zod"
import { fields, listOf, optional, text } from "./field-schemas.ts"
import { readYaml } from "./read-yaml.ts"
import type { SessionProblem } from "./session-problem.ts"
import { planSchema, planStepSchema } from "./sibling-files.ts"

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

/** A plan as a person or a program writes it down, in YAML or JSON: `steps`, each a text or a map with `description`. */
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
