import { expect, test } from "vitest"
import { choosePager, linesOnScreen, takeOutputFlags, wantsColor } from "./output.ts"

test("output flags are removed from the line, but only before --", () => {
  expect(takeOutputFlags(["memory", "--no-color", "lanterns", "--no-pager"])).toEqual({
    color: false,
    pager: false,
    rest: ["memory", "lanterns"],
  })
  expect(takeOutputFlags(["search", "--", "--no-color"])).toEqual({
    color: undefined,
    pager: true,
    rest: ["search", "--", "--no-color"],
  })
  expect(takeOutputFlags(["--no-color", "recent", "--color"])).toMatchObject({ color: true, rest: ["recent"] })
})

test.for([
  { why: "a terminal", isTerminal: true, environment: {}, flag: undefined, color: true },
  { why: "a pipe", isTerminal: false, environment: {}, flag: undefined, color: false },
  { why: "NO_COLOR", isTerminal: true, environment: { NO_COLOR: "1" }, flag: undefined, color: false },
  { why: "NO_COLOR set to nothing", isTerminal: true, environment: { NO_COLOR: "" }, flag: undefined, color: true },
  { why: "FORCE_COLOR in a pipe", isTerminal: false, environment: { FORCE_COLOR: "1" }, flag: undefined, color: true },
  { why: "FORCE_COLOR=0", isTerminal: true, environment: { FORCE_COLOR: "0" }, flag: undefined, color: false },
  {
    why: "NO_COLOR against FORCE_COLOR",
    isTerminal: true,
    environment: { NO_COLOR: "1", FORCE_COLOR: "1" },
    color: false,
  },
  {
    why: "--no-color against FORCE_COLOR",
    isTerminal: true,
    environment: { FORCE_COLOR: "1" },
    flag: false,
    color: false,
  },
  { why: "--color against NO_COLOR", isTerminal: false, environment: { NO_COLOR: "1" }, flag: true, color: true },
  { why: "a dumb terminal", isTerminal: true, environment: { TERM: "dumb" }, flag: undefined, color: false },
])("$why decides about colour", ({ flag, environment, isTerminal, color }) => {
  expect(wantsColor({ flag, environment, isTerminal })).toBe(color)
})

test("the pager is DREY_PAGER, then PAGER, then less; cat and empty mean none", () => {
  expect(choosePager({ DREY_PAGER: "most", PAGER: "more" }, true)).toBe("most")
  expect(choosePager({ PAGER: "more" }, true)).toBe("more")
  expect(choosePager({}, true)).toBe("less")
  for (const environment of [{ PAGER: "cat" }, { DREY_PAGER: "", PAGER: "more" }, { TERM: "dumb" }])
    expect(choosePager(environment, true)).toBeUndefined()
  expect(choosePager({ PAGER: "more" }, false)).toBeUndefined()
})

test("a long line counts as the lines it takes on the screen, and colours do not count", () => {
  expect(linesOnScreen("one\n\nthree\n", 80)).toBe(3)
  expect(linesOnScreen("x".repeat(81), 80)).toBe(2)
  expect(linesOnScreen(`\u001b[31m${"x".repeat(80)}\u001b[39m`, 80)).toBe(1)
})
