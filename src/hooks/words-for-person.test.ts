import { expect, test } from "vitest"
import { wordsForPerson } from "./words-for-person.ts"

test("a person reads who speaks, and the words without their wrapper", () => {
  const text = '<drey-context task="t-0a1b2c3d">\nAbout this call.\n\n> Use <b>\n\n</drey-context>'
  expect(wordsForPerson(text)).toBe("Drey · About this call.\n\n> Use <b>")
})
