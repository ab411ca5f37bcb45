import { expect, test } from "vitest"
import { differenceOf, normalizeText, overlapOf } from "./text-difference.ts"

test.each([
  ["Use pnpm, not npm.", "Use npm, not pnpm.", true],
  ["Never force-push to main.", "Always force-push to main.", true],
  ["Use tabs instead of spaces", "Use spaces", true],
  ["Don't mock the gateway", "Mock the gateway", true],
  ["Nicht npm verwenden", "npm verwenden", true],
  ["Use pnpm", "Use pnpm, not npm.", false],
  ["Never force-push to main.", "Do not force-push to main, ever.", false],
  ["No, install with pnpm", "This project uses pnpm, not npm", false],
  ["Don't run npm test, run npm run check", "Run npm run check", false],
])("%s | %s: one denies what the other affirms: %s", (one, other, contradicts) => {
  expect(differenceOf(one, other).contradicts).toBe(contradicts)
  expect(differenceOf(other, one).contradicts).toBe(contradicts)
})

test("numbers, versions, paths and identifiers are distinguished", () => {
  expect(differenceOf("Node 18 is needed", "Node 20 is needed")).toMatchObject({ lost: true, added: true })
  expect(differenceOf("Tests are in test/", "Tests are in test/ and src/app.ts")).toMatchObject({
    lost: false,
    added: true,
  })
  expect(differenceOf("Call user_name", "Call it by its name")).toMatchObject({ lost: true, added: false })
  expect(differenceOf("It ends here.", "It ends here")).toMatchObject({ lost: false, added: false })
})

test("case, punctuation and white space make no difference, symbols that distinguish languages do", () => {
  expect(normalizeText(" Use `pnpm`,\n not  NPM! ")).toBe("use pnpm not npm")
  expect(normalizeText("C++")).not.toBe(normalizeText("C#"))
})

test("overlap is between none and the same words", () => {
  expect(overlapOf("start the database", "Database: start!")).toBeCloseTo(1)
  expect(overlapOf("start the database", "deploy on fridays")).toBe(0)
  expect(overlapOf("", "deploy")).toBe(0)
  expect(overlapOf("start database", "start server")).toBeCloseTo(0.5)
})
