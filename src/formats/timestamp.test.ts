import fc from "fast-check"
import { expect, test } from "vitest"
import { instantOfMoment, parseDuration } from "./timestamp.ts"

test("hours, days, weeks and months of 30 days are read as milliseconds", () => {
  expect(["24h", "7d", "2W", " 3m "].map(parseDuration)).toEqual([
    86_400_000, 604_800_000, 1_209_600_000, 7_776_000_000,
  ])
})

test("anything else is not a duration", () => {
  for (const text of ["", "7", "d", "0d", "-7d", "1.5h", "7 d", "7y", "9999999d"])
    expect(parseDuration(text)).toBeUndefined()
})

test("every time that Drey writes is read to the millisecond", () => {
  const years = {
    min: new Date("0001-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  }
  fc.assert(
    fc.property(fc.date(years), (date) => {
      expect(instantOfMoment(date.toISOString())).toBe(date.getTime())
    }),
  )
})

test("an offset and other fractions are read too", () => {
  const instant = Date.parse("2026-03-04T09:00:00.500Z")
  expect(instantOfMoment("2026-03-04T10:00:00.5+01:00")).toBe(instant)
  expect(instantOfMoment("2026-03-04T09:00:00,500Z")).toBe(instant)
})

test.each([
  "2026-02-30T09:00:00.000Z",
  "2026-02-29T09:00:00.000Z",
  "2026-13-01T09:00:00.000Z",
  "2026-03-04T24:00:00.000Z",
  "2026-03-04T09:60:00.000Z",
  "2026-03-04",
  "attempt 1",
  "",
])("%j is not a time", (text) => {
  expect(instantOfMoment(text)).toBeUndefined()
})
