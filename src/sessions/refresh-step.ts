import type { AgentMemory } from "../formats/session/agent-memory.ts"
import type { Plan } from "../formats/session/sibling-files.ts"
import type { YamlEdit } from "../formats/session/yaml-document.ts"
import { listAgentFiles } from "./agent-files.ts"
import { followUp } from "./follow-up.ts"
import type { SessionFiles } from "./session-files.ts"
import type { SessionParts } from "./session-parts.ts"

/** The newest version of the plan; one that cannot be read stops nobody. */
export function readPlan(files: SessionFiles): Plan | undefined {
  return files.readOrWarn("plan", files.pathOf("plan"))?.data.plans.at(-1)
}

/** The step the plan is at, counted from 1, and how that stands. */
export function currentStepOf(plan: Plan): { currentPlanStep: number; planStepStatus: string } | undefined {
  const step = plan.steps.find(({ index }) => index === plan.currentStepIndex)
  return step && { currentPlanStep: step.index + 1, planStepStatus: step.status }
}

/** Puts the plan's step into a memory's context. The plan has the say: another value there came from elsewhere, and is told. */
export function stepEdits({ files, warn }: SessionParts, { agent, context }: AgentMemory): YamlEdit[] {
  const plan = readPlan(files)
  const edits = plan ? editsFor(plan, context) : []
  for (const { key, old, value } of edits)
    if (old !== undefined) warn(`The context of ${agent} had ${key} ${old}; updated to ${value} from plan.yaml`)
  return edits.map(setInContext)
}

/** Brings the contexts of all agents to the step of a plan that has just changed. */
export function refreshSteps(parts: SessionParts, plan: Plan): void {
  const updatedAt = { op: "set", path: ["updatedAt"], value: parts.now().toISOString() } as const
  for (const { path } of listAgentFiles(parts.files)) {
    followUp(parts, () =>
      parts.files.change("memory", path, ({ data }) => {
        const edits = editsFor(plan, data.context).map(setInContext)
        return edits.length === 0 ? [] : [...edits, updatedAt]
      }),
    )
  }
}

type StepEdit = { key: string; old: unknown; value: unknown }

function editsFor(plan: Plan, context: AgentMemory["context"]): StepEdit[] {
  return Object.entries(currentStepOf(plan) ?? {})
    .map(([key, value]) => ({ key, old: context?.[key], value }))
    .filter(({ old, value }) => old !== value)
}

function setInContext({ key, value }: StepEdit): YamlEdit {
  return { op: "set", path: ["context", key], value }
}
