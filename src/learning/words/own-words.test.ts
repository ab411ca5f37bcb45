import fc from "fast-check"
import { expect, test } from "vitest"
import { ownWords, withoutPasted } from "./own-words.ts"

test("code, quotations, links and pasted output are not the user's own words", () => {
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

test("a whole long message is read; what follows a heading is a document", () => {
  const dictated = `Look at the import first.\n${"The third column is wrong again. ".repeat(20)}\nNever guess a delimiter.`
  expect(ownWords(dictated)).toBe(dictated)
  const plan = `Implement this plan:\n\n# Plan\n\n${"Never mind the rest. ".repeat(100)}`
  expect(ownWords(plan).trim()).toBe("Implement this plan:")
})

test("the user's words behind a pasted document count, if they speak to the agent", () => {
  const mixed = "I get this error:\n\nboom in line 3\nalways restart the worker\n\nplease fix it"
  expect(ownWords(mixed).replace(/\s+/g, " ").trim()).toBe("I get this error: please fix it")
  expect(withoutPasted(mixed)).toBe("I get this error:\n\n[…]\n\nplease fix it")
})

test("a reviewer's remark without a word of one's own is set aside", () => {
  expect(ownWords("The parser has no tests. Consider adding some for empty files.").trim()).toBe("")
})

test("a text that is wrapped at a certain width, and a filler, are pasted", () => {
  const remark = [
    "please fix this",
    "The listener in the import module is called again for each row of the table,",
    "so that the counter must always be reset before the next row is read by the",
    "worker, and it never returns a promise to the caller that waits for the whole",
    "import to finish.",
  ]
  expect(ownWords(remark.join("\n")).trim()).toBe("please fix this")
  expect(ownWords("Try this: Lorem ipsum dolor sit amet. Semper ubi sub ubi.").trim()).toBe("")
})

test("a list of rules is the user's own", () => {
  const rules = "House rules:\n- never mock the database;\n- every PR has a description"
  expect(ownWords(rules)).toBe(rules)
})

test("every character keeps its position", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", " ", "\n", "🦊", "`", '"', ">", "#"), maxLength: 2000 }),
      (message) => {
        expect(ownWords(message).length).toBe(message.length)
      },
    ),
  )
})
