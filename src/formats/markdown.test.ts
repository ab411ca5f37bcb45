import { expect, test } from "vitest"
import { headingText } from "./markdown.ts"

test.each([
  ["## Use one index", 2, "Use one index"],
  ["#   Use one index  ", 1, "Use one index"],
  ["## Use one index ##", 2, "Use one index"],
  ["### Use C#", 3, "Use C#"],
  ["### #1 first ### ", 3, "#1 first"],
  ["# ##", 1, "##"],
  ["#", 1, ""],
])("the words of %j at level %i are %j", (line, level, words) => {
  expect(headingText(line, level)).toBe(words)
})

test("a line of a million marks or spaces is fast", () => {
  const began = process.cpuUsage()
  for (const mark of ["#", " ", " #"]) headingText(`# x ${mark.repeat(1_000_000)} y`, 1)
  expect(process.cpuUsage(began).user).toBeLessThan(1_000_000)
})
