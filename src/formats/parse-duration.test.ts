import { expect, test } from "vitest"
import { parseDuration } from "./parse-duration.ts"

test("hours, days, weeks and months of 30 days are read as milliseconds", () => {
  expect(["24h", "7d", "2W", " 3m "].map(parseDuration)).toEqual([
    86_400_000, 604_800_000, 1_209_600_000, 7_776_000_000,
  ])
})

test("anything else is no duration", () => {
  for (const text of ["", "7", "d", "0d", "-7d", "1.5h", "7 d", "7y", "9999999d"])
    expect(parseDuration(text)).toBeUndefined()
})
