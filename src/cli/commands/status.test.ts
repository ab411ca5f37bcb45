import { expect, test } from "vitest"
import { barChart, curve, table } from "./status.ts"

test("the largest value has the longest bar, and the others are proportional", () => {
  const [long, half, none] = barChart([
    { label: "Kane", value: 8, text: "8" },
    { label: "Zoë", value: 4, text: "4" },
    { label: "Al", value: 0, text: "0" },
  ])
  expect(long).toBe(`Kane  ${"█".repeat(30)} 8`)
  expect(half).toBe(`Zoë   ${"█".repeat(15)} 4`)
  expect(none).toBe("Al    0")
})

test("bars of only zeros are drawn without dividing by zero", () => {
  expect(barChart([{ label: "a", value: 0, text: "0" }])).toEqual(["a  0"])
})

test("a curve runs from its lowest value to its highest", () => {
  expect(curve([0, 7])).toBe("▁█")
  expect(curve([3, 3, 3])).toBe("▁▁▁")
  expect(curve([])).toBe("")
})

test("numbers are right-aligned in their column", () => {
  expect(
    table(
      ["author", "entries"],
      [
        ["Kane", "7"],
        ["Fenster", "12"],
      ],
    ),
  ).toEqual(["author   entries", "Kane           7", "Fenster       12"])
})
