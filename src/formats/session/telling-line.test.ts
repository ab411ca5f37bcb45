import { expect, test } from "vitest"
import { tellingLine } from "./telling-line.ts"

test("the first line that says something tells of a text", () => {
  expect(tellingLine("\n\n  The parser is\tstrict.\nIt always was.")).toBe("The parser is strict.")
  expect(tellingLine(" \n ")).toBe("")
})

test("a line that announces a list is told with its items, as far as they fit", () => {
  expect(tellingLine("Available:\n- lamps\n\n* doors\nAnd more.\n- windows")).toBe("Available: lamps; doors")
  const many = Array.from({ length: 50 }, (_, at) => `- item ${at}`).join("\n")
  const told = tellingLine(`Available:\n${many}`)
  expect(told.length).toBeLessThanOrEqual(160)
  expect(told).toMatch(/^Available: item 0; item 1;.*; item \d+$/)
})

test("a label without a list is told with the line after it, and a long line is cut", () => {
  expect(tellingLine("Cause:\nthe cache was cold")).toBe("Cause: the cache was cold")
  expect(tellingLine("Cause:")).toBe("Cause:")
  expect(tellingLine(`Cause:\n- ${"long ".repeat(100)}`).length).toBeLessThanOrEqual(160)
})
