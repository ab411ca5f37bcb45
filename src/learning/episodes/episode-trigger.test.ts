import { expect, test } from "vitest"
import { taskTextOf, triggerOf } from "./episode-trigger.ts"
import { edits, interrupts, runs, says, testEpisode, testEvents } from "./test-events.ts"

test("a trigger is what failed and what was changed, not what every task does", () => {
  const events = testEvents(
    says("make it build"),
    ...runs("git status", 0),
    ...runs("npm run build", 1, "error: no such table 7"),
    ...edits("/work/shop/src/a.ts"),
    ...runs("npm run build", 0),
  )
  expect(triggerOf(testEpisode(events))).toEqual({
    tools: [],
    heads: ["npm run build"],
    paths: ["src/a.ts"],
    fingerprints: ["error: no such table #"],
  })
})

test("without failures, commands that have an effect are used", () => {
  const events = testEvents(says("ship it"), ...runs("git status", 0), ...runs("npm publish", 0))
  expect(triggerOf(testEpisode(events)).heads).toEqual(["npm publish"])
})

test("the task's text is the user's messages, in order, at most 1,000 characters", () => {
  const events = testEvents(says("add a cart"), ...edits("a.ts"), interrupts, says("no, in shop.ts"))
  expect(taskTextOf({ events })).toBe("add a cart\nno, in shop.ts")
  const long = testEvents(...Array.from({ length: 9 }, (_, index) => says(`${index} ${"word ".repeat(60)}`)))
  expect(taskTextOf({ events: long }).length).toBe(1000)
  expect(taskTextOf({ events: long })).toMatch(/^0 word/)
})
