import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { goals, labelledFolder, measureLabelled, parts, sessionsIn } from "./labelled.ts"
import type { Moment } from "./predict-moments.ts"

describe.each(parts)("the labelled sessions, %s", (part) => {
  const folder = join(labelledFolder, part)
  const measured = measureLabelled(folder)

  test.each(Object.keys(goals) as Moment[])("show each %s to the rules as a person sees it", async (moment) => {
    const { precision, recall } = (await measured)[moment]
    expect(precision).toBeGreaterThanOrEqual(goals[moment]?.precision ?? 0)
    expect(recall).toBeGreaterThanOrEqual(goals[moment]?.recall ?? 0)
  })

  test("hold moments of every kind, and as many traps", async () => {
    for (const { labels, positives } of Object.values(await measured)) {
      expect(positives).toBeGreaterThanOrEqual(7)
      expect(labels - positives).toBeGreaterThan(positives / 2)
    }
  })
})

test("a third of the sessions is held back from tuning", () => {
  const [tuned = 0, held = 0] = parts.map((part) => sessionsIn(join(labelledFolder, part)).length)
  expect(held / (tuned + held)).toBeGreaterThan(0.33)
})
