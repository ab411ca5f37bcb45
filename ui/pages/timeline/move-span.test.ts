import { expect, test } from "vitest"
import { closeSpan, shiftSpan, zoomSpan } from "./move-span.ts"

const hour = 3_600_000
const all = { from: 0, to: 100 * hour }

test("zooming keeps the middle, and ends at an hour and at everything", () => {
  expect(zoomSpan({ from: 20 * hour, to: 40 * hour }, all, 0.5)).toEqual({ from: 25 * hour, to: 35 * hour })
  expect(zoomSpan({ from: 20 * hour, to: 21 * hour }, all, 0.5)).toEqual({ from: 20 * hour, to: 21 * hour })
  expect(zoomSpan({ from: 20 * hour, to: 80 * hour }, all, 2)).toBeNull()
})

test("a span keeps its length when it is moved to an end", () => {
  expect(shiftSpan({ from: 10 * hour, to: 30 * hour }, all, 0.5)).toEqual({ from: 20 * hour, to: 40 * hour })
  expect(shiftSpan({ from: 5 * hour, to: 25 * hour }, all, -0.5)).toEqual({ from: 0, to: 20 * hour })
  expect(shiftSpan({ from: 75 * hour, to: 95 * hour }, all, 0.5)).toEqual({ from: 80 * hour, to: 100 * hour })
})

test("an open end reaches as far as there is something, and never before the other", () => {
  expect(closeSpan(null, all)).toEqual(all)
  expect(closeSpan({ from: 20 * hour, to: null }, all)).toEqual({ from: 20 * hour, to: 100 * hour })
  expect(closeSpan({ from: 200 * hour, to: null }, all)).toEqual({ from: 200 * hour, to: 201 * hour })
  expect(closeSpan({ from: null, to: -10 * hour }, all)).toEqual({ from: -11 * hour, to: -10 * hour })
})
