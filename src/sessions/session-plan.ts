import { DreyError, exitCode } from "../errors.ts"
import { omitUndefined } from "../formats/objects.ts"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { agentSlug, stepStatuses } from "../formats/session/session-id.ts"
import type { Plan, PlanFile, PlanStep } from "../formats/session/sibling-schemas.ts"
import type { YamlEdit } from "../formats/session/yaml-tree.ts"
import { listAgentFiles } from "./agent-files.ts"
import type { NewPlan, PlanChanges, StepChange } from "./session-api.ts"
import { newFileText, type SessionFiles } from "./session-files.ts"
import { clearContent, requireOneOf, requireText } from "./session-input.ts"
import { updateMetadata } from "./session-metadata.ts"
import { runFollowUp, type SessionParts } from "./session-parts.ts"

/**
 * Adds a version of the plan, keeping earlier ones, or changes steps of the newest, counted from 1, and advances the
 * plan past finished steps; or both, as one atomic change.
 */
export function updatePlan(parts: SessionParts, { version, steps: changes = [] }: PlanChanges): Plan {
  if (version) requireSteps(version)
  for (const { status } of changes) requireOneOf("status", status, stepStatuses)
  const now = parts.now()
  return changePlan(parts, (plans) => {
    const old = plans.at(-1)
    if (!version) return changeSteps(requirePlan(plans), changes, now).edits(["plans", plans.length - 1])
    const { plan } = changeSteps(versionOf(parts, version, plans), changes, now)
    return [...(old ? supersede(old, plans.length - 1, now) : []), { op: "append", path: ["plans"], value: plan }]
  })
}

function requireSteps({ steps }: NewPlan): void {
  if (steps.length === 0)
    throw new DreyError("A plan needs at least one step", { hint: "Add a step with a description." })
  for (const [index, { description, status }] of steps.entries()) {
    requireText(`The description of step ${index + 1}`, description)
    requireOneOf(`The status of step ${index + 1}`, status as PlanStep["status"] | undefined, stepStatuses)
  }
}

/** The plan after these step changes, and the edits for the file. */
function changeSteps<Planned extends Progress>(plan: Planned, changes: readonly StepChange[], now: Date) {
  const edits: { path: (string | number)[]; fields: Record<string, unknown> }[] = []
  let changed = plan
  for (const { step, ...change } of changes) {
    const position = changed.steps.findIndex(({ index }) => index === step - 1)
    const old = changed.steps[position]
    if (!old) throw noSuchStep(step, changed)
    const { index: _, ...given } = { ...timesOf(old, change, now), ...change }
    const fields = omitUndefined(given)
    const steps = changed.steps.with(position, { ...old, ...fields })
    const progress = { ...progressOf(steps, changed.currentStepIndex, step - 1), updatedAt: now.toISOString() }
    changed = { ...changed, steps, ...progress }
    edits.push({ path: ["steps", position], fields }, { path: [], fields: progress })
  }
  return {
    plan: changed,
    edits: (above: (string | number)[]) => edits.flatMap(({ path, fields }) => setAll([...above, ...path], fields)),
  }
}

/** Marks an unfinished version as superseded. */
function supersede({ status }: Plan, index: number, now: Date): YamlEdit[] {
  if (status === "complete" || status === "replanning") return []
  return setAll(["plans", index], { status: "replanning", updatedAt: now.toISOString() })
}

function changePlan(parts: SessionParts, edit: (plans: PlanFile["plans"]) => YamlEdit[]): Plan {
  const { files } = parts
  const changed = files.change(
    "plan",
    files.pathOf("plan"),
    ({ data }) => edit(data.plans),
    () => newFileText("session-plan", files.id, { plans: [] }),
  )
  const plan = requirePlan(changed.data.plans)
  runFollowUp(parts, () => refreshSteps(parts, plan))
  runFollowUp(parts, () => updateMetadata(parts))
  return plan
}

/** The fields of a plan that step changes affect. */
type Progress = Pick<Plan, "currentStepIndex" | "status"> & {
  steps: Pick<PlanStep, "index" | "status" | "startedAt">[]
}

