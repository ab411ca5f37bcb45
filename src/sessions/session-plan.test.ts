import { expect, test } from "vitest"
import { editIn, makeSessions, readIn } from "./test-sessions.ts"

const steps = [{ description: "Read" }, { description: "Convert", suggestedAgent: "tester" }, { description: "Write" }]

test("a plan starts as a draft at its first step; a new version names the one before it", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Read the feed", agent: "developer" })
  expect(await session.plan.read()).toBeUndefined()
  const plan = await session.plan.set({ steps, createdBy: "developer" })
  expect(plan).toMatchObject({ id: "plan-20260123-read-the-feed", status: "draft", version: 1, currentStepIndex: 0 })
  expect(plan.steps.map(({ index, status }) => [index, status])).toEqual([
    [0, "pending"],
    [1, "pending"],
    [2, "pending"],
  ])
  await session.plan.set({ steps: steps.slice(0, 2) })
  expect(await session.plan.read()).toMatchObject({
    id: "plan-20260123-read-the-feed-v2",
    version: 2,
    previousPlanId: "plan-20260123-read-the-feed",
  })
})

test("the plan advances with its steps, and every agent's context follows", async () => {
  const { sessions, warnings } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.addDiscovery("tester", { type: "data_model", content: "Cents" })
  await session.plan.set({ steps })
  const contexts = async () =>
    [...(await session.memories()).values()].map(({ context }) => [context?.currentPlanStep, context?.planStepStatus])
  expect(await session.plan.updateStep(1, { status: "in_progress" })).toMatchObject({
    status: "in_progress",
    currentStepIndex: 0,
  })
  expect(await contexts()).toEqual([
    [1, "in_progress"],
    [1, "in_progress"],
  ])
  const moved = await session.plan.updateStep(1, { status: "complete", output: "rows" })
  expect(moved).toMatchObject({ status: "in_progress", currentStepIndex: 1 })
  expect(moved.steps[0]).toMatchObject({
    status: "complete",
    output: "rows",
    completedAt: expect.stringContaining("Z"),
  })
  expect(await contexts()).toEqual([
    [2, "pending"],
    [2, "pending"],
  ])
  expect((await session.startAttempt("tester", { description: "Convert" })).attempt.planStep).toBe(2)
  await session.plan.updateStep(3, { status: "skipped" })
  expect((await session.plan.read())?.currentStepIndex).toBe(1)
  expect(await session.plan.updateStep(2, { status: "complete" })).toMatchObject({
    status: "complete",
    currentStepIndex: 1,
  })
  expect(warnings).toEqual([])
})

test("the plan decides the step in a context, and a difference is reported", async () => {
  const { sessions, warnings } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.plan.set({ steps })
  await session.updateContext(undefined, { set: { currentPlanStep: 3, note: "x" } })
  expect(warnings.splice(0)).toEqual(["currentPlanStep is set from plan.yaml; change the step there"])
  editIn(session, "agent-memory.yaml", (text) => text.replace("currentPlanStep: 1", "currentPlanStep: 3"))
  await session.addDiscovery(undefined, { type: "data_model", content: "Cents" })
  expect(warnings).toEqual(["The context of developer had currentPlanStep 3; updated to 1 from plan.yaml"])
  expect(readIn(session, "agent-memory.yaml")).toContain("currentPlanStep: 1")
})

test("an unknown step or status is refused", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed" })
  await expect(session.plan.updateStep(1, { status: "complete" })).rejects.toThrow("no plan")
  await session.plan.set({ steps })
  await expect(session.plan.updateStep(4, { status: "complete" })).rejects.toThrow("The plan has no step 4")
  await expect(session.plan.updateStep(1, { status: "done" as "complete" })).rejects.toThrow('status cannot be "done"')
  await expect(session.plan.set({ steps: [] })).rejects.toThrow("needs at least one step")
})

test("a new version and the statuses of its steps are one atomic change", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.plan.set({ steps: [{ description: "Read" }, { description: "Convert" }] })
  const before = readIn(session, "plan.yaml")
  const version = { steps: [{ description: "Read" }, { description: "Check" }, { description: "Convert" }] }
  const wrong = [
    { step: 1, status: "complete" as const },
    { step: 9, status: "complete" as const },
  ]
  await expect(session.plan.update({ version, steps: wrong })).rejects.toThrow("no step 9")
  await expect(session.plan.update({ steps: wrong })).rejects.toThrow("no step 9")
  expect(readIn(session, "plan.yaml")).toBe(before)

  const steps = [
    { step: 1, status: "complete" as const },
    { step: 3, status: "in_progress" as const },
  ]
  expect(await session.plan.update({ version, steps })).toMatchObject({
    version: 2,
    status: "in_progress",
    currentStepIndex: 2,
    steps: [{ status: "complete", completedAt: expect.any(String) }, { status: "pending" }, { status: "in_progress" }],
  })
})

test("the version before a new one is replanned, unless it was completed", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  for (const description of ["Read", "Convert", "Write"]) {
    await session.plan.set({ steps: [{ description }] })
    if (description === "Convert") await session.plan.updateStep(1, { status: "complete" })
  }
  const { plans } = await session.export()
  expect(plans.map(({ status }) => status)).toEqual(["replanning", "complete", "draft"])
})
