import { expect, test } from "vitest"
import { contentWords } from "./content-words.ts"

test("words are one in all their forms, and the little ones do not count", () => {
  expect(contentWords("Testing the packages")).toEqual(contentWords("a test of each package"))
})

test("names of programs, files and identifiers are words", () => {
  expect([...contentWords("use pnpm, not npm: src/my_file.ts")]).toEqual(["pnpm", "npm", "src", "my_fil"])
})

test("a script without spaces is compared by pairs of letters", () => {
  expect([...contentWords("提交信息")]).toEqual(["提交", "交信", "信息"])
})
