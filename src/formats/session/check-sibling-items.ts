import { checkMoments } from "./check-moments.ts"
import type { Message, Plan, PlanStep } from "./sibling-files.ts"
import { fault, type UnplacedProblem, warning } from "./unplaced-problem.ts"
import type { YamlPath } from "./yaml-document.ts"

const contentLimit = 4000

export function checkMessage(message: Message): UnplacedProblem[] {
  const { length } = message.content
  const words = `The content has ${length} characters: write at most ${contentLimit}.`
  return [
    ...checkMoments(message, ["timestamp"]),
    ...(length > contentLimit ? [warning("too-long", ["content"], words)] : []),
  ]
}

export function checkPlan({ steps, ...plan }: Plan): UnplacedProblem[] {
  const indexes = steps.map(({ index }) => index)
  return [
    ...checkMoments(plan, ["createdAt", "updatedAt"]),
    ...steps.flatMap((step, place) => checkStep(step, ["steps", place], indexes, place)),
  ]
}

/** A step is named by its index, which counts from 0; two steps with one index could not be told apart. */
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
