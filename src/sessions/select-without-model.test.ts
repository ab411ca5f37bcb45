import { expect, test } from "vitest"
import { selectWithoutModel } from "./select-without-model.ts"
import { attempt, decision, discovery, memoryOf } from "./test-entries.ts"

const empty = new Map([["developer", memoryOf({})]])

test("as long as nothing has happened the default agent begins, and no model is asked", () => {
  expect(selectWithoutModel({ defaultAgent: "planner" }, new Map())).toBe("planner")
  expect(selectWithoutModel({ defaultAgent: "planner" }, empty)).toBe("planner")
  expect(selectWithoutModel({ defaultAgent: "planner", lastError: null }, empty)).toBe("planner")
  expect(selectWithoutModel({}, empty)).toBeUndefined()
})

test.each([
  ["an attempt", { attempts: [attempt("attempt-001", "09:00")] }],
  ["a discovery", { discoveries: [discovery("discovery-001", "09:00")] }],
  ["a decision", { decisions: [decision("decision-001", "09:00")] }],
])("after %s a model has to choose", (_, entries) => {
  expect(selectWithoutModel({ defaultAgent: "planner" }, new Map([["developer", memoryOf(entries)]]))).toBeUndefined()
})

test("after an error a model has to choose", () => {
  expect(selectWithoutModel({ defaultAgent: "planner", lastError: { message: "timeout" } }, empty)).toBeUndefined()
})
