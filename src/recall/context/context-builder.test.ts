import { expect, test } from "vitest"
import { taskHashOf } from "../../formats/ids.ts"
import { isHeldOut } from "./context-builder.ts"

const tasks = Array.from({ length: 2000 }, (_, at) => taskHashOf(`Mend the pagination of list ${at}`))

test("no task is held out at a rate of 0, all at 1, and about that share in between", () => {
  const share = (rate: number) => tasks.filter((task) => isHeldOut(task, rate)).length / tasks.length
  expect(share(0)).toBe(0)
  expect(share(1)).toBe(1)
  expect(Math.abs(share(0.1) - 0.1)).toBeLessThan(0.02)
})

test("a task held out at a rate is held out at every higher one", () => {
  const few = tasks.filter((task) => isHeldOut(task, 0.05))
  expect(few.every((task) => isHeldOut(task, 0.2))).toBe(true)
})
