import { expect, test } from "vitest"
import { taskHashOf } from "./task-hash.ts"

test("white space and case do not make another task, other words do", () => {
  expect(taskHashOf("  Use\n tabs ")).toBe(taskHashOf("use tabs"))
  expect(taskHashOf("use spaces")).not.toBe(taskHashOf("use tabs"))
})
