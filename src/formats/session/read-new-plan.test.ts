import { expect, test } from "vitest"
import { readNewPlan } from "./read-new-plan.ts"

test("a step is a text, or a map with whatever a step may have", () => {
  const source = `task: Move the shelves
steps:
  - Empty them
  - description: Carry them
    dependsOn: [0]
    owner: Rook
metadata:
  complexity: 2
`
  const reading = readNewPlan(source)
  expect(reading).toMatchObject({
    kind: "plan",
    plan: {
      task: "Move the shelves",
      steps: [{ description: "Empty them" }, { description: "Carry them", dependsOn: [0], owner: "Rook" }],
      metadata: { complexity: 2 },
    },
  })
})

test("JSON is read as well", () => {
  expect(readNewPlan('{ "steps": ["Empty them"] }')).toMatchObject({ kind: "plan", plan: { steps: [{}] } })
})

test.each([
  ["", 1],
  ["steps: []\n", 1],
  ["- Empty them\n", 1],
  ["steps:\n  - Empty them\n  - status: pending\n", 3],
  ["steps:\n  - description: Empty them\n    status: soon\n", 2],
  ["task: 5\nsteps: [a]\n", 1],
  ["steps:\n  - a: [\n", 3],
])("%j is told with its place", (source, line) => {
  expect(readNewPlan(source)).toMatchObject({ kind: "broken", problem: { line, message: expect.any(String) } })
})
