import { expect, test } from "vitest"
import { describeStanding, type Measure } from "./standing.ts"

const measure = (what: string, unit: string, of: Record<string, number>): Measure => {
  return { what, unit, of: new Map(Object.entries(of)) }
}

test("the leader is named, and a difference of a tenth is ignored", () => {
  const [others = "", ours = ""] = describeStanding([
    measure("size", "MB", { Drey: 47, small: 17, large: 200 }),
    measure("lost notes", "", { Drey: 0, small: 8 }),
    measure("search", "ms", { Drey: 21, small: 20 }),
    measure("context", "ms", { Drey: 21 }),
  ]).split("Drey, or nobody")
  expect(others).toContain("- size: Drey 47, small 17 MB.")
  expect(others).not.toContain("large")
  expect(ours).toContain("- lost notes: Drey 0, small 8.")
  expect(ours).toContain("- search: Drey 21, small 20 ms.")
  expect(others + ours).not.toContain("context")
})
