import { expect, test } from "vitest"
import { normalizeText, overlapOf } from "./normalize-text.ts"

test("case, punctuation and white space make no difference, signs that tell languages apart do", () => {
  expect(normalizeText(" Use `pnpm`,\n not  NPM! ")).toBe("use pnpm not npm")
  expect(normalizeText("C++")).not.toBe(normalizeText("C#"))
})

test("overlap is between none and the same words", () => {
  expect(overlapOf("start the database", "Database: start!")).toBeCloseTo(1)
  expect(overlapOf("start the database", "deploy on fridays")).toBe(0)
  expect(overlapOf("", "deploy")).toBe(0)
  expect(overlapOf("start database", "start server")).toBeCloseTo(0.5)
})
