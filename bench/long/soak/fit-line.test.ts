import { expect, test } from "vitest"
import { fitSlope } from "./fit-line.ts"

test("growth within a group is reported, differences between groups are not", () => {
  expect(
    fitSlope([
      [
        [0, 100],
        [1, 102],
        [2, 104],
      ],
      [
        [0, 50],
        [1, 52],
      ],
    ]),
  ).toBeCloseTo(2)
  expect(
    fitSlope([
      [
        [0, 100],
        [1, 100],
      ],
      [
        [5, 900],
        [6, 900],
      ],
    ]),
  ).toBe(0)
  expect(fitSlope([[[3, 7]]])).toBe(0)
})
