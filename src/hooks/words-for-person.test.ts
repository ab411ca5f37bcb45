import { expect, test } from "vitest"
import { wordsForPerson } from "./words-for-person.ts"

test("the user sees Drey's name, and the text without its wrapper", () => {
  const text = '<drey-context task="t-0a1b2c3d">\nAbout this call.\n\n> Use <b>\n\n</drey-context>'
  expect(wordsForPerson(text)).toBe("Drey · About this call.\n\n> Use <b>")
})
