import fc from "fast-check"
import { expect, test } from "vitest"
import { ownWords } from "./own-words.ts"

test("code, quotations, links and pasted output are not a person's own words", () => {
  const message = [
    'It says "this is useless" and `never do that`, see https://example.com/i-give-up',
    "> how many times",
    "```",
    "always fail",
    "```",
    "TypeError: still broken",
    "    at wtf (a.js:1:2)",
    "2026-03-01 10:00:00 ERROR ugh",
    "$ npm run idiot",
    "please look",
  ].join("\n")
  expect(
    ownWords(message)
      .replace(/[\s_]+/g, " ")
      .trim(),
  ).toBe("It says and , see please look")
})

test("of a long message its beginning and end count, of a document nothing behind its heading", () => {
  const plan = `Implement this plan:\n\n# Plan\n\n${"Never mind the rest. ".repeat(100)}`
  expect(ownWords(plan).trim()).toBe("Implement this plan:")
  const pasted = `Look at this\n${"never ".repeat(400)}\nwhat is it about`
  expect(ownWords(pasted)).toContain("Look at this")
  expect(ownWords(pasted)).toContain("what is it about")
  expect(ownWords(pasted).match(/never/g)?.length).toBeLessThan(200)
})

test("every character keeps its place", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", " ", "\n", "🦊", "`", '"', ">", "#"), maxLength: 2000 }),
      (message) => {
        expect(ownWords(message).length).toBe(message.length)
      },
    ),
  )
})
