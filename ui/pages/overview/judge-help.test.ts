import { expect, test } from "vitest"
import { judgeHelp } from "./judge-help.ts"

const nothing = { hits: 0, misses: 0, regretSaved: 0, withMemory: null, withoutMemory: null, tasks: 0 }

test("fewer than ten trials are not enough to judge whether memory helps", () => {
  expect(judgeHelp(nothing)).toMatchObject({ verdict: "unknown", text: expect.stringContaining("Not enough data yet") })
  expect(judgeHelp({ ...nothing, hits: 8, misses: 1 })).toMatchObject({
    verdict: "unknown",
    text: "Not enough data yet: 9 of 10 uses.",
  })
})

test("errors that did not recur are a sign that memory helps, but no proof without a comparison", () => {
  const { verdict, text } = judgeHelp({ ...nothing, hits: 30, misses: 10 })
  expect(verdict).toBe("signs")
  expect(text).toMatch(/in 30 of 40 uses the error did not recur\. There are no tasks without memory/)
  expect(judgeHelp({ ...nothing, hits: 5, misses: 5 }).verdict).toBe("no")
})

test("errors of tasks with and without memory count before all else, once there are twenty", () => {
  const compared = { ...nothing, hits: 1, withMemory: 1.5, withoutMemory: 2, tasks: 40 }
  expect(judgeHelp(compared).text).toBe(
    "Yes: tasks with memory have 25 % fewer errors than tasks without. Based on 40 tasks.",
  )
  expect(judgeHelp({ ...compared, withMemory: 2 }).verdict).toBe("no")
  expect(judgeHelp({ ...compared, tasks: 19 }).verdict).toBe("unknown")
})
