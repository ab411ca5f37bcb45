import { expect, test } from "vitest"
import { judgeHelp } from "./judge-help.ts"

const nothing = { hits: 0, misses: 0, regretSaved: 0, withMemory: null, withoutMemory: null, tasks: 0 }

test("with fewer trials than ten nobody can tell whether memory helps", () => {
  expect(judgeHelp(nothing)).toMatchObject({ verdict: "unknown", text: expect.stringContaining("Too early to tell") })
  expect(judgeHelp({ ...nothing, hits: 8, misses: 1 })).toMatchObject({
    verdict: "unknown",
    text: "Too few to tell yet: memories were put to the test 9 times, and it takes 10.",
  })
})

test("trouble that stayed away is a sign that memory helps, and no proof while nothing is compared", () => {
  const { verdict, text } = judgeHelp({ ...nothing, hits: 30, misses: 10 })
  expect(verdict).toBe("signs")
  expect(text).toMatch(/of 40 times .* stayed away 30 times\. It might have stayed away without memory too/)
  expect(judgeHelp({ ...nothing, hits: 5, misses: 5 }).verdict).toBe("no")
})

test("errors of tasks with and without memory count before all else, once there are twenty", () => {
  const compared = { ...nothing, hits: 1, withMemory: 1.5, withoutMemory: 2, tasks: 40 }
  expect(judgeHelp(compared).text).toBe(
    "Yes: tasks with memory meet 25 % fewer errors than those without. This is over 40 tasks.",
  )
  expect(judgeHelp({ ...compared, withMemory: 2 }).verdict).toBe("no")
  expect(judgeHelp({ ...compared, tasks: 19 }).verdict).toBe("unknown")
})