function versionOf({ files, now }: SessionParts, plan: NewPlan, plans: PlanFile["plans"]) {
  const time = now().toISOString()
  const version = (plans.at(-1)?.version ?? 0) + 1
  const task = plan.task ?? plans.at(-1)?.task ?? files.readValid("metadata", files.pathOf("metadata"))?.data.task ?? ""
  const id = `plan-${time.slice(0, 10).replaceAll("-", "")}-${agentSlug(clearContent(task))}${version > 1 ? `-v${version}` : ""}`
  const steps = plan.steps.map(({ description, status, ...step }, index) => {
    return { index, description, status: (status ?? "pending") as PlanStep["status"], ...omitUndefined(step) }
  })
  const further = { createdBy: plan.createdBy, version, previousPlanId: plans.at(-1)?.id, metadata: plan.metadata }
  return { ...{ id, task }, ...progressOf(steps, 0), steps, createdAt: time, ...omitUndefined(further) }
}

type StepStatus = Pick<PlanStep, "index" | "status">

/** The current step: the one in progress, otherwise the previous one, skipping finished steps. */
function progressOf(
  steps: readonly StepStatus[],
  current: number,
  changed = current,
): { status: Plan["status"]; currentStepIndex: number } {
  const isOpen = ({ status }: StepStatus) => status === "pending" || status === "in_progress"
  const takenUp = steps.find(({ index, status }) => index === changed && status === "in_progress")
  const here = steps.find((step) => step.index === current && isOpen(step))
  const next = takenUp ?? here ?? steps.find(isOpen) ?? steps.findLast(({ status }) => status !== "skipped")
  const isUntouched = steps.every(({ status }) => status === "pending")
  const ended = steps.some(({ status }) => status === "failed") ? "failed" : "complete"
  const status = isUntouched ? "draft" : steps.some(isOpen) ? "in_progress" : ended
  return { status, currentStepIndex: next?.index ?? current }
}

function timesOf(old: Progress["steps"][number], { status }: Partial<PlanStep>, now: Date): Partial<PlanStep> {
  if (status === "in_progress" && old.startedAt === undefined) return { startedAt: now.toISOString() }
  if (status === "complete" || status === "failed" || status === "skipped") return { completedAt: now.toISOString() }
  return {}
}

function requirePlan(plans: readonly Plan[]): Plan {
  const plan = plans.at(-1)
  if (plan) return plan
  throw new DreyError("This session has no plan", { hint: "Create one with drey session plan.", exitCode: exitCode.no })
}

function noSuchStep(step: number, { steps }: Progress): DreyError {
  return new DreyError(`The plan has no step ${step}`, { hint: `Its steps are 1 to ${steps.length}.` })
}

function setAll(path: (string | number)[], fields: Record<string, unknown>): YamlEdit[] {
  return Object.entries(omitUndefined(fields)).map(([key, value]) => ({ op: "set", path: [...path, key], value }))
}

/** The newest version of the plan; an unreadable one does not fail the caller. */
export function readPlan(files: SessionFiles): Plan | undefined {
  return files.readOrWarn("plan", files.pathOf("plan"))?.data.plans.at(-1)
}

/** The current step of the plan, counted from 1, and its status. */
export function currentStepOf(plan: Plan): { currentPlanStep: number; planStepStatus: string } | undefined {
  const step = plan.steps.find(({ index }) => index === plan.currentStepIndex)
  return step && { currentPlanStep: step.index + 1, planStepStatus: step.status }
}

/** Puts the plan's step into a memory's context. The plan wins: a different value came from another source and is reported. */
export function stepEdits({ files, warn }: SessionParts, { agent, context }: AgentMemory): YamlEdit[] {
  const plan = readPlan(files)
  const edits = plan ? editsFor(plan, context) : []
  for (const { key, old, value } of edits)
    if (old !== undefined) warn(`The context of ${agent} had ${key} ${old}; updated to ${value} from plan.yaml`)
  return edits.map(setInContext)
}

/** Updates the contexts of all agents to the step of a plan that has just changed. */
function refreshSteps(parts: SessionParts, plan: Plan): void {
  const updatedAt = { op: "set", path: ["updatedAt"], value: parts.now().toISOString() } as const
  for (const { path } of listAgentFiles(parts.files)) {
    runFollowUp(parts, () =>
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
